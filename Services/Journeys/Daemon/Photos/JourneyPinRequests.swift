import Directory
import Hashing
import Hosting
import JourneysCore
import Model
import Parsing
import Runtime
import Web

/// Answers requests about notes and photos of a journey.
struct JourneyPinRequests {
    let journeys: JourneyService
    let owner: any JourneysOwner
    private var host: any JourneysHost { journeys.host }
    private var store: JourneyStore { journeys.store }

    init(_ journeys: JourneyService, owner: any JourneysOwner) {
        self.journeys = journeys
        self.owner = owner
    }

    func addNote(
        to header: JourneyHeader?, of person: PersonID, _ request: Request,
        by principal: Principal
    ) throws {
        let header = try own(header, of: person, principal)
        let body = try request.json()
        guard let text = body["text"]?.string, !text.isEmpty,
            text.count <= JourneyLimits.noteCharacters
        else {
            throw Problem.invalid(
                "a note must be a text", field: "text",
                hint: "1 to \(JourneyLimits.noteCharacters) characters")
        }
        let given = try PinPlace(body)
        guard try !owner.isRepeated(request, by: principal) else { return }
        guard try store.notes(of: header.span.number).count < JourneyLimits.notesMax else {
            throw Problem.conflict(
                "a journey can have at most \(JourneyLimits.notesMax) notes",
                hint: "start another journey")
        }
        let id = JourneyNoteID(SecureRandom.id())
        let time = try given.time(in: header, at: host.now)
        try add(
            JourneyPin(
                id: id.description, time: time,
                position: try given.position
                    ?? store.position(in: header.span.number, at: time),
                kind: .note(text)), id: id.raw, to: header, request)
    }

    func addPhoto(
        to header: JourneyHeader?, of person: PersonID, _ request: Request,
        by principal: Principal
    ) throws {
        let header = try own(header, of: person, principal)
        guard host.diskPressure < .tight else { throw Problem.diskNearlyFull("photos") }
        let given = try PinPlace(request.query)
        let file: PhotoFile
        do {
            file = try PhotoFile(request.body)
        } catch {
            throw Problem(
                status: error == .kind ? 415 : 400, title: "No photo", detail: error.rawValue,
                hint: "send a JPEG or PNG file as the body")
        }
        guard try !owner.isRepeated(request, by: principal) else { return }
        guard try store.photos(of: header.span.number).count < JourneyLimits.photosMax else {
            throw Problem.conflict(
                "a journey can have at most \(JourneyLimits.photosMax) photos",
                hint: "start another journey")
        }
        guard
            try store.photoBytes(of: person) + file.bytes.count <= JourneyLimits.photoBytesOfPerson
        else {
            throw Problem.conflict(
                "the photos of a person can have at most "
                    + "\(JourneyLimits.photoBytesOfPerson >> 20) MiB",
                hint: "Delete journeys with photos that are no longer needed.")
        }
        // Without a time in the request the camera's time is used if it is plausible.
        var place = given
        if place.time == nil, let taken = file.time, header.holds(taken) { place.time = taken }
        let time = try place.time(in: header, at: host.now)
        let digest = Hash.blake2b128(file.bytes)
        try journeys.photos.write(file.bytes, digest: digest)
        let id = JourneyPhotoID(SecureRandom.id())
        let photo = JourneyPhoto(
            digest: digest, kind: file.kind, size: file.bytes.count, width: file.width,
            height: file.height, orientation: file.orientation)
        try add(
            JourneyPin(
                id: id.description, time: time,
                position: try given.position ?? file.position.flatMap { $0.isZero ? nil : $0 }
                    ?? store.position(in: header.span.number, at: time),
                kind: .photo(photo)), id: id.raw, to: header, request)
    }

    /// Returns the journey if the principal is its person.
    private func own(
        _ header: JourneyHeader?, of person: PersonID, _ principal: Principal
    ) throws -> JourneyHeader {
        let decision = host.replica.decide(
            principal, .keepJourneys, on: .person(person), at: host.now)
        if let denial = decision.denial { throw Problem.denied(denial.explanation) }
        guard let header else { throw Problem.notFound("there is no such journey") }
        return header
    }

    private func add(
        _ pin: JourneyPin, id: ID128, to header: JourneyHeader, _ request: Request
    ) throws {
        try store.add(pin, id: id, to: header.span.number)
        try owner.respond(to: request.id, .json(pin.json, status: 201))
    }

    /// A photo, without metadata about its owner.
    func photo(
        _ id: JourneyPhotoID, _ sightline: JourneySightline
    ) throws -> Response {
        let pins = try store.photos(of: sightline.header.span.number)
        guard let pin = pins.first(where: { $0.id == id.description }),
            sightline.windows.contains(where: { $0.holds(pin.time) }),
            case .photo(let photo) = pin.kind
        else { throw Problem.notFound("there is no such photo") }
        guard let bytes = journeys.photos.read(photo.digest) else {
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

/// Time and position in a request to add a note or a photo.
private struct PinPlace {
    var time: Timestamp?
    private(set) var position: Coordinate?

    init(_ body: JSON) throws(Problem) {
        if let member = body["time"], !member.isNull {
            try parse(time: member.string ?? "")
        }
        let latitude = body["lat"].flatMap { $0.isNull ? nil : $0 }
        let longitude = body["lon"].flatMap { $0.isNull ? nil : $0 }
        guard latitude != nil || longitude != nil else { return }
        try parse(latitude?.double, longitude?.double)
    }

    init(_ query: Query) throws(Problem) {
        if let text = query["time"] { try parse(time: text) }
        guard query["lat"] != nil || query["lon"] != nil else { return }
        try parse(query["lat"].flatMap(Double.init), query["lon"].flatMap(Double.init))
    }

    private mutating func parse(time text: String) throws(Problem) {
        time = Timestamp(text)
        if time == nil {
            throw .invalid(
                "this is not a time", field: "time", hint: "such as 2026-11-20T10:20:00.000Z")
        }
    }

    private mutating func parse(_ latitude: Double?, _ longitude: Double?) throws(Problem) {
        guard let latitude, let longitude else {
            throw .invalid(
                "a position needs `lat` and `lon`", field: latitude == nil ? "lat" : "lon",
                hint: "send degrees as numbers, or omit both")
        }
        position = Coordinate(latitude: latitude, longitude: longitude)
        if position == nil {
            throw .invalid(
                "the position is out of range", field: abs(latitude) <= 90 ? "lon" : "lat",
                hint: "-90 to 90 degrees north, -180 to 180 east")
        }
        guard position?.isZero != true else {
            throw .invalid(
                "0, 0 is not a position", field: "lat",
                hint: "omit `lat` and `lon` if the position is unknown")
        }
    }

    /// The time of the request, otherwise now or the end of a stopped journey.
    func time(in header: JourneyHeader, at now: Timestamp) throws(Problem) -> Timestamp {
        guard let time else { return min(max(now, header.span.started), header.span.stopped) }
        guard header.holds(time) else {
            throw .invalid(
                "the time is outside of this journey", field: "time",
                hint: "send a time between its start and its end")
        }
        return time
    }
}

extension JourneyHeader {
    /// Whether a time is within the journey.
    fileprivate func holds(_ time: Timestamp) -> Bool {
        span.started <= time && time <= span.stopped
    }
}
