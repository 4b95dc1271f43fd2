import Parsing
import Runtime
import Web

/// API path of the circle, person or set whose zones or messages a call names.
struct ZoneOwnerPath {
    /// Such as `/v1/circles/cir_…`.
    let path: String

    static let circleOption = Syntax.Option(
        name: "--circle", value: "CIRCLE", help: "a circle: name or id")

    static let options: [Syntax.Option] = [
        circleOption, .init(name: "--person", value: "PERSON", help: "a person: name or id"),
        .init(name: "--set", value: "SET", help: "a set of zones: name or id"),
    ]

    /// - Parameter kinds: the kinds that the command accepts, such as `circles`
    init(_ call: Call, of kinds: [String]) throws(CommandError) {
        let names = ["circles": "--circle", "people": "--person", "sets": "--set"]
        let given = kinds.compactMap { kind in
            names[kind].flatMap(call.value).map { (kind, $0) }
        }
        guard given.count == 1 else {
            let allowed = kinds.compactMap { names[$0] }.joined(separator: " ID, ")
            throw .usage("one of \(allowed) ID is required", call.syntax)
        }
        path = "/v1/\(given[0].0)/\(API.pathPart(given[0].1))"
    }

    /// The path, if the owner is a person.
    var person: String {
        get throws(CommandError) {
            guard path.hasPrefix("/v1/people/") else {
                throw CommandError("--person ID is required", status: 2)
            }
            return path
        }
    }

    /// - Parameter zone: a name or an id
    func zone(_ zone: String, _ api: API) throws -> String {
        path + "/zones/" + API.pathPart(try Names(api: api).zone(zone, of: path))
    }

}

/// Fields that `--field NAME=VALUE` options set.
enum FieldOptions {
    /// - Parameter texts: fields whose value is a string even if it is valid JSON
    static func read(
        _ call: Call, of syntax: Syntax, texts: Set<String> = []
    ) throws(CommandError) -> [JSON.Member] {
        var members: [JSON.Member] = []
        for field in call.all("--field") {
            guard let sign = field.firstIndex(of: "="), sign != field.startIndex else {
                throw .usage("--field must be NAME=VALUE, not \(field)", syntax)
            }
            let name = String(field[..<sign])
            let value = String(field[field.index(after: sign)...])
            guard !members.contains(where: { $0.key == name }) else {
                throw .usage("--field \(name) is given twice", syntax)
            }
            let json = texts.contains(name) ? nil : try? JSON.parse(Array(value.utf8))
            members.append(.init(name, json ?? .string(value)))
        }
        guard !members.isEmpty else {
            throw .usage("--field NAME=VALUE is required", syntax)
        }
        return members
    }
}

/// Reads a JSON file.
enum JSONFile {
    /// - Parameter path: `-` = standard input
    static func read(_ path: String) throws -> JSON {
        let bytes = try Files.read(path == "-" ? "/dev/stdin" : path)
        do { return try JSON.parse(bytes) } catch {
            throw CommandError("\(path) is not JSON", hint: "use a GeoJSON Feature")
        }
    }
}
