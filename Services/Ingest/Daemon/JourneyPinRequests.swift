import Directory
import Hashing
import IngestCore
import Model
import Parsing
import Runtime
import Web

// Notes and photos that are pinned to a journey.
extension IngestService {
    func addNote(
        to header: JourneyHeader?, of person: PersonID, _ request: Request,
        by principal: Principal
    ) throws {
        let header = try own(header, of: person, principal)
        let body = try request.json()
        guard let text = body["text"]?.string, !text.isEmpty,
            text.count <= Limits.journeyNoteCharacters
        else {
            throw Problem.invalid(
                "a note is a text", field: "text",
                hint: "1 to \(Limits.journeyNoteCharacters) characters")
        }
        let given = try PinPlace(body)
        guard try !isRepeated(request, by: principal, status: 201) else { return }
        guard try journeys.notes(of: header.span.number).count < Limits.journeyNotesMax else {
            throw Problem.conflict(
                "a journey has \(Limits.journeyNotesMax) notes at most",
                hint: "start another journey")
        }
        let id = JourneyNoteID(SecureRandom.id())
        let time = try given.time(in: header, at: outside.now)
        try add(
            JourneyPin(
                id: id.description, time: time,
                position: try given.position
                    ?? journeys.position(in: header.span.number, at: time),
                kind: .note(text)), id: id.raw, to: header, request)
    }

    func addPhoto(
        to header: JourneyHeader?, of person: PersonID, _ request: Request,
        by principal: Principal
    ) throws {
        let header = try own(header, of: person, principal)
        guard outside.diskPressure < .tight else { throw Problem.diskNearlyFull("photos") }
        let given = try PinPlace(request.query)
        let file: PhotoFile
        do {
            file = try PhotoFile(request.body)
        } catch {
            throw Problem(
                status: error == .kind ? 415 : 400, title: "No photo", detail: error.rawValue,
                hint: "send a JPEG or PNG file as the body")
        }
        guard try !isRepeated(request, by: principal, status: 201) else { return }
        guard try journeys.photos(of: header.span.number).count < Limits.journeyPhotosMax else {
            throw Problem.conflict(
                "a journey has \(Limits.journeyPhotosMax) photos at most",
                hint: "start another journey")
        }
        guard try journeys.photoBytes(of: person) + file.bytes.count <= Limits.photoBytesOfPerson
        else {
            throw Problem.conflict(
                "the photos of a person take \(Limits.photoBytesOfPerson >> 20) MiB at most",
                hint: "delete journeys with photos that are not needed any more")
        }
        // What the camera says counts where the call says nothing, if it can be true.
        var place = given
        if place.time == nil, let taken = file.time, header.holds(taken) { place.time = taken }
        let time = try place.time(in: header, at: outside.now)
        let digest = Hash.blake2b128(file.bytes)
        try photos.write(file.bytes, digest: digest)
        let id = JourneyPhotoID(SecureRandom.id())
        let photo = JourneyPhoto(
            digest: digest, kind: file.kind, size: file.bytes.count, width: file.width,
            height: file.height, orientation: file.orientation)
        try add(
            JourneyPin(
                id: id.description, time: time,
                position: try given.position ?? file.position.flatMap { $0.isZero ? nil : $0 }
                    ?? journeys.position(in: header.span.number, at: time),
                kind: .photo(photo)), id: id.raw, to: header, request)
    }

    /// The journey, for the one whose it is.
    private func own(
        _ header: JourneyHeader?, of person: PersonID, _ principal: Principal
    ) throws -> JourneyHeader {
        let decision = outside.replica.decide(
            principal, .keepJourneys, on: .person(person), at: outside.now)
        if let denial = decision.denial { throw Problem.denied(denial.explanation) }
        guard let header else { throw Problem.notFound("there is no such journey") }
        return header
    }

    private func add(
        _ pin: JourneyPin, id: ID128, to header: JourneyHeader, _ request: Request
    ) throws {
        try journeys.add(pin, id: id, to: header.span.number)
        let response = Response.json(pin.json, status: 201)
        if let key = pending.removeValue(forKey: request.id)?.key {
            try firstAnswers.keep(response, to: key, at: outside.now)
        }
        outside.answer(request.id, response)
    }

    /// A picture, without what it said about its owner.
    func photo(
        _ id: JourneyPhotoID, _ sightline: JourneySightline, _ request: Request
    ) throws -> Response {
        let pins = try journeys.photos(of: sightline.header.span.number)
        guard let pin = pins.first(where: { $0.id == id.description }),
            sightline.windows.contains(where: { $0.holds(pin.time) }),
            case .photo(let photo) = pin.kind
        else { throw Problem.notFound("there is no such photo") }
        guard let bytes = photos.read(photo.digest) else {
            throw Problem.notFound(
                "the file of this photo is missing", hint: "tell the operator")
        }
        return Response(
            status: 200,
            headers: [
                "Content-Type": photo.kind.mediaType, "X-Content-Type-Options": "nosniff",
                "ETag": "\"\(photo.digest.text)\"", "Cache-Control": "private, no-cache",
            ], body: bytes)
    }
}

/// The time and place that a call gives for a note or a photo.
private struct PinPlace {
    var time: Timestamp?
    private(set) var position: Coordinate?

    init(_ body: JSON) throws(Problem) {
        if let member = body["time"], !member.isNull {
            try take(time: member.string ?? "")
        }
        let latitude = body["lat"].flatMap { $0.isNull ? nil : $0 }
        let longitude = body["lon"].flatMap { $0.isNull ? nil : $0 }
        guard latitude != nil || longitude != nil else { return }
        try take(latitude?.double, longitude?.double)
    }

    init(_ query: Query) throws(Problem) {
        if let text = query["time"] { try take(time: text) }
        guard query["lat"] != nil || query["lon"] != nil else { return }
        try take(query["lat"].flatMap(Double.init), query["lon"].flatMap(Double.init))
    }

    private mutating func take(time text: String) throws(Problem) {
        time = Timestamp(text)
        if time == nil {
            throw .invalid(
                "this is no time", field: "time", hint: "such as 2026-11-20T10:20:00.000Z")
        }
    }

    private mutating func take(_ latitude: Double?, _ longitude: Double?) throws(Problem) {
        guard let latitude, let longitude else {
            throw .invalid(
                "a place is `lat` and `lon`", field: latitude == nil ? "lat" : "lon",
                hint: "degrees as numbers, or neither")
        }
        position = Coordinate(latitude: latitude, longitude: longitude)
        if position == nil {
            throw .invalid(
                "there is no such place", field: abs(latitude) <= 90 ? "lon" : "lat",
                hint: "-90 to 90 degrees north, -180 to 180 east")
        }
        guard position?.isZero != true else {
            throw .invalid(
                "0, 0 is no position", field: "lat",
                hint: "leave out `lat` and `lon` where the place is not known")
        }
    }

    /// The time given; else now, or the end of a journey that was stopped.
    func time(in header: JourneyHeader, at now: Timestamp) throws(Problem) -> Timestamp {
        guard let time else { return min(max(now, header.span.started), header.span.stopped) }
        guard header.holds(time) else {
            throw .invalid(
                "at that time this journey was not under way", field: "time",
                hint: "a time between its start and its end")
        }
        return time
    }
}

extension JourneyHeader {
    /// Whether a time lies within it.
    fileprivate func holds(_ time: Timestamp) -> Bool {
        span.started <= time && time <= span.stopped
    }
}
