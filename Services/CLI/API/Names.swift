import Model
import Parsing
import Runtime

/// Resolves names of people, circles, sets, zones and phones to ids.
///
/// Ids pass unchanged, without a request. Names are compared without case; an ambiguous name is an
/// error that lists the ids.
struct Names {
    let api: API

    /// Kinds of named entities.
    enum Kind: String {
        case person, circle, set

        var path: String {
            switch self {
            case .person: "/v1/people"
            case .circle: "/v1/circles"
            case .set: "/v1/sets"
            }
        }

        fileprivate func isID(_ text: String) -> Bool {
            switch self {
            case .person: PersonID(text) != nil
            case .circle: CircleID(text) != nil
            case .set: ZoneSetID(text) != nil
            }
        }
    }

    /// The id of a person, circle or set.
    func id(of kind: Kind, _ text: String) throws -> String {
        if kind.isID(text) { return text }
        return try Names.only(text, among: try candidates(of: kind), kind.rawValue)
    }

    private func candidates(of kind: Kind) throws -> [Candidate] {
        switch kind {
        case .person: try people()
        case .circle, .set: try api.list(kind.path).map(Candidate.init)
        }
    }

    /// All people; for people who are no operators, the members of their circles.
    private func people() throws -> [Candidate] {
        if let all = try? api.list(Kind.person.path) { return all.map(Candidate.init) }
        let members = try api.list(Kind.circle.path).flatMap { $0["members"]?.array ?? [] }
        let names = members.map { ($0.cell("person"), $0.cell("name")) }
        return Dictionary(names, uniquingKeysWith: { first, _ in first })
            .map { Candidate(id: $0.key, name: $0.value) }.sorted { $0.id < $1.id }
    }

    /// The id of a zone of an owner, such as `/v1/circles/cir_…`.
    func zone(_ text: String, of owner: String) throws -> String {
        if ZoneID(text) != nil { return text }
        let zones = try api.list(owner + "/zones").map {
            Candidate(id: $0.cell("id"), name: $0["properties"]?.cell("name") ?? "")
        }
        return try Names.only(text, among: zones, "zone")
    }

    /// The id of a zone that applies to a person, regardless of its owner.
    ///
    /// - Parameter person: such as `/v1/people/per_…`
    func zone(_ text: String, applyingTo person: String) throws -> String {
        if ZoneID(text) != nil { return text }
        let zones = try api.list(person + "/applicable-zones").map { item in
            Candidate(
                id: item["zone"]?.cell("id") ?? "",
                name: item["zone"]?["properties"]?.cell("name") ?? "")
        }
        return try Names.only(text, among: zones, "zone")
    }

    /// The id of a phone: an id, `PERSON/PHONE` by names, or a person with exactly one phone.
    func device(_ text: String) throws -> String {
        if DeviceID(text) != nil { return text }
        let parts = text.split(separator: "/", maxSplits: 1).map(String.init)
        let person = try id(of: .person, parts.first ?? "")
        let devices = try api.list("/v1/people/\(person)/devices").map(Candidate.init)
        if parts.count == 2 { return try Names.only(parts[1], among: devices, "phone") }
        guard devices.count == 1, let only = devices.first else {
            let list = devices.map { "\(text)/\($0.name) (\($0.id))" }.joined(separator: ", ")
            throw CommandError(
                "\(text) has \(devices.count) phones",
                hint: devices.isEmpty
                    ? "add one: jaga device add \(Shell.quoted(text)) NAME" : "name one of \(list)")
        }
        return only.id
    }

    /// The id of an item of a list of a person, such as a credential.
    ///
    /// - Parameters:
    ///   - path: of the list
    ///   - kind: for the message, such as `credential`
    func item(
        _ text: String, of path: String, _ kind: String, isID: (String) -> Bool
    ) throws -> String {
        if isID(text) { return text }
        return try Names.only(text, among: try api.list(path).map(Candidate.init), kind)
    }

    /// A named entity.
    struct Candidate {
        var id: String
        var name: String

        init(id: String, name: String) {
            self.id = id
            self.name = name
        }

        init(_ json: JSON) {
            self.init(id: json.cell("id"), name: json.cell("name"))
        }
    }

    /// Returns the id of the only candidate with a name.
    ///
    /// - Parameter kind: for the message, such as `person`
    static func only(
        _ name: String, among candidates: [Candidate], _ kind: String
    ) throws(CommandError) -> String {
        let found = candidates.filter { $0.name.lowercased() == name.lowercased() }
        guard let first = found.first else {
            throw CommandError(
                "there is no \(kind) with the name or id \(name)",
                hint: "use the full name (case is ignored) or the id")
        }
        guard found.count == 1 else {
            throw CommandError(
                "the name \(name) is ambiguous: \(found.count) matches",
                hint: "use one of the ids "
                    + found.map { "\($0.id) (\($0.name))" }.joined(separator: ", "))
        }
        return first.id
    }

    // MARK: Options

    private static let options: [(name: String, kind: Kind)] = [
        ("--person", .person), ("--circle", .circle), ("--set", .set),
    ]

    /// A copy of the call whose options have ids in place of names.
    static func resolved(_ call: Call) throws -> Call {
        var call = call
        for (option, kind) in options {
            guard let text = call.value(option), !kind.isID(text) else { continue }
            call.set(option, to: try Names(api: API(call)).id(of: kind, text))
        }
        return call
    }
}
