import Archives
import Directory
import IngestCore
import Model
import Parsing
import Store
import Web

/// Exports all data of a person in ingest and the directory as a ZIP archive of JSON and GeoJSON,
/// one portion per turn.
final class ExportReader: JourneyReader {
    let request: UInt64
    let head: Response
    private let person: PersonID
    private let principal: Principal
    private let photos: PhotoFolder
    /// The remaining work; the last element is next.
    private var work: [Work]
    private var zip = ZipWriter()

    /// A portion of the archive.
    private enum Work {
        /// A complete file.
        case document(String, [UInt8])
        /// A page of rows; the file is open after the first page.
        case rows(ExportList, after: Int64, isOpen: Bool)
        case reports(DeviceID, Int64, after: StoredReport.Place?)
        case journey(JourneyHeader)
        case fixes(JourneyHeader, after: JourneyPlace?)
        case photo(JourneyHeader, JourneyPhoto, id: String)
    }

    init(
        _ request: UInt64, of person: PersonID, for principal: Principal, in directory: Replica,
        store: JourneyStore, photos: PhotoFolder
    ) throws {
        self.request = request
        self.person = person
        self.principal = principal
        self.photos = photos
        head = Response(
            status: 200,
            headers: [
                "Content-Type": "application/zip",
                "Content-Disposition": #"attachment; filename="\#(person).zip""#,
                "Cache-Control": "no-store",
            ])
        let kept = try ExportDocuments.kept(of: person, in: store.database)
        work = (ExportDocuments.all(of: person, in: directory) + kept.documents)
            .map { .document($0, $1.serialized()) }
        if let avatar = kept.avatar { work.append(.document(avatar.name, avatar.bytes)) }
        work += ExportList.allCases.map { .rows($0, after: .min, isOpen: false) }
        let devices = try store.database.all(
            "SELECT device, number FROM device WHERE person = ? ORDER BY number", .id(person)
        ) { row in (id: row.id(0) as DeviceID, number: row.int64(1)) }
        work += devices.map { .reports($0.id, $0.number, after: nil) }
        work += try store.headers(
            of: person, before: .distantFuture, limit: Limits.journeysPerPersonMax
        ).map { .journey($0) }
        work.reverse()
    }

    var due: Timestamp? { nil }

    func isAllowed(_ store: JourneyStore, in directory: Replica, at now: Timestamp) -> Bool {
        directory.person(person) != nil
            && directory.decide(principal, .exportData, on: .person(person), at: now).isAllowed
    }

    func advance(_ store: JourneyStore, at now: Timestamp) throws -> JourneyPortion {
        guard let next = work.popLast() else { return .last(zip.finish()) }
        switch next {
        case .document(let name, let bytes): return .piece(zip.add(name, bytes, at: now))
        case .rows(let list, let last, let isOpen):
            return .piece(try write(list, after: last, isOpen: isOpen, store.database, now))
        case .reports(let device, let number, let last):
            return .piece(try writeReports(of: device, number, after: last, store, now))
        case .journey(let header):
            return .piece(try begin(header, store, now))
        case .fixes(let header, let last):
            return .piece(try writeFixes(of: header, after: last, store, now))
        case .photo(_, let photo, let id): return .piece(write(photo, id, now))
        }
    }

    // MARK: Lists

    private func write(
        _ list: ExportList, after last: Int64, isOpen: Bool, _ database: Database, _ now: Timestamp
    ) throws -> [UInt8] {
        let page = try list.page(of: person, after: last, in: database)
        var bytes = isOpen ? [] : zip.begin(list.file, at: now)
        var text = isOpen ? "" : "["
        for (index, row) in page.enumerated() {
            text += (isOpen || index > 0 ? ",\n" : "\n") + row.json.text
        }
        if let last = page.last, page.count == ExportList.pageRows {
            work.append(.rows(list, after: last.number, isOpen: true))
            return bytes + zip.append(Array(text.utf8))
        }
        bytes += zip.append(Array((text + "\n]\n").utf8)) + zip.end()
        return bytes
    }

    // MARK: Reports

    private func writeReports(
        of device: DeviceID, _ number: Int64, after last: StoredReport.Place?,
        _ store: JourneyStore, _ now: Timestamp
    ) throws -> [UInt8] {
        var bytes = last == nil ? zip.begin("reports/\(device).geojson", at: now) : []
        var text = last == nil ? ExportReader.collectionStart : ""
        let reports = try ReportTable(database: store.database).reports(
            of: number, after: last ?? StoredReport.Place(time: .zero, half: nil),
            atMost: Limits.journeyFixesPerPortion)
        for (place, report) in reports.enumerated() {
            text += (last != nil || place > 0 ? ",\n" : "\n") + report.feature.text
        }
        if let end = reports.last?.place, reports.count == Limits.journeyFixesPerPortion {
            work.append(.reports(device, number, after: end))
            return bytes + zip.append(Array(text.utf8))
        }
        bytes += zip.append(Array((text + ExportReader.collectionEnd).utf8)) + zip.end()
        return bytes
    }

    private static let collectionStart = #"{"type":"FeatureCollection","features":["#
    private static let collectionEnd = "\n]}\n"

    // MARK: Journeys

    private func begin(
        _ header: JourneyHeader, _ store: JourneyStore, _ now: Timestamp
    ) throws -> [UInt8] {
        let pins = try store.pins(of: header.span.number)
        for pin in pins.reversed() {
            if case .photo(let photo) = pin.kind {
                work.append(.photo(header, photo, id: pin.id))
            }
        }
        work.append(.fixes(header, after: nil))
        let json: JSON = [
            "id": .string(header.id.description), "name": .string(header.name),
            "started": .string(header.span.started.description),
            "stopped": header.span.isOpen ? .null : .string(header.span.stopped.description),
            "pins": .array(pins.map(\.json)),
        ]
        return zip.add("journeys/\(header.id).json", json.serialized(), at: now)
    }

    private func writeFixes(
        of header: JourneyHeader, after last: JourneyPlace?, _ store: JourneyStore,
        _ now: Timestamp
    ) throws -> [UInt8] {
        var bytes = last == nil ? zip.begin("journeys/\(header.id).geojson", at: now) : []
        var text = last == nil ? ExportReader.collectionStart : ""
        var end: JourneyPlace?
        var count = 0
        try store.fixes(
            of: header.span.number, after: last ?? .beginning, limit: Limits.journeyFixesPerPortion
        ) { point in
            text += (last != nil || count > 0 ? ",\n" : "\n") + point.feature.text
            end = JourneyPlace(time: point.time, number: point.number)
            count += 1
        }
        if let end, count == Limits.journeyFixesPerPortion {
            work.append(.fixes(header, after: end))
            return bytes + zip.append(Array(text.utf8))
        }
        bytes += zip.append(Array((text + ExportReader.collectionEnd).utf8)) + zip.end()
        return bytes
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

extension StoredReport {
    /// As GeoJSON.
    fileprivate var feature: JSON {
        var properties = fix.properties
        properties += [
            .init("received", .string(received.description)),
            .init("trigger", .string("\(state.trigger)")),
        ]
        if let battery = state.battery {
            properties.append(.init("battery", .integer(Int64(battery))))
        }
        if let charging = state.charging { properties.append(.init("charging", .bool(charging))) }
        if state.late { properties.append(.init("late", .bool(true))) }
        if state.clockSkew { properties.append(.init("clockSkew", .bool(true))) }
        return JSON.feature(at: fix.position, .object(properties))
    }
}

extension JourneyPoint {
    /// As GeoJSON.
    fileprivate var feature: JSON {
        let fix = Fix(
            time: time, position: position, accuracyCentimetres: accuracyCentimetres,
            altitudeCentimetres: altitudeCentimetres,
            speedCentimetresPerSecond: speedCentimetresPerSecond)
        return JSON.feature(at: position, .object(fix.properties))
    }
}

extension Fix {
    /// In metres, metres per second and degrees.
    fileprivate var properties: [JSON.Member] {
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
    static func feature(at position: Coordinate, _ properties: JSON) -> JSON {
        [
            "type": "Feature", "properties": properties,
            "geometry": [
                "type": "Point",
                "coordinates": .array([.number(position.longitude), .number(position.latitude)]),
            ],
        ]
    }
}
