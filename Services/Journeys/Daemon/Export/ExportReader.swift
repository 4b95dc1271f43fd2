import Archives
import Directory
import JourneysCore
import Model
import Parsing
import Web

/// Exports data of a person as a ZIP archive, one portion per turn: files of the service, then all
/// journeys with photos.
final class ExportReader: JourneyReader {
    let request: UInt64
    let head: Response
    private let person: PersonID
    private let principal: Principal
    private let photos: PhotoFolder
    /// The remaining files; the last element is next.
    private var files: [ExportFile]
    /// The remaining photos of the current journey; the last element is next.
    private var pinned: [(id: String, photo: JourneyPhoto)] = []
    /// The remaining journeys; the last element is next.
    private var journeys: [JourneyHeader]
    /// The file that is being written.
    private var open: ExportFile?
    private var zip = ZipWriter()

    init(
        _ request: UInt64, of person: PersonID, for principal: Principal, files: [ExportFile],
        store: JourneyStore, photos: PhotoFolder
    ) throws {
        self.request = request
        self.person = person
        self.principal = principal
        self.photos = photos
        self.files = files.reversed()
        head = Response(
            status: 200,
            headers: [
                "Content-Type": "application/zip",
                "Content-Disposition": #"attachment; filename="\#(person).zip""#,
                "Cache-Control": "no-store",
            ])
        journeys = try store.headers(
            of: person, before: .distantFuture, limit: JourneyLimits.perPersonMax
        ).reversed()
    }

    var due: Timestamp? { nil }

    func isAllowed(_ store: JourneyStore, in directory: Replica, at now: Timestamp) -> Bool {
        directory.person(person) != nil
            && directory.decide(principal, .exportData, on: .person(person), at: now).isAllowed
    }

    func advance(_ store: JourneyStore, at now: Timestamp) throws -> JourneyPortion {
        var bytes: [UInt8] = []
        if open == nil {
            if files.isEmpty {
                if let (id, photo) = pinned.popLast() { return .piece(write(photo, id, now)) }
                if let header = journeys.popLast() { try begin(header, store) }
            }
            guard let file = files.popLast() else { return .last(zip.finish()) }
            open = file
            bytes = zip.begin(file.name, at: now, isCompressed: file.isCompressed)
        }
        guard let portion = try open?.next() else { return .piece(bytes) }
        bytes += zip.append(portion.bytes)
        if portion.isLast {
            bytes += zip.end()
            open = nil
        }
        return .piece(bytes)
    }

    private func begin(_ header: JourneyHeader, _ store: JourneyStore) throws {
        let pins = try store.pins(of: header.span.number)
        for pin in pins.reversed() {
            if case .photo(let photo) = pin.kind { pinned.append((pin.id, photo)) }
        }
        let json: JSON = [
            "id": .string(header.id.description), "name": .string(header.name),
            "started": .string(header.span.started.description),
            "stopped": header.span.isOpen ? .null : .string(header.span.stopped.description),
            "pins": .array(pins.map(\.json)),
        ]
        let fixes = ExportFile.features("journeys/\(header.id).geojson") {
            (last: JourneyPlace?) in
            var values: [JSON] = []
            var end: JourneyPlace?
            try store.fixes(
                of: header.span.number, after: last ?? .beginning,
                limit: JourneyLimits.fixesPerPortion
            ) { point in
                values.append(.feature(at: point.position, .object(point.fix.properties)))
                end = JourneyPlace(time: point.time, number: point.number)
            }
            return (values, values.count == JourneyLimits.fixesPerPortion ? end : nil)
        }
        files = [fixes, ExportFile("journeys/\(header.id).json", json.serialized())]
    }

    /// Omits a photo whose file is missing or that does not fit into the archive; the journey still
    /// lists it.
    private func write(_ photo: JourneyPhoto, _ id: String, _ now: Timestamp) -> [UInt8] {
        guard zip.hasRoom(for: photo.size), let content = photos.read(photo.digest) else {
            return []
        }
        let ending = photo.kind == .png ? "png" : "jpg"
        return zip.add("photos/\(id).\(ending)", content, at: now, isCompressed: true)
    }
}

extension JourneyPoint {
    fileprivate var fix: Fix {
        Fix(
            time: time, position: position, accuracyCentimetres: accuracyCentimetres,
            altitudeCentimetres: altitudeCentimetres,
            speedCentimetresPerSecond: speedCentimetresPerSecond)
    }
}

extension Fix {
    /// Properties of a GeoJSON feature, in metres, metres per second and degrees.
    package var properties: [JSON.Member] {
        var members: [JSON.Member] = [.init("time", .string(time.description))]
        if accuracyCentimetres > 0 {
            members.append(.init("accuracy", .number(Double(accuracyCentimetres) / 100)))
        }
        if let altitudeCentimetres {
            members.append(.init("altitude", .number(Double(altitudeCentimetres) / 100)))
        }
        if let speedCentimetresPerSecond {
            members.append(.init("speed", .number(Double(speedCentimetresPerSecond) / 100)))
        }
        if let courseDegrees {
            members.append(.init("course", .integer(Int64(courseDegrees))))
        }
        return members
    }
}

extension JSON {
    /// A point of GeoJSON.
    package static func feature(at position: Coordinate, _ properties: JSON) -> JSON {
        [
            "type": "Feature", "properties": properties,
            "geometry": [
                "type": "Point",
                "coordinates": .array([.number(position.longitude), .number(position.latitude)]),
            ],
        ]
    }
}
