import Model
import Parsing

/// `jaga invitation`: invites to circles; answers, lists and revokes invitations.
enum InvitationCommand: Command {
    static let syntax = Syntax(
        name: "invitation", parameters: ["VERB", "[CIRCLE]", "[INVITATION]"],
        summary: "list, create, revoke and answer invitations to a circle",
        details: """
            list CIRCLE                lists invitations and what became of them
            add CIRCLE [CONTACT]       prints a link that lets a person join; a phone number or mail
                                       address gets it by message, and only its owner can accept
            revoke CIRCLE INVITATION   ends an invitation; who accepted it stays
            preview                    shows who invites you to what, and who will see what of you
            accept                     joins the circle; --person: for a ward of yours
            decline                    declines

            CIRCLE is a name or an id. The last three read the link from a line of input. Only
            accept needs a token: set JAGA_TOKEN or --token-file to yours.
            """,
        options: InvitationMaker.options + [
            .init(name: "--person", value: "WARD", help: "accept: name or id of your ward"),
            .init(
                name: "--precision", value: "HOW",
                help: "accept: what you share, exact or zone (default exact)"),
            .tokenFile, .json,
        ] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let words = call.parameters
        if words.count == 1, let answer = InvitationAnswer(rawValue: words[0]) {
            try answer.run(call)
            return 0
        }
        guard words.count >= 2 else { throw CommandError.usage("CIRCLE is required", syntax) }
        let api = try API(call)
        let circle = API.pathPart(try Names(api: api).id(of: .circle, words[1]))
        let path = "/v1/circles/\(circle)/invitations"
        switch (words[0], words.count) {
        case ("list", 2): list(try api.list(path), call)
        case ("add", 2...3):
            try InvitationMaker(api: api).invite(
                to: circle, words.count > 2 ? words[2] : nil, call)
        case ("revoke", 3):
            try api.delete(path + "/" + API.pathPart(words[2]))
            Console.print("\(words[2]) is revoked")
        default:
            throw CommandError.usage(
                "unexpected arguments: \(words.joined(separator: " "))", syntax)
        }
        return 0
    }

    private static func list(_ invitations: [JSON], _ call: Call) {
        Listing(
            .field("state"), .field("role"),
            .text("accepted") { "\($0.cell("accepted"))/\($0.cell("uses"))" },
            .field("declined"), .day("expires"),
            .text("to") { $0["contact"]?["address"]?.string ?? "link" },
            .text("by") { $0["inviter"]?["name"]?.string ?? "operator" }, .field("id"),
            ifEmpty: "No invitations."
        ).print(invitations, call)
    }
}

/// Creates invitations for `jaga invitation add` and `jaga person invite`.
struct InvitationMaker {
    let api: API

    static let options: [Syntax.Option] = [
        .init(
            name: "--role", value: "ROLE",
            help: "role of the invited: admin, guardian or member (default member)"),
        .init(name: "--uses", value: "N", help: "how many people can accept a link (default 1)"),
        .init(
            name: "--expires", value: "TIME",
            help: "end such as 2026-11-20T10:20:00Z (default: in 7 days)"),
    ]

    /// - Parameter contact: number or address; nil = by link
    func invite(to circle: String, _ contact: String?, _ call: Call) throws {
        var body: [JSON.Member] = []
        if let contact { body.append(.init("contact", .string(contact))) }
        if let role = call.value("--role") { body.append(.init("role", .string(role))) }
        if let end = call.value("--expires") { body.append(.init("expires", .string(end))) }
        if call.has("--uses") {
            let uses = try call.number("--uses", default: 1, in: 1...100)
            body.append(.init("uses", .integer(Int64(uses))))
        }
        let made = try api.post("/v1/circles/\(circle)/invitations", .object(body))
        if call.has("--json") { return Console.print(made.text) }
        Console.print(made.cell("link"))
        Console.print(
            contact.map { "\($0) gets this link by message" } ?? "give this link to the invited")
        Console.print("expires \(made.cell("expires")); revoke: \(made.cell("id"))")
    }
}

/// Verbs of `jaga invitation` for the invited.
enum InvitationAnswer: String {
    case preview, accept, decline

    /// The link is read from the input, because everybody on this machine sees arguments.
    func run(_ call: Call) throws {
        if Console.isTerminal { Console.write("Link: ") }
        let token = InvitationAnswer.token(in: Console.readLine() ?? "")
        guard !token.isEmpty else { throw CommandError("the invitation's link is required") }
        switch self {
        case .preview:
            let preview = try API(withoutToken: call).post(
                "/v1/invitations/preview", ["token": .string(token)])
            if call.has("--json") { return Console.print(preview.text) }
            for line in InvitationAnswer.lines(of: preview) { Console.print(line) }
        case .accept:
            var body: [JSON.Member] = [.init("token", .string(token))]
            if let ward = call.value("--person") { body.append(.init("person", .string(ward))) }
            if let precision = call.value("--precision") {
                body.append(.init("precision", .string(precision)))
            }
            let circle = try API(call).post("/v1/invitations/acceptance", .object(body))
            Console.print(call.has("--json") ? circle.text : "joined \(circle.cell("name"))")
        case .decline:
            _ = try API(withoutToken: call).post(
                "/v1/invitations/decline", ["token": .string(token)])
            Console.print("declined")
        }
    }

    /// The token of a link; of a text that is no link, the text.
    static func token(in link: String) -> String {
        let text = link.trimmed
        guard let mark = text.firstRange(of: "#invitation=") else { return text }
        return String(text[mark.upperBound...])
    }

    /// A preview for people.
    static func lines(of preview: JSON) -> [String] {
        let inviter = preview["inviter"]?.string?.onOneLine ?? "The operator"
        var lines = [
            "\(inviter) invites you to \(preview.cell("circle")) as \(preview.cell("role")).",
            "You can accept until \(preview.cell("expires")).",
        ]
        for watcher in preview["watchers"]?.array ?? [] {
            let position =
                watcher["seesPosition"]?.bool == true ? "your position" : "no position of yours"
            let days = watcher["historyDays"]?.int ?? 0
            let history = days == 0 ? "as long as your plan keeps it" : "\(days) days of it"
            lines.append(
                "\(watcher.cell("people")) × \(watcher.cell("role")): sees \(position)"
                    + (watcher["seesPosition"]?.bool == true ? ", \(history)" : ""))
        }
        return lines
    }
}
