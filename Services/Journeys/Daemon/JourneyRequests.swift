import API
import Directory
import Hashing
import JourneysCore
import Model
import Parsing
import Runtime
import Web

/// Answers requests about journeys.
package struct JourneyRequests {
    let journeys: JourneyService
    let owner: any JourneysOwner
    private var host: any JourneysHost { journeys.host }
    private var store: JourneyStore { journeys.store }

    package init(_ journeys: JourneyService, owner: any JourneysOwner) {
        self.journeys = journeys
        self.owner = owner
    }

    /// - Parameter parameters: `person`, except for ``JourneyOperation/list`` and
    ///   ``JourneyOperation/start`` also `journey`, and for ``JourneyOperation/photo`` also `photo`
    /// - Throws: a problem that is the response; `StoreError`
    package func handle(
        _ request: Request, _ operation: JourneyOperation, _ parameters: Parameters,
        by principal: Principal
    ) throws {
        let person = try parameters.id("person", PersonID.self)
        func header() throws -> JourneyHeader? {
            let id = try parameters.id("journey", JourneyID.self)
            return try store.header(id).flatMap { $0.person == person ? $0 : nil }
        }
        func visible() throws -> JourneySightline {
            try sightline(try header(), of: person, request, for: principal)
        }
        var pins: JourneyPinRequests { JourneyPinRequests(journeys, owner: owner) }
        switch operation {
        case .list: host.answer(request.id, try list(of: person, request, principal))
        case .start: try start(of: person, request, by: principal)
        case .stop: try change(try header(), of: person, .stop, request, by: principal)
        case .reset: try change(try header(), of: person, .reset, request, by: principal)
        case .remove: try change(try header(), of: person, .remove, request, by: principal)
        case .addNote: try pins.addNote(to: try header(), of: person, request, by: principal)
        case .addPhoto: try pins.addPhoto(to: try header(), of: person, request, by: principal)
        case .photo:
            let journey = try header()
            let photo = try parameters.id("photo", JourneyPhotoID.self)
            let sightline = try sightline(journey, of: person, request, for: principal)
            host.answer(request.id, try pins.photo(photo, sightline))
        case .read: try readSummary(try visible(), request)
        case .replay: try replay(try visible(), request)
        case .track: try readPath(try visible(), request, isTrack: true)
        case .points: try readPath(try visible(), request, isTrack: false)
        }
    }

    // MARK: - Changes

    private func start(
        of person: PersonID, _ request: Request, by principal: Principal
    ) throws {
        var name = ""
        if let member = try request.object()?["name"], !member.isNull {
            guard let text = member.string, text.count <= JourneyLimits.nameCharacters else {
                throw Problem.invalid(
                    "this is not a name", field: "name",
                    hint: "send a text of at most \(JourneyLimits.nameCharacters) characters")
            }
            if let hidden = PlainText.firstHidden(in: text) {
                throw Problem.invalid(
                    "this name has a hidden character", field: "name",
                    hint: "leave out \(PlainText.name(of: hidden))")
            }
            name = text
        }
        guard try !owner.isRepeated(request, by: principal) else { return }
        try owner.handleJourneys(
            .request(
                JourneyRequest(
                    request: request.id, principal: principal, person: person,
                    action: .start(JourneyID(SecureRandom.id()), name: name))))
    }

    private func change(
        _ header: JourneyHeader?, of person: PersonID, _ action: JourneyAction,
        _ request: Request, by principal: Principal
    ) throws {
        guard try !owner.isRepeated(request, by: principal) else { return }
        try owner.handleJourneys(
            .request(
                JourneyRequest(
                    request: request.id, principal: principal, person: person,
                    number: header?.span.number, action: action)))
    }

    // MARK: - Reading

    /// What a viewer may see of a journey. Records each access by others.
    private func sightline(
        _ header: JourneyHeader?, of person: PersonID, _ request: Request,
        for principal: Principal
    ) throws -> JourneySightline {
        let reason = try request.accessReason(
            isRequired: principal.needsReason(toRead: person, in: host.replica))
        let viewer = try viewer(of: person, for: principal)
        guard let header else { throw Problem.notFound("there is no such journey") }
        let windows = viewer.windows(
            of: header.span, try store.sights(of: header.span.number))
        guard !windows.isEmpty else { throw Problem.notFound("there is no such journey") }
        if !viewer.isOwn {
            try owner.recordAccess(by: principal, to: person, as: .journeys, reason: reason)
        }
        return JourneySightline(
            header: header, principal: principal, viewer: viewer, windows: windows)
    }

    private func viewer(of person: PersonID, for principal: Principal) throws -> JourneyViewer {
        let viewer: JourneyViewer?
        do {
            viewer = try JourneyViewer(
                of: person, for: principal, in: host.replica, at: host.now)
        } catch {
            throw Problem.denied(error.explanation)
        }
        guard let viewer else { throw Problem.notFound("there is no such person") }
        return viewer
    }

    /// Newest first, in pages. A page may be short; another one follows while `next` is set.
    private func list(
        of person: PersonID, _ request: Request, _ principal: Principal
    ) throws -> Response {
        let cursor = try request.cursor() ?? .max
        let reason = try request.accessReason(
            isRequired: principal.needsReason(toRead: person, in: host.replica))
        let viewer = try viewer(of: person, for: principal)
        let limit = try request.pageLimit(max: JourneyLimits.pageMax) ?? 100
        let headers = try store.headers(
            of: person, before: Timestamp(microseconds: cursor), limit: limit)
        var items: [JSON] = []
        for header in headers {
            let windows = viewer.windows(
                of: header.span, try store.sights(of: header.span.number))
            guard !windows.isEmpty else { continue }
            items.append(.object(JourneyCaption(header: header, windows: windows).members))
        }
        if !items.isEmpty, !viewer.isOwn {
            try owner.recordAccess(by: principal, to: person, as: .journeys, reason: reason)
        }
        let next = headers.count == limit ? headers.last?.span.started.microseconds : nil
        return .json([
            "items": .array(items), "next": next.map { .string(String($0)) } ?? .null,
        ])
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
            JourneyCaption(header: sightline.header, windows: sightline.windows).members
            + [
                .init("notes", shown(try store.notes(of: number))),
                .init("photos", shown(try store.photos(of: number))),
            ]
        let tally = sightline.viewer.isOwn ? try store.tally(of: number) : JourneyTally()
        try journeys.readers.add(
            JourneySummaryReader(request.id, sightline, head: head, members, from: tally))
    }

    private func readPath(
        _ sightline: JourneySightline, _ request: Request, isTrack: Bool
    ) throws {
        let accept = request.headers["Accept"] ?? ""
        let isTrack = isTrack || accept.contains("gpx")
        let tolerance =
            try Quantity.read(
                "tolerance", of: request, within: 0...JourneyLimits.toleranceMetresMax) ?? 0
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
            let pins = try store.pins(of: sightline.header.span.number).filter { pin in
                sightline.windows.contains { $0.holds(pin.time) }
            }
            format = JourneyGPX(caption, pins: pins)
        } else {
            format = JourneyGeoJSON(caption)
        }
        try journeys.readers.add(
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
        let speed =
            try Quantity.read("speed", of: request, within: JourneyLimits.replaySpeeds) ?? 60
        var known = 0
        if let text = request.headers["Last-Event-ID"], !text.isEmpty {
            guard let number = UntrustedNumber.integer(text, in: 0...UntrustedNumber.most) else {
                throw Problem.invalid(
                    "this is not an event id", field: "Last-Event-ID",
                    hint: "send the number of a point")
            }
            known = number
        }
        try journeys.readers.add(JourneyReplay(request.id, sightline, speed: speed, known: known))
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
