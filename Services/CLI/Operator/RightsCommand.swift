import Directory
import Hosting
import Model
import Parsing
import Runtime

/// `jaga rights`: who may do what.
enum RightsCommand: Command {
    static let syntax = Syntax(
        name: "rights", parameters: ["VERB", "[FILE]"],
        summary: "show who may do what",
        details: """
            who         lists members of --circle, and staff, with whether they may do --can
            show        shows your own rights, in --circle and about --person
            table       prints the table of rights as docs/rights.md, with JAGA_RIGHTS_FILE if set
            check FILE  checks a file for JAGA_RIGHTS_FILE

            ACTION is a name of docs/rights.md, such as edit-zones. For actions about one person,
            who needs --person.
            """,
        options: [
            .init(name: "--circle", value: "CIRCLE", help: "name or id of a circle"),
            .init(name: "--can", value: "ACTION", help: "who: the action"),
            .init(
                name: "--person", value: "PERSON",
                help: "name or id of the person whom the action is about"),
            .json,
        ] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let words = call.parameters
        switch (words[0], words.count) {
        case ("who", 1): try who(try API(call), call)
        case ("show", 1): try show(try API(call), call)
        case ("table", 1):
            let configuration = try call.configuration([RightsFile.setting])
            Console.write(try RightsFile.read(configuration).document)
        case ("check", 2):
            _ = try RightsFile.read(path: words[1])
            Console.print("\(words[1]): ok")
        default:
            throw CommandError.usage(
                "unexpected arguments: \(words.joined(separator: " "))", syntax)
        }
        return 0
    }

    private static func who(_ api: API, _ call: Call) throws {
        guard let circle = call.value("--circle"), let text = call.value("--can") else {
            throw CommandError.usage("who: --circle and --can are required", syntax)
        }
        guard let action = Action(rawValue: text) else {
            throw CommandError(
                "there is no action \(text)",
                hint: ConfigurationError.guess(text, among: Action.allCases.map(\.rawValue))
                    + "'jaga rights table' lists all actions.")
        }
        let names = Names(api: api)
        var path = "/v1/circles/\(API.pathPart(try names.id(of: .circle, circle)))/rights"
        path += "?action=\(action.rawValue)"
        if let person = call.value("--person") {
            path += "&person=\(API.pathPart(try names.id(of: .person, person)))"
        }
        let items = try api.list(path)
        Listing(
            .text("may", may), .field("name"),
            .text("as") {
                [$0.cell("role"), $0.cell("staff")].filter { !$0.isEmpty }.joined(separator: ", ")
            },
            .text("reason", reason)
        ).print(items, call)
    }

    private static func show(_ api: API, _ call: Call) throws {
        let names = Names(api: api)
        var query: [String] = []
        if let circle = call.value("--circle") {
            query.append("circle=\(API.pathPart(try names.id(of: .circle, circle)))")
        }
        if let person = call.value("--person") {
            query.append("person=\(API.pathPart(try names.id(of: .person, person)))")
        }
        let body = try api.get(
            "/v1/rights" + (query.isEmpty ? "" : "?" + query.joined(separator: "&")))
        if call.has("--json") { return Console.print(body.text) }
        let listing = Listing(.text("may", may), .field("action"), .text("reason", reason))
        listing.print(body["items"]?.array ?? [], asJSON: false)
    }

    private static func may(_ item: JSON) -> String {
        item["allowed"]?.bool == true ? "yes" : "no"
    }

    private static func reason(_ item: JSON) -> String {
        [item.cell("explanation"), item.cell("remedy")].filter { !$0.isEmpty }
            .joined(separator: " ")
    }
}
