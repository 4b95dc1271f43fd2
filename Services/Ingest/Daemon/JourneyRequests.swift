import Directory
import Hashing
import IngestCore
import Model
import Parsing
import Runtime
import Store
import Web

// Requests about journeys.
extension IngestService {
    /// Deletes removed data and serves readers; called each turn.
    func tendJourneys() throws {
        try photos.tidy(journeys)
        if isForgettingJourneys { isForgettingJourneys = try journeys.forgetGone() }
        try readers.run()
    }

    /// Stores a change of a journey.
    func write(_ change: JourneyChange) throws {
        switch change {
        case .remove, .removeAll, .reset:
            isForgettingJourneys = true
            photos.markUnused(try journeys.photosRemoved(with: change))
        case .start, .stop, .fix, .complete, .moved, .sights: break
        }
        try journeys.write(change)
    }

    var nextOfJourneys: Timestamp? {
        isForgettingJourneys || !photos.isTidy ? host.now : readers.nextDeadline
    }

    func handleJourneys(
        _ request: Request, _ route: Endpoint, _ parameters: Parameters, by principal: Principal
    ) throws {
        let person = try parameters.id("person", PersonID.self)
        switch route {
        case .journeys:
            return host.answer(request.id, try listJourneys(of: person, request, principal))
        case .startJourney: return try startJourney(of: person, request, by: principal)
        default: break
        }
        let id = try parameters.id("journey", JourneyID.self)
        let header = try journeys.header(id).flatMap { $0.person == person ? $0 : nil }
        switch route {
        case .stopJourney: try change(header, of: person, .stop, request, by: principal)
        case .resetJourney: try change(header, of: person, .reset, request, by: principal)
        case .removeJourney: try change(header, of: person, .remove, request, by: principal)
        case .addJourneyNote: try addNote(to: header, of: person, request, by: principal)
        case .addJourneyPhoto: try addPhoto(to: header, of: person, request, by: principal)
        case .journeyPhoto:
            let photo = try parameters.id("photo", JourneyPhotoID.self)
            let sightline = try sightline(header, of: person, for: principal)
            host.answer(request.id, try self.photo(photo, sightline, request))
        default:
            let sightline = try sightline(header, of: person, for: principal)
            switch route {
            case .journey: try readSummary(sightline, request)
            case .journeyReplay: try replay(sightline, request)
            case .journeyTrack: try readPath(sightline, request, isTrack: true)
            default: try readPath(sightline, request, isTrack: false)
            }
        }
    }

    // MARK: - Changes

    private func startJourney(
        of person: PersonID, _ request: Request, by principal: Principal
    ) throws {
        var name = ""
        if let member = try request.object()?["name"], !member.isNull {
            guard let text = member.string, text.count <= Limits.journeyNameCharacters else {
                throw Problem.invalid(
                    "this is not a name", field: "name",
                    hint: "send a text of at most \(Limits.journeyNameCharacters) characters")
            }
            if let hidden = PlainText.firstHidden(in: text) {
                throw Problem.invalid(
                    "this name has a hidden character", field: "name",
                    hint: "leave out \(PlainText.name(of: hidden))")
            }
            name = text
        }
        guard try !isRepeated(request, by: principal, status: 200) else { return }
        try handle(
            .journey(
                JourneyRequest(
                    request: request.id, principal: principal, person: person,
                    action: .start(JourneyID(SecureRandom.id()), name: name))))
    }

    private func change(
        _ header: JourneyHeader?, of person: PersonID, _ action: JourneyAction,
        _ request: Request, by principal: Principal
    ) throws {
        guard try !isRepeated(request, by: principal, status: 200) else { return }
        try handle(
            .journey(
                JourneyRequest(
                    request: request.id, principal: principal, person: person,
                    number: header?.span.number, action: action)))
    }

    /// The journey in its current state.
    func journeyResponse(to answer: JourneyAnswer) throws -> Response {
        func shown(_ number: Int64, status: Int) throws -> Response {
            guard let header = try journeys.header(number: number) else {
                return .problem(.notFound("there is no such journey"))
            }
            return .json(.object(IngestService.members(of: header, nil)), status: status)
        }
        switch answer {
        case .started(let number, let isNew):
            return try shown(number, status: isNew ? 201 : 200)
        case .changed(let number): return try shown(number, status: 200)
        case .removed: return Response(status: 204)
        case .stopped:
            return .problem(
                .conflict(
                    "the journey was stopped and cannot be changed",
                    hint: "Start another journey, or delete this one."))
        case .tooMany:
            return .problem(
                .conflict(
                    "this person already has \(Limits.journeysPerPersonMax) journeys",
                    hint: "Delete a journey that is no longer needed."))
        }
    }

    // MARK: - Reading

    /// What a viewer may see of a journey. Records each access by others.
    private func sightline(
        _ header: JourneyHeader?, of person: PersonID, for principal: Principal
    ) throws -> JourneySightline {
        let viewer = try viewer(of: person, for: principal)
        guard let header else { throw Problem.notFound("there is no such journey") }
        let windows = viewer.windows(
            of: header.span, try journeys.sights(of: header.span.number))
        guard !windows.isEmpty else { throw Problem.notFound("there is no such journey") }
        try recordAccess(by: principal, to: person, viewer)
        return JourneySightline(
            header: header, principal: principal, viewer: viewer, windows: windows)
    }

    private func viewer(of person: PersonID, for principal: Principal) throws -> JourneyViewer {
        let viewer: JourneyViewer?
        do {
            viewer = try JourneyViewer(
                of: person, for: principal, in: host.replica, at: host.now)
        } catch {
            throw Problem.denied(error.reason.explanation)
        }
        guard let viewer else { throw Problem.notFound("there is no such person") }
        return viewer
    }

    private func recordAccess(
        by principal: Principal, to person: PersonID, _ viewer: JourneyViewer
    ) throws {
        guard !viewer.isOwn else { return }
        let hour = host.now.seconds / 3600
        try writer.write(
            .saveAccess(AccessRow(person: person, viewer: principal.person, hour: hour)))
    }

    /// Newest first, in pages. A page may be short; another one follows while `next` is set.
    private func listJourneys(
        of person: PersonID, _ request: Request, _ principal: Principal
    ) throws -> Response {
        let cursor = try request.cursor() ?? .max
        let viewer = try viewer(of: person, for: principal)
        let limit = try request.pageLimit(max: Limits.pageMax) ?? 100
        let headers = try journeys.headers(
            of: person, before: Timestamp(microseconds: cursor), limit: limit)
        var items: [JSON] = []
        for header in headers {
            let windows = viewer.windows(
                of: header.span, try journeys.sights(of: header.span.number))
            guard !windows.isEmpty else { continue }
            items.append(.object(IngestService.members(of: header, windows)))
        }
        if !items.isEmpty { try recordAccess(by: principal, to: person, viewer) }
        let next = headers.count == limit ? headers.last?.span.started.microseconds : nil
        return .json([
            "items": .array(items), "next": next.map { .string(String($0)) } ?? .null,
        ])
    }

    /// - Parameter windows: the visible parts; nil = all
    private static func members(
        of header: JourneyHeader, _ windows: [JourneyWindow]?
    ) -> [JSON.Member] {
        let whole = JourneyWindow(from: header.span.started, to: header.span.stopped)
        let caption = JourneyCaption(header: header, windows: windows ?? [whole])
        return [
            .init("id", .string(header.id.description)),
            .init("person", .string(header.person.description)),
            .init("name", .string(header.name)),
            .init("state", header.span.isOpen ? "open" : "stopped"),
            .init("started", .string(caption.started.description)),
            .init("stopped", caption.stopped.map { .string($0.description) } ?? .null),
        ]
    }

    /// The head of the response; nil if the reader's copy is current and 304 was sent.
    private func head(
        _ sightline: JourneySightline, _ request: Request, _ mediaType: String
    ) -> Response? {
        let header = sightline.header
        var parts: [HashPart] = [
            .number(header.span.number), .number(header.revision), .text(mediaType),
        ]
        for window in sightline.windows {
            parts += [.number(window.from.microseconds), .number(window.to.microseconds)]
        }
        for item in request.query.items { parts += [.text(item.name), .text(item.value)] }
        let tag = "\"\(Hash.id(of: parts).text)\""
        var response = Response(
            status: 200,
            headers: ["ETag": tag, "Cache-Control": "private, no-cache", "Vary": "Accept"])
        let known = request.headers.all("If-None-Match").joined(separator: ",")
        let isKnown = known.split(separator: ",").contains { part in
            let part = part.drop { $0 == " " }
            return part == "*" || (part.hasPrefix("W/") ? part.dropFirst(2) : part) == tag
        }
        if isKnown {
            response.status = 304
            host.answer(request.id, response)
            return nil
        }
        response.headers["Content-Type"] = mediaType
        return response
    }

    private func readSummary(_ sightline: JourneySightline, _ request: Request) throws {
        guard let head = head(sightline, request, "application/json") else { return }
        let number = sightline.header.span.number
        func shown(_ pins: [JourneyPin]) -> JSON {
            .array(
                pins.filter { pin in sightline.windows.contains { $0.holds(pin.time) } }
                    .map(\.json))
        }
        let members =
            IngestService.members(of: sightline.header, sightline.windows)
            + [
                .init("notes", shown(try journeys.notes(of: number))),
                .init("photos", shown(try journeys.photos(of: number))),
            ]
        let tally = sightline.viewer.isOwn ? try journeys.tally(of: number) : JourneyTally()
        try readers.add(
            JourneySummaryReader(request.id, sightline, head: head, members, from: tally))
    }

    private func readPath(
        _ sightline: JourneySightline, _ request: Request, isTrack: Bool
    ) throws {
        let accept = request.headers["Accept"] ?? ""
        let isTrack = isTrack || accept.contains("gpx")
        let tolerance =
            try Quantity.read(
                "tolerance", of: request, within: 0...Limits.journeyToleranceMetresMax) ?? 0
        let from = try start(of: sightline, request)
        if request.query["since"] != nil, tolerance > 0 || isTrack {
            throw Problem.invalid(
                "a cursor works only with the whole path as GeoJSON", field: "since",
                hint: "omit `tolerance`, or omit `since`")
        }
        let mediaType = isTrack ? "application/gpx+xml" : "application/geo+json"
        guard let head = head(sightline, request, mediaType) else { return }
        var caption = JourneyCaption(header: sightline.header, windows: sightline.windows)
        caption.from = from?.index ?? 0
        let format: any JourneyFormat
        if isTrack {
            let pins = try journeys.pins(of: sightline.header.span.number).filter { pin in
                sightline.windows.contains { $0.holds(pin.time) }
            }
            format = JourneyGPX(caption, pins: pins)
        } else {
            format = JourneyGeoJSON(caption)
        }
        try readers.add(
            JourneyPathReader(
                request.id, sightline, head: head, format, toleranceMetres: tolerance, from: from))
    }

    /// Where a reader continues; nil = from the beginning.
    private func start(
        of sightline: JourneySightline, _ request: Request
    ) throws(Problem) -> (place: JourneyPlace, index: Int)? {
        guard let text = request.query["since"] else { return nil }
        guard let cursor = JourneyCursor(text) else {
            throw .invalid(
                "this is not a cursor", field: "since", hint: "send `next` of the previous response"
            )
        }
        let header = sightline.header
        let isGood =
            cursor.journey == header.span.number && cursor.lates == header.lates
            && cursor.sights == JourneyCursor.digest(of: sightline.windows)
        return isGood ? (cursor.place, cursor.index) : nil
    }

    private func replay(_ sightline: JourneySightline, _ request: Request) throws {
        let speed = try Quantity.read("speed", of: request, within: Limits.replaySpeeds) ?? 60
        var known = 0
        if let text = request.headers["Last-Event-ID"], !text.isEmpty {
            guard let number = OutsideNumber.integer(text, in: 0...OutsideNumber.most) else {
                throw Problem.invalid(
                    "this is not an event id", field: "Last-Event-ID",
                    hint: "send the number of a point")
            }
            known = number
        }
        try readers.add(JourneyReplay(request.id, sightline, speed: speed, known: known))
    }
}

/// Reads numbers from a query.
enum Quantity {
    static func read(
        _ name: String, of request: Request, within range: ClosedRange<Double>
    ) throws(Problem) -> Double? {
        guard let text = request.query[name] else { return nil }
        guard let number = Double(text), range.contains(number) else {
            throw .invalid(
                "this is not a number in the allowed range", field: name,
                hint: "a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
