import Model
import Parsing

/// `jaga staff`: people who work for the operator.
enum StaffCommand: Command {
    static let syntax = Syntax(
        name: "staff", parameters: ["[VERB]", "[PERSON]"],
        summary: "manage people who work for the operator",
        details: """
            list            lists all staff; also without a verb
            add PERSON      gives PERSON the role of --role
            remove PERSON   takes the role away

            officer: emergencies of all circles, and positions of people in an emergency; no
            configuration. operator: what the operator's token may do, but never as another
            person. The account of a member of staff remains their own. docs/rights.md lists the
            rights of both.
            """,
        options: [
            .init(name: "--role", value: "ROLE", help: "add: officer (default) or operator"),
            .json,
        ] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let api = try API(call)
        let words = call.parameters.isEmpty ? ["list"] : call.parameters
        switch (words[0], words.count) {
        case ("list", 1): list(try api.list("/v1/people"), call)
        case ("add", 2):
            let text = call.value("--role") ?? StaffRole.officer.rawValue
            guard let role = StaffRole(rawValue: text) else {
                let all = StaffRole.allCases.map(\.rawValue).joined(separator: " or ")
                throw CommandError.usage("add: --role is \(all)", syntax)
            }
            try set(.string(role.rawValue), for: words[1], api, call)
        case ("remove", 2): try set(.null, for: words[1], api, call)
        default:
            throw CommandError.usage(
                "unexpected arguments: \(words.joined(separator: " "))", syntax)
        }
        return 0
    }

    private static func list(_ people: [JSON], _ call: Call) {
        let staff = people.filter { $0["staff"]?.string != nil }
        Listing(
            .field("role", "staff"), .field("name"), .field("id"),
            ifEmpty: "No staff yet. Add somebody with 'jaga staff add PERSON'."
        ).print(staff, call)
    }

    private static func set(
        _ role: JSON, for text: String, _ api: API, _ call: Call
    ) throws {
        let id = try Names(api: api).id(of: .person, text)
        let person = try api.put("/v1/people/\(API.pathPart(id))", ["staff": role])
        if call.has("--json") { return Console.print(person.text) }
        Console.print(
            role.string.map { "\(person.cell("name")) is staff: \($0)" }
                ?? "\(person.cell("name")) is no longer staff")
    }
}
