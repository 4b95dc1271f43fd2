import JourneysCore
import Model
import Parsing
import Store

/// A note or a photo of a journey with its time and, if known, its position.
struct JourneyPin {
    enum Kind {
        case note(String)
        case photo(JourneyPhoto)
    }

    /// The id as text.
    var id: String
    var time: Timestamp
    var position: Coordinate?
    var kind: Kind

    var json: JSON {
        var members: [JSON.Member] = [
            .init("id", .string(id)), .init("time", .string(time.description)),
        ]
        if let position {
            members.append(.init("lat", .number(position.latitude)))
            members.append(.init("lon", .number(position.longitude)))
        }
        switch kind {
        case .note(let text): members.append(.init("text", .string(text)))
        case .photo(let photo):
            members += [
                .init("mediaType", .string(photo.kind.mediaType)),
                .init("size", .integer(Int64(photo.size))),
                .init("width", .integer(Int64(photo.width))),
                .init("height", .integer(Int64(photo.height))),
                .init("orientation", .integer(Int64(photo.orientation))),
            ]
        }
        return .object(members)
    }
}

/// The stored properties of a photo; its bytes are a file.
struct JourneyPhoto {
    /// BLAKE2b-128 of the bytes.
    var digest: ID128
    var kind: PhotoKind
    var size: Int
    var width: Int
    var height: Int
    /// As in EXIF: 1 = upright, 3 = upside down, 6 and 8 = rotated by 90° …
    var orientation: Int
}

// Notes and photos.
extension JourneyStore {
    /// All notes and photos of a journey.
    func pins(of number: Int64) throws -> [JourneyPin] {
        try notes(of: number) + photos(of: number)
    }

    func notes(of number: Int64) throws -> [JourneyPin] {
        try database.all(
            """
            SELECT id, time, latitude, longitude, text FROM journey_note WHERE journey = ?
            ORDER BY time, id
            """, .integer(number)
        ) { row in
            let id: JourneyNoteID = row.id(0)
            return JourneyPin(
                id: id.description, time: row.time(1), position: Coordinate(row, from: 2),
                kind: .note(row.text(4)))
        }
    }

    /// Bytes of all photos of a person.
    func photoBytes(of person: PersonID) throws -> Int {
        let sum = try database.scalar(
            """
            SELECT sum(size) FROM journey_photo JOIN journey ON journey.number = journey
            WHERE person = ?
            """, .id(person))
        guard case .integer(let bytes) = sum else { return 0 }
        return Int(bytes)
    }

    func photos(of number: Int64) throws -> [JourneyPin] {
        try database.all(
            """
            SELECT id, time, latitude, longitude, digest, kind, size, width, height, orientation
            FROM journey_photo WHERE journey = ? ORDER BY time, id
            """, .integer(number)
        ) { row in
            let id: JourneyPhotoID = row.id(0)
            return JourneyPin(
                id: id.description, time: row.time(1), position: Coordinate(row, from: 2),
                kind: .photo(
                    JourneyPhoto(
                        digest: row.id(4), kind: PhotoKind(rawValue: row.int(5)) ?? .jpeg,
                        size: row.int(6), width: row.int(7), height: row.int(8),
                        orientation: row.int(9))))
        }
    }

    func add(_ pin: JourneyPin, id: ID128, to number: Int64) throws {
        let place = [pin.position?.latitudeE7, pin.position?.longitudeE7]
        switch pin.kind {
        case .note(let text):
            try database.run(
                """
                INSERT INTO journey_note (id, journey, time, latitude, longitude, text)
                VALUES (?, ?, ?, ?, ?, ?)
                """, .id(id), .integer(number), .time(pin.time), .integer(place[0]),
                .integer(place[1]), .text(text))
        case .photo(let photo):
            try database.run(
                """
                INSERT INTO journey_photo (id, journey, time, latitude, longitude, digest, kind,
                    size, width, height, orientation)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """, .id(id), .integer(number), .time(pin.time), .integer(place[0]),
                .integer(place[1]), .id(photo.digest), .integer(photo.kind.rawValue),
                .integer(photo.size), .integer(photo.width), .integer(photo.height),
                .integer(photo.orientation))
        }
        try database.run(
            "UPDATE journey SET revision = revision + 1 WHERE number = ?", .integer(number))
    }

    /// Digests of the photos whose rows are removed by a change.
    func photosRemoved(with change: JourneyChange) throws -> [ID128] {
        switch change {
        case .remove(let number), .reset(let number, _):
            try database.all(
                "SELECT digest FROM journey_photo WHERE journey = ?", .integer(number)
            ) { $0.id(0) }
        case .removeAll(let person):
            try database.all(
                """
                SELECT digest FROM journey_photo JOIN journey ON journey.number = journey
                WHERE person = ?
                """, .id(person)
            ) { $0.id(0) }
        case .start, .stop, .fix, .complete, .moved, .sights: []
        }
    }

    /// Whether any row refers to this file.
    func isNamed(_ digest: ID128) throws -> Bool {
        try database.scalar("SELECT 1 FROM journey_photo WHERE digest = ? LIMIT 1", .id(digest))
            != nil
    }
}
