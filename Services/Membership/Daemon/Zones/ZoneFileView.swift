import DirectoryViews
import Model
import Parsing
import Web
import ZoneFiles

extension View {
    /// Preview of a file: its zones, problems and notes.
    static func preview(_ found: ImportedZones) -> JSON {
        [
            "zones": .array(found.entries.map(\.feature)),
            "problems": .array(found.faults.map(fault)), "notes": notes(found.notes),
        ]
    }

    private static func fault(_ fault: ImportedZones.Fault) -> JSON {
        let problem = fault.problem.located(at: fault.place)
        return [
            "detail": .string(problem.detail), "field": problem.field.map { .string($0) } ?? .null,
            "hint": problem.hint.map { .string($0) } ?? .null,
        ]
    }

    static func notes(_ notes: [FileNote]) -> JSON {
        .array(notes.map { .string($0.description) })
    }

    /// Zones as a file, active ones with the highest priority first.
    static func file(
        of zones: [Zone], as format: FileFormat
    ) -> (bytes: [UInt8], notes: [FileNote]) {
        let zones = zones.sorted { order($0) < order($1) }
        guard format != .geojson,
            let written = ZoneFile.write(zones.map(ZoneDraft.init), as: format)
        else {
            return (ZoneFile.geoJSON(zones.map(View.zone)), [])
        }
        let losses = zones.enumerated().compactMap { index, zone -> FileNote? in
            let lost = [
                zone.schedule == nil ? nil : "schedule",
                zone.absentByMinute == nil ? nil : "absentBy",
                zone.audience == nil ? nil : "audience",
                zone.messages.isEmpty ? nil : "messages",
            ].compactMap { $0 }
            guard !lost.isEmpty else { return nil }
            return FileNote(
                "zone \(index + 1): \(format.name) cannot hold its \(lost.joined(separator: ", "))")
        }
        return (written.bytes, written.notes + losses)
    }

    /// Sort key: active, category, priority.
    private static func order(_ zone: Zone) -> (Int, String, Int, ZoneID) {
        (zone.active ? 0 : 1, zone.category, zone.priority, zone.id)
    }
}

extension Reader {
    /// The zones of an owner as a file; with `notes=true`, as JSON with the losses of the format.
    func zoneFile(of owner: ZoneOwner) throws(Problem) -> Response {
        try allowReading(of: owner)
        let format = try format(of: request, among: FileFormat.written)
        let file = View.file(of: directory.zones(of: owner), as: format)
        if try request.flag("notes") {
            return .json([
                "file": .string(String(decoding: file.bytes, as: UTF8.self)),
                "notes": View.notes(file.notes),
            ])
        }
        return Response(
            status: 200,
            headers: [
                "Content-Type": format.mediaType,
                "Content-Disposition": "attachment; filename=\"zones.\(format.rawValue)\"",
                "Jaga-Notes": String(file.notes.count),
            ], body: file.bytes)
    }
}
