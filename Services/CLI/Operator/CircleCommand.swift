import Model
import Parsing
import Runtime
import Web

/// `jaga circle`: manages circles and their members.
enum CircleCommand: Command {
    static let syntax = Syntax(
        name: "circle", parameters: ["[VERB]", "[CIRCLE]", "[PERSON]"],
        summary: "manage circles and their members",
        details: """
            list                   lists all circles; also without a verb
            show CIRCLE            shows members with roles and how each can be reached
            readiness [CIRCLE]     shows whether somebody could help each member and what is
                                   missing; without CIRCLE, lists the circles that are not ready
            add NAME               creates an empty circle
            join CIRCLE PERSON     adds PERSON as a managed member with the role of --role; a new
                                   name with --phone or --mail creates an account with these
                                   contact points
            role CIRCLE PERSON     changes the role to --role
            remove CIRCLE PERSON   removes a member

            CIRCLE and PERSON are names or ids. Members see that they are managed; 'jaga invitation'
            lets people decide for themselves.
            """,
        options: [
            .init(
                name: "--role", value: "ROLE",
                help: "join, role: admin, guardian or member (join: default guardian)"),
            .init(name: "--phone", value: "NUMBER", help: "join: phone number of a new account"),
            .init(name: "--mail", value: "ADDRESS", help: "join: mail address of a new account"),
            .init(
                name: "--vouch", value: nil,
                help: "invite: verify these; you know that they are the person's"),
            .init(
                name: "--time-zone", value: "NAME",
                help: "join: time zone of a new account (default UTC)"),
            .json,
        ] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let api = try API(call)
        let words = call.parameters.isEmpty ? ["list"] : call.parameters
        func path() throws -> String {
            "/v1/circles/" + API.pathPart(try Names(api: api).id(of: .circle, words[1]))
        }
        switch (words[0], words.count) {
        case ("list", 1): list(try api.list("/v1/circles"), call)
        case ("show", 2): try show(try api.get(path()), api, call)
        case ("readiness", 1): try listReadiness(api, call)
        case ("readiness", 2):
            let answer = try api.get(path() + "/readiness")
            let lines = call.has("--json") ? [answer.text] : ReadinessText(answer).lines
            for line in lines { Console.print(line) }
        case ("add", 2):
            let made = try api.post("/v1/circles", ["name": .string(words[1])])
            Console.print(call.has("--json") ? made.text : "created \(made.cell("id")) \(words[1])")
        case ("join", 3): try join(words[2], to: try path(), api, call)
        case ("role", 3):
            guard let role = call.value("--role") else {
                throw CommandError.usage(
                    "role: --role admin, guardian or member is required", syntax)
            }
            let person = try Names(api: api).id(of: .person, words[2])
            let circle = try api.put(
                path() + "/members/\(API.pathPart(person))", ["role": .string(role)])
            report("\(words[2]) is \(role) of \(circle.cell("name"))", circle, call)
        case ("remove", 3):
            let person = try Names(api: api).id(of: .person, words[2])
            try api.delete(path() + "/members/\(API.pathPart(person))")
            Console.print("\(words[2]) is no longer a member")
        default:
            throw CommandError.usage(
                "unexpected arguments: \(words.joined(separator: " "))", syntax)
        }
        return 0
    }

    /// Lists the circles that are not ready, red ones first.
    private static func listReadiness(_ api: API, _ call: Call) throws {
        let answers = try api.list("/v1/circles").map { circle in
            try api.get("/v1/circles/\(API.pathPart(circle.cell("id")))/readiness")
        }
        if call.has("--json") {
            for answer in answers { Console.print(answer.text) }
            return
        }
        for state in ["red", "amber"] {
            for answer in answers where answer.cell("state") == state {
                if let line = ReadinessText(answer).lines.first { Console.print(line) }
            }
        }
        if answers.allSatisfy({ $0.cell("state") == "green" }) {
            Console.print("All circles are ready.")
        }
    }

    /// Adds a person, and creates the account if needed.
    private static func join(
        _ text: String, to path: String, _ api: API, _ call: Call
    ) throws {
        let isNew = call.value("--phone") != nil || call.value("--mail") != nil
        let person: String
        var account: (id: String, activationCode: String)?
        if isNew {
            let named = try api.list("/v1/people").filter {
                $0.cell("name").lowercased() == text.lowercased()
            }
            guard named.isEmpty, PersonID(text) == nil else {
                throw CommandError(
                    "the name \(text) is already in use: \(named.first?.cell("id") ?? text)",
                    hint: "omit --phone and --mail to add this person; "
                        + "'jaga person contact' adds contact points")
            }
            let made = try Enrolment(api: api).person(
                .init(
                    name: text, timeZone: call.value("--time-zone") ?? "UTC",
                    phone: call.value("--phone"), mail: call.value("--mail"),
                    isVouched: call.has("--vouch")))
            (account, person) = (made, made.id)
        } else {
            do {
                person = try Names(api: api).id(of: .person, text)
            } catch let error as CommandError where error.message.hasPrefix("there is no") {
                throw CommandError(
                    error.message, hint: "set --phone or --mail to create an account")
            }
        }
        let role = call.value("--role") ?? Role.guardian.rawValue
        let circle = try api.post(
            path + "/members", ["person": .string(person), "role": .string(role)])
        report("\(text) (\(person)) is \(role) of \(circle.cell("name"))", circle, call)
        if let account, !call.has("--json") {
            for line in Enrolment.activationLines(account) { Console.print(line) }
        }
    }

    private static func report(_ sentence: String, _ circle: JSON, _ call: Call) {
        Console.print(call.has("--json") ? circle.text : sentence)
    }

    private static func list(_ circles: [JSON], _ call: Call) {
        Listing(
            .text("members") { String($0["members"]?.array?.count ?? 0) }, .field("name"),
            .field("id"), ifEmpty: "No circles yet. Create one with 'jaga init'."
        ).print(circles, call)
    }

    private static func show(_ circle: JSON, _ api: API, _ call: Call) throws {
        if call.has("--json") { return Console.print(circle.text) }
        Console.print("\(Console.paint(circle.cell("name"), .bold))  \(circle.cell("id"))\n")
        let reachability = CircleReachability(in: circle, api)
        var table = Table("role", "name", "joined", "sharing", "contact points", "id")
        for member in circle["members"]?.array ?? [] {
            let id = member.cell("person")
            let person = try api.get("/v1/people/\(API.pathPart(id))")
            let joined = member.cell("joined")
            table.add(
                member.cell("role"), member.cell("name"),
                String(joined.prefix(10)) + (member["managed"]?.bool == true ? " managed" : ""),
                member.cell("sharing"),
                PersonCommand.contacts(of: person, reachability), id)
        }
        for line in table.lines { Console.print(line) }
        for line in reachability.unreachable { Console.print(line) }
    }
}

/// Reachability of a circle's members, as the notifier reports it; unknown if it does not answer.
struct CircleReachability {
    private let members: [JSON]?

    init(in circle: JSON, _ api: API) {
        let id = API.pathPart(circle.cell("id"))
        self.init(try? api.get("/v1/circles/\(id)/reachability"))
    }

    /// - Parameter answer: the notifier's response; nil if there is none
    init(_ answer: JSON?) { members = answer?["items"]?.array }

    /// A line for each member who cannot be reached.
    var unreachable: [String] {
        guard let members else { return ["reachability is unknown: see 'jaga status'"] }
        return members.filter { $0["reachable"]?.bool == false }.map { member in
            "unreachable: \(member.cell("name")) (\(member.cell("reason"))): "
                + "add a contact point with 'jaga person contact'"
        }
    }

    /// Whether it has data about a person.
    func knows(_ person: String) -> Bool {
        members?.contains { $0.cell("person") == person } ?? false
    }

    /// Why a contact point is unreachable; nil = it is reachable.
    ///
    /// - Parameter index: position in the order in which contact points are tried
    func obstacle(of person: String, _ index: Int, channel: String) -> String? {
        let member = members?.first { $0.cell("person") == person }
        guard let contact = member?["contacts"]?[index], contact.cell("channel") == channel else {
            return "reachability unknown"
        }
        return contact["reachable"]?.bool == true ? nil : contact.cell("reason")
    }
}
