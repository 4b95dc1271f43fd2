import MembershipCore
import Model
import Parsing
import Runtime
import Web
import ZoneFiles

/// What a file of zones would make, and what is wrong with it.
struct ZonesOfFile {
    /// One problem and where in the file it is; nil where it is of the whole file.
    struct Fault {
        var place: FilePlace?
        var problem: Problem
    }

    /// What the file tells, zone by zone.
    var entries: [ZoneFile.Entry] = []
    /// Those of the entries that can be made; all of them where there is no fault.
    var zones: [NewZone] = []
    var faults: [Fault] = []
    var notes: [FileNote] = []

    var places: [FilePlace] { entries.map(\.place) }
}

/// Reads the body of a request as a file of zones. Each of them goes the way of a zone that is
/// created alone, so that the same is taken and refused.
struct ZoneFileReader {
    let request: Request
    let clocks: ZoneClocks
    let shapes: PreparedShapes
    /// More zones than these need not be looked at.
    let zonesMax: Int

    /// Whether nothing shall be made.
    static func isPreview(_ request: Request) throws(Problem) -> Bool {
        try request.flag("preview")
    }

    func read() throws(Problem) -> ZonesOfFile {
        let format = try format(of: request, among: FileFormat.allCases)
        let options = ReadingOptions(
            pointRadiusCentimetres: try radius(), kind: try kind() ?? .safe)
        var found = ZonesOfFile()
        do throws(FileError) {
            let file = try ZoneFile.read(request.body, as: format, options)
            found.entries = file.entries
            found.notes = file.notes
        } catch {
            let problem = Problem.invalid(error.message, hint: error.hint)
            found.faults = [ZonesOfFile.Fault(place: error.place, problem: problem)]
        }
        if found.entries.isEmpty, found.faults.isEmpty {
            let problem = Problem.invalid(
                "there is no zone in the file", hint: found.notes.first?.description)
            found.faults = [ZonesOfFile.Fault(problem: problem)]
        }
        guard found.entries.count <= zonesMax else {
            let problem = Problem.conflict(
                "the file has \(found.entries.count) zones, at most \(zonesMax) are allowed",
                hint: "split it, or leave some out")
            return ZonesOfFile(faults: [ZonesOfFile.Fault(problem: problem)])
        }
        for entry in found.entries {
            do throws(Problem) {
                let patch = try ZoneBody.read(
                    entry.feature, isNew: true, clocks: clocks, shapes: shapes)
                found.zones.append(NewZone(id: ZoneID(SecureRandom.id()), patch: patch))
            } catch {
                found.faults.append(ZonesOfFile.Fault(place: entry.place, problem: error))
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
                "this is no radius", field: "radius", hint: "give metres, such as radius=100")
        }
        return Int32(nearest: metres * 100, .up)
    }

    private func kind() throws(Problem) -> ZoneKind? {
        guard let text = request.query["kind"] else { return nil }
        guard let kind = ZoneKind(rawValue: text) else {
            throw .invalid(
                "this is no kind of zone", field: "kind", hint: "use kind=safe or kind=alert")
        }
        return kind
    }
}

extension ChangeReader {
    /// Zones of a file: all of them, or none.
    func readZoneFile(for owner: ZoneOwner) throws(Problem) -> RequestedChange {
        let found = try zonesOfFile(for: owner)
        if let fault = found.faults.first { throw fault.problem.located(at: fault.place) }
        return RequestedChange(.createZones(owner, found.zones), file: found)
    }

    func zonesOfFile(for owner: ZoneOwner) throws(Problem) -> ZonesOfFile {
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

/// The format that a request names.
func format(
    of request: Request, among formats: [FileFormat]
) throws(Problem) -> FileFormat {
    let hint = "use one of " + formats.map { "format=" + $0.rawValue }.joined(separator: ", ")
    guard let name = request.query["format"] else {
        throw .invalid("the format is not said", field: "format", hint: hint)
    }
    guard let format = FileFormat(rawValue: name), formats.contains(format) else {
        throw .invalid("there is no such format here", field: "format", hint: hint)
    }
    return format
}

extension Problem {
    /// The same, with its place in a file. Fields that only JSON has are not named in lines.
    func located(at place: FilePlace?) -> Problem {
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
