import MembershipCore
import Model
import Parsing
import Runtime
import Web
import ZoneFiles

/// Zones of an imported file, and its errors.
struct ImportedZones {
    /// A problem and its location in the file; nil if it concerns the whole file.
    struct Fault {
        var place: FileLocation?
        var problem: Problem
    }

    /// Entries of the file.
    var entries: [ZoneFile.Entry] = []
    /// Valid zones; all of them if there are no faults.
    var zones: [NewZone] = []
    var faults: [Fault] = []
    var notes: [FileNote] = []

    var places: [FileLocation] { entries.map(\.location) }
}

/// Parses a request's body as a file of zones. Each entry is validated like a zone that is created
/// alone.
struct ZoneFileReader {
    let request: Request
    let clocks: ZoneClocks
    let shapes: PreparedShapes
    /// Maximum number of zones.
    let zonesMax: Int

    /// Whether the request only asks for a preview.
    static func isPreview(_ request: Request) throws(Problem) -> Bool {
        try request.flag("preview")
    }

    func read() throws(Problem) -> ImportedZones {
        let format = try format(of: request, among: FileFormat.allCases)
        let options = ReadingOptions(
            pointRadiusCentimetres: try radius(), kind: try kind() ?? .safe)
        var found = ImportedZones()
        do throws(FileError) {
            let file = try ZoneFile.read(request.body, as: format, options)
            found.entries = file.entries
            found.notes = file.notes
        } catch {
            let problem = Problem.invalid(error.message, hint: error.hint)
            found.faults = [ImportedZones.Fault(place: error.location, problem: problem)]
        }
        if found.entries.isEmpty, found.faults.isEmpty {
            let problem = Problem.invalid(
                "the file has no zones", hint: found.notes.first?.description)
            found.faults = [ImportedZones.Fault(problem: problem)]
        }
        guard found.entries.count <= zonesMax else {
            let problem = Problem.conflict(
                "the file has \(found.entries.count) zones, at most \(zonesMax) are allowed",
                hint: "split the file, or remove some zones")
            return ImportedZones(faults: [ImportedZones.Fault(problem: problem)])
        }
        for entry in found.entries {
            do throws(Problem) {
                let patch = try ZoneBody.read(
                    entry.feature, isNew: true, clocks: clocks, shapes: shapes)
                found.zones.append(NewZone(id: ZoneID(SecureRandom.id()), patch: patch))
            } catch {
                found.faults.append(ImportedZones.Fault(place: entry.location, problem: error))
            }
        }
        return found
    }

    private func radius() throws(Problem) -> Int32? {
        guard let text = request.query["radius"] else { return nil }
        guard let metres = JSON.string(text).numberOrNumericString, metres > 0,
            metres <= 1_000_000
        else {
            throw .invalid(
                "the radius is invalid", field: "radius", hint: "use metres, such as radius=100")
        }
        return Int32(nearest: metres * 100, .up)
    }

    private func kind() throws(Problem) -> ZoneKind? {
        guard let text = request.query["kind"] else { return nil }
        guard let kind = ZoneKind(rawValue: text) else {
            throw .invalid(
                "the kind is unknown", field: "kind",
                hint: "use "
                    + ZoneKind.allCases.map { "kind=" + $0.rawValue }.joined(separator: " or "))
        }
        return kind
    }
}

extension ChangeReader {
    /// Parses a file whose zones are created together or not at all.
    func readZoneFile(for owner: ZoneOwner) throws(Problem) -> RequestedChange {
        let found = try importedZones(for: owner)
        if let fault = found.faults.first { throw fault.problem.located(at: fault.place) }
        return RequestedChange(.createZones(owner, found.zones), file: found)
    }

    func importedZones(for owner: ZoneOwner) throws(Problem) -> ImportedZones {
        try allowEditing(zonesOf: owner)
        let zonesMax =
            switch owner {
            case .circle: Limits.suite.zones
            case .person: Limits.suite.privateZones
            case .set: Limits.zonesPerSetMax
            }
        return try ZoneFileReader(
            request: request, clocks: clocks, shapes: shapes, zonesMax: zonesMax
        ).read()
    }
}

/// The file format in the request's query.
func format(
    of request: Request, among formats: [FileFormat]
) throws(Problem) -> FileFormat {
    let hint = "use one of " + formats.map { "format=" + $0.rawValue }.joined(separator: ", ")
    guard let name = request.query["format"] else {
        throw .invalid("the format is missing", field: "format", hint: hint)
    }
    guard let format = FileFormat(rawValue: name), formats.contains(format) else {
        throw .invalid("the format is not supported here", field: "format", hint: hint)
    }
    return format
}

extension Problem {
    /// A copy with its location in a file. Locations in lines omit JSON field names.
    func located(at place: FileLocation?) -> Problem {
        var problem = self
        switch place {
        case .line(let number):
            problem.detail = "line \(number): " + detail
            let prefix = "properties."
            problem.field = field.flatMap {
                $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : nil
            }
        case .path(let path):
            let parts = [path, field ?? ""].filter { !$0.isEmpty }
            problem.field = parts.isEmpty ? nil : parts.joined(separator: ".")
        case nil: break
        }
        return problem
    }
}
