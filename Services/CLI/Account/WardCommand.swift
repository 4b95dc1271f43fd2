import Model
import Parsing

/// `jaga ward`: lists and declares the wards of a guardian.
enum WardCommand: Command {
    static let syntax = Syntax(
        name: "ward", parameters: ["[VERB]", "[NAME|WARD]"],
        summary: "list and declare the wards of a guardian",
        details: """
            list         lists your wards; also without a verb
            add NAME     creates an account that you act for until --until; with --phone and --mail
                         as its contact points
            join WARD    asks the guardians of a ward to be another guardian; WARD is an id, or
                         the name of somebody in a circle of yours

            A ward sees that they are watched, cannot pause or leave alone, and can always call for
            help. Set JAGA_TOKEN or --token-file to your token; the operator sets --person.
            """,
        options: [
            OwnAccount.option,
            .init(
                name: "--until", value: "DATE",
                help: "add: the day on which the ward takes over, such as 2036-06-01"),
            .init(
                name: "--phone", value: "NUMBER",
                help: "add: phone number such as +60123456789"),
            .init(name: "--mail", value: "ADDRESS", help: "add: mail address"),
            .init(
                name: "--time-zone", value: "NAME",
                help: "add: time zone such as Asia/Kuala_Lumpur"),
            .tokenFile, .json,
        ] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let api = try API(call)
        let words = call.parameters.isEmpty ? ["list"] : call.parameters
        let path = try OwnAccount(api, call).path + "/wards"
        switch (words[0], words.count) {
        case ("list", 1): list(try api.list(path), call)
        case ("add", 2):
            let ward = try api.post(path, try declaration(of: words[1], call))
            Console.print(
                call.has("--json") ? ward.text : "created \(ward.cell("id")) \(ward.cell("name"))")
        case ("join", 2):
            let ward = try Names(api: api).id(of: .person, words[1])
            let asked = try api.post(path, ["person": .string(ward)])
            Console.print(
                call.has("--json")
                    ? asked.text
                    : "The guardians are asked. They can answer until \(asked.cell("expires")).")
        default:
            throw CommandError.usage("list, add NAME or join WARD is required", syntax)
        }
        return 0
    }

    /// The body of a new ward.
    static func declaration(of name: String, _ call: Call) throws(CommandError) -> JSON {
        guard let day = call.value("--until") else {
            throw .usage("add: --until DATE is required", syntax)
        }
        let text = day.count == 10 ? day + "T00:00:00.000Z" : day
        guard Timestamp(text) != nil else {
            throw CommandError("--until: \(day) is not a date", hint: "use one such as 2036-06-01")
        }
        var body: [JSON.Member] = [
            .init("name", .string(name)), .init("wardUntil", .string(text)),
        ]
        if let zone = call.value("--time-zone") { body.append(.init("timeZone", .string(zone))) }
        let given = [("sms", call.value("--phone")), ("email", call.value("--mail"))]
        let contacts = given.compactMap { channel, address in address.map { (channel, $0) } }
        if !contacts.isEmpty {
            let items = contacts.enumerated().map { rank, contact -> JSON in
                [
                    "channel": .string(contact.0), "address": .string(contact.1),
                    "rank": .integer(Int64(rank)),
                ]
            }
            body.append(.init("contacts", .array(items)))
        }
        return .object(body)
    }

    private static func list(_ wards: [JSON], _ call: Call) {
        Listing(.field("name"), .day("until", "wardUntil"), .field("id"), ifEmpty: "No wards.")
            .print(wards, call)
    }
}
