import Parsing
import Runtime
import Web

/// Whose zones or messages a call means: those of a circle, a person or a set.
struct Holder {
    /// Such as `/v1/circles/cir_…`.
    let path: String

    static let circleOption = Syntax.Option(
        name: "--circle", value: "CIRCLE", help: "a circle: name or id")

    static let options: [Syntax.Option] = [
        circleOption, .init(name: "--person", value: "PERSON", help: "a person: name or id"),
        .init(name: "--set", value: "SET", help: "a set of zones: name or id"),
    ]

    /// - Parameter kinds: parts of paths that make sense here, such as `circles`
    init(_ call: Call, of kinds: [String]) throws(CommandError) {
        let names = ["circles": "--circle", "people": "--person", "sets": "--set"]
        let given = kinds.compactMap { kind in
            names[kind].flatMap(call.value).map { (kind, $0) }
        }
        guard given.count == 1 else {
            let wanted = kinds.compactMap { names[$0] }.joined(separator: " ID, ")
            throw .usage("say whose: one of \(wanted) ID", call.syntax)
        }
        path = "/v1/\(given[0].0)/\(Holder.part(given[0].1))"
    }

    /// The path, where it is a person's.
    var person: String {
        get throws(CommandError) {
            guard path.hasPrefix("/v1/people/") else {
                throw CommandError("that is about a person: say --person ID", status: 2)
            }
            return path
        }
    }

    /// - Parameter zone: a name or an id
    func zone(_ zone: String, _ api: API) throws -> String {
        path + "/zones/" + Holder.part(try Names(api: api).zone(zone, of: path))
    }

    /// An id as part of a path.
    static func part(_ id: String) -> String { Percent.encode(id) }
}

/// What `--field NAME=VALUE` says, any number of times.
enum GivenFields {
    /// - Parameter texts: names of fields that are texts whatever they look like
    static func read(
        _ call: Call, of syntax: Syntax, texts: Set<String> = []
    ) throws(CommandError) -> [JSON.Member] {
        var members: [JSON.Member] = []
        for field in call.all("--field") {
            guard let sign = field.firstIndex(of: "="), sign != field.startIndex else {
                throw .usage("--field needs NAME=VALUE, not \(field)", syntax)
            }
            let name = String(field[..<sign])
            let value = String(field[field.index(after: sign)...])
            guard !members.contains(where: { $0.key == name }) else {
                throw .usage("the field \(name) is given twice", syntax)
            }
            let json = texts.contains(name) ? nil : try? JSON.parse(Array(value.utf8))
            members.append(.init(name, json ?? .string(value)))
        }
        guard !members.isEmpty else {
            throw .usage("say what: --field NAME=VALUE", syntax)
        }
        return members
    }
}

/// A file of JSON that somebody names.
enum JSONFile {
    /// - Parameter path: `-` is standard input
    static func read(_ path: String) throws -> JSON {
        let bytes = try Files.read(path == "-" ? "/dev/stdin" : path)
        do { return try JSON.parse(bytes) } catch {
            throw CommandError("\(path) is not JSON", hint: "give a GeoJSON Feature")
        }
    }
}
