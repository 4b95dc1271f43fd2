import Model
import Parsing
import Runtime
import Web

/// `jaga circle`: circles and who is in them.
enum CircleCommand: Command {
    static let syntax = Syntax(
        name: "circle", parameters: ["[VERB]", "[CIRCLE]", "[PERSON]"],
        summary: "circles and their members: list, show, add, invite, remove",
        details: """
            list                   all circles
            show CIRCLE            its members with roles, and how each can be reached
            add NAME               a new circle, empty
            invite CIRCLE PERSON   PERSON joins, as --role says; a name that nobody has makes an
                                   account, with --phone and --mail as contact points
            role CIRCLE PERSON     changes the role to what --role says
            remove CIRCLE PERSON   takes somebody out

            CIRCLE and PERSON are names or ids. Whom the operator invites has joined at once.
            """,
        options: [
            .init(
                name: "--role", value: "ROLE",
                help: "invite, role: admin, guardian or member (default guardian)"),
            .init(name: "--phone", value: "NUMBER", help: "invite: of a new account, +60123456789"),
            .init(name: "--mail", value: "ADDRESS", help: "invite: of a new account"),
            .init(
                name: "--time-zone", value: "NAME", help: "invite: of a new account (default UTC)"),
            .json,
        ] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let api = try API(call)
        let words = call.parameters.isEmpty ? ["list"] : call.parameters
        func path() throws -> String {
            "/v1/circles/" + Holder.part(try Names(api: api).id(of: .circle, words[1]))
        }
        switch (words[0], words.count) {
        case ("list", 1): list(try api.list("/v1/circles"), call)
        case ("show", 2): try show(try api.get(path()), api, call)
        case ("add", 2):
            let made = try api.post("/v1/circles", ["name": .string(words[1])])
            Console.say(call.has("--json") ? made.text : "made \(made.cell("id")) \(words[1])")
        case ("invite", 3): try invite(words[2], to: try path(), api, call)
        case ("role", 3):
            guard let role = call.value("--role") else {
                throw CommandError.usage("say the role: --role admin, guardian or member", syntax)
            }
            let person = try Names(api: api).id(of: .person, words[2])
            let circle = try api.put(
                path() + "/members/\(Holder.part(person))", ["role": .string(role)])
            say("\(words[2]) is \(role) of \(circle.cell("name"))", circle, call)
        case ("remove", 3):
            let person = try Names(api: api).id(of: .person, words[2])
            try api.delete(path() + "/members/\(Holder.part(person))")
            Console.say("\(words[2]) is no member any more")
        default: throw CommandError.usage("not understood: \(words.joined(separator: " "))", syntax)
        }
        return 0
    }

    /// Adds a person, who is made first if nobody has that name.
    private static func invite(
        _ text: String, to path: String, _ api: API, _ call: Call
    ) throws {
        let isNew = call.value("--phone") != nil || call.value("--mail") != nil
        let person: String
        if isNew {
            let named = try api.list("/v1/people").filter {
                $0.cell("name").lowercased() == text.lowercased()
            }
            guard named.isEmpty, PersonID(text) == nil else {
                throw CommandError(
                    "there is somebody named \(text) already: \(named.first?.cell("id") ?? text)",
                    hint: "leave --phone and --mail out to invite them; "
                        + "'jaga person contact' adds contact points")
            }
            person = try Enrolment(api: api).person(
                .init(
                    name: text, timeZone: call.value("--time-zone") ?? "UTC",
                    phone: call.value("--phone"), mail: call.value("--mail")))
        } else {
            do {
                person = try Names(api: api).id(of: .person, text)
            } catch let error as CommandError where error.message.hasPrefix("there is no") {
                throw CommandError(
                    error.message, hint: "say --phone or --mail to make an account for them")
            }
        }
        let role = call.value("--role") ?? Role.guardian.rawValue
        let circle = try api.post(
            path + "/members", ["person": .string(person), "role": .string(role)])
        say("\(text) (\(person)) is \(role) of \(circle.cell("name"))", circle, call)
    }

    private static func say(_ sentence: String, _ circle: JSON, _ call: Call) {
        Console.say(call.has("--json") ? circle.text : sentence)
    }

    private static func list(_ circles: [JSON], _ call: Call) {
        if call.has("--json") {
            for circle in circles { Console.say(circle.text) }
            return
        }
        guard !circles.isEmpty else { return Console.say("No circle yet: jaga init") }
        var table = Table("members", "name", "id")
        for circle in circles {
            table.add(
                String(circle["members"]?.array?.count ?? 0), circle.cell("name"),
                circle.cell("id"))
        }
        for line in table.lines { Console.say(line) }
    }

    private static func show(_ circle: JSON, _ api: API, _ call: Call) throws {
        if call.has("--json") { return Console.say(circle.text) }
        Console.say("\(Console.paint(circle.cell("name"), .bold))  \(circle.cell("id"))\n")
        let reachability = CircleReachability(in: circle, api)
        var table = Table("role", "name", "joined", "sharing", "contact points", "id")
        for member in circle["members"]?.array ?? [] {
            let id = member.cell("person")
            let person = try api.get("/v1/people/\(Holder.part(id))")
            let joined = member.cell("joined")
            table.add(
                member.cell("role"), member.cell("name"),
                joined.isEmpty ? "invited" : String(joined.prefix(10)),
                member.cell("sharing"),
                PersonCommand.contacts(of: person, reachability), id)
        }
        for line in table.lines { Console.say(line) }
        for line in reachability.unreachable { Console.say(line) }
    }
}

/// Who of a circle can be reached, as the notifier knows it; unknown if it does not answer.
struct CircleReachability {
    private let members: [JSON]?

    init(in circle: JSON, _ api: API) {
        let id = Holder.part(circle.cell("id"))
        self.init(try? api.get("/v1/circles/\(id)/reachability"))
    }

    /// - Parameter answer: of the notifier; nil if there is none
    init(_ answer: JSON?) { members = answer?["items"]?.array }

    /// A line for each member who cannot be reached.
    var unreachable: [String] {
        guard let members else { return ["who can be reached is unknown: see 'jaga status'"] }
        return members.filter { $0["reachable"]?.bool == false }.map { member in
            "cannot be reached: \(member.cell("name")) (\(member.cell("reason"))): "
                + "'jaga person contact' adds another number"
        }
    }

    /// Whether it says something of a person.
    func knows(_ person: String) -> Bool {
        members?.contains { $0.cell("person") == person } ?? false
    }

    /// Why a contact point cannot be reached; nil = it can.
    ///
    /// - Parameter index: in the order in which contact points are tried
    func obstacle(of person: String, _ index: Int, channel: String) -> String? {
        let member = members?.first { $0.cell("person") == person }
        guard let contact = member?["contacts"]?[index], contact.cell("channel") == channel else {
            return "unknown whether reachable"
        }
        return contact["reachable"]?.bool == true ? nil : contact.cell("reason")
    }
}
