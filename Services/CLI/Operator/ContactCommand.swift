import Parsing

/// `jaga contact`: lists, verifies and tests contact points.
enum ContactCommand: Command {
    static let syntax = Syntax(
        name: "contact", parameters: ["VERB", "PERSON", "[ADDRESS]", "[CODE]"],
        summary: "list, verify and test contact points",
        details: """
            list PERSON                   lists contact points in the order in which they are tried
            verify PERSON ADDRESS         sends a code to a contact point
            verify PERSON ADDRESS CODE    verifies it by the code
            test PERSON ADDRESS           sends a test message to a verified contact point
            vouch PERSON ADDRESS          verifies it without a code; for the operator, as long as
                                          the person has verified none by code

            People verify and test their own contact points: set JAGA_TOKEN to the person's token.
            'jaga person contact' adds and removes contact points.
            """,
        options: [.json] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let api = try API(call)
        let words = call.parameters
        guard words.count >= 2 else { throw CommandError.usage("PERSON is required", syntax) }
        let path = "/v1/people/" + API.pathPart(try Names(api: api).id(of: .person, words[1]))
        let person = try api.get(path)
        switch (words[0], words.count) {
        case ("list", 2): list(person, call)
        case ("verify", 3):
            let sent = try api.post(try contact(words[2], of: person, path) + "/code", [:])
            Console.print(
                call.has("--json")
                    ? sent.text : "A code was sent. It is valid until \(sent.cell("expires")).")
        case ("verify", 4):
            let verified = try api.post(
                try contact(words[2], of: person, path) + "/verification",
                ["code": .string(words[3])])
            list(verified, call)
        case ("test", 3):
            _ = try api.post(try contact(words[2], of: person, path) + "/test", [:])
            Console.print("A test message was sent to \(words[2]).")
        case ("vouch", 3):
            _ = try contact(words[2], of: person, path)
            let contacts = (person["contacts"]?.array ?? []).map { contact -> JSON in
                guard contact.cell("address") == words[2] else { return contact }
                let others = (contact.object ?? []).filter { $0.key != "vouched" }
                return .object(others + [.init("vouched", true)])
            }
            list(try api.put(path, ["contacts": .array(contacts)]), call)
        default:
            throw CommandError.usage(
                "unexpected arguments: \(words.joined(separator: " "))", syntax)
        }
        return 0
    }

    /// The path of a contact point.
    private static func contact(
        _ address: String, of person: JSON, _ path: String
    ) throws -> String {
        let found = (person["contacts"]?.array ?? []).first { $0.cell("address") == address }
        guard let found else {
            throw CommandError(
                "\(address) is not a contact point of this person",
                hint: "'jaga contact list' shows them")
        }
        return path + "/contacts/" + API.pathPart(found.cell("id"))
    }

    private static func list(_ person: JSON, _ call: Call) {
        let contacts = (person["contacts"]?.array ?? []).sorted { order($0) < order($1) }
        Listing(
            .field("address"), .field("channel"), .field("label"), .text("verified", state)
        ).print(contacts, call)
    }

    /// Verified contact points come first.
    private static func order(_ contact: JSON) -> (Int, Int, String) {
        (contact["verified"]?.string == nil ? 1 : 0, contact["rank"]?.int ?? 0, contact.cell("id"))
    }

    static func state(of contact: JSON) -> String {
        guard let verified = contact["verified"]?.string else { return "no" }
        return contact["vouched"]?.bool == true ? "\(verified) (vouched)" : verified
    }
}
