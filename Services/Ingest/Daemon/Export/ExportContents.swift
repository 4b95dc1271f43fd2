import Directory
import IngestCore
import JourneysCore
import JourneysDaemon
import Model
import Parsing
import Store

/// The files of an export beside journeys: data of the directory and of ingest's tables.
struct ExportContents {
    let files: [ExportFile]

    init(of person: PersonID, in directory: Replica, _ database: Database) throws {
        let kept = try ExportDocuments.kept(of: person, in: database)
        var files = (ExportDocuments.all(of: person, in: directory) + kept.documents)
            .map { ExportFile($0, $1.serialized()) }
        if let avatar = kept.avatar { files.append(ExportFile(avatar.name, avatar.bytes)) }
        files += ExportList.all.map { $0.file(of: person, in: database) }
        let devices = try database.all(
            "SELECT device, number FROM device WHERE person = ? ORDER BY number", .id(person)
        ) { row in (id: row.id(0) as DeviceID, number: row.int64(1)) }
        self.files =
            files
            + devices.map { ExportContents.reports(of: $0.id, number: $0.number, in: database) }
    }

    private static func reports(
        of device: DeviceID, number: Int64, in database: Database
    ) -> ExportFile {
        .features("reports/\(device).geojson") { (last: StoredReport.Place?) in
            let reports = try ReportTable(database: database).reports(
                of: number, after: last ?? StoredReport.Place(time: .zero, half: nil),
                atMost: JourneyLimits.fixesPerPortion)
            let isFull = reports.count == JourneyLimits.fixesPerPortion
            return (reports.map(\.feature), isFull ? reports.last?.place : nil)
        }
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
        return .feature(at: fix.position, .object(properties))
    }
}
