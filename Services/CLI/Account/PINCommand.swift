import Parsing

/// `jaga pin`: sets and removes the PIN and the duress PIN of a person.
enum PINCommand: Command {
    static let syntax = Syntax(
        name: "pin", parameters: ["VERB", "PERSON"],
        summary: "set, change and remove a PIN and a duress PIN",
        details: """
            show PERSON             shows whether a PIN is set
            set PERSON              sets the PIN
            remove PERSON           removes the PIN, and the duress PIN with it
            set-duress PERSON       sets the duress PIN
            remove-duress PERSON    removes the duress PIN

            Digits are read from standard input, one PIN per line, so that they are in no list of
            processes: the current PIN if one is set, then the new one if one is to be set. A PIN
            has 4 to 8 digits. For the person only: set JAGA_TOKEN to the person's token.
            """,
        options: [.json] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let api = try API(call)
        let words = call.parameters
        guard words.count == 2 else { throw CommandError.usage("PERSON is required", syntax) }
        let person = "/v1/people/" + API.pathPart(try Names(api: api).id(of: .person, words[1]))
        let before = try api.get(person + "/pin")
        let isSet = before["set"]?.bool == true
        switch words[0] {
        case "show": report(before, call)
        case "set": report(try api.put(person + "/pin", try body(isSet, isNew: true)), call)
        case "remove": report(try api.put(person + "/pin", try body(isSet, isNew: false)), call)
        case "set-duress":
            report(try api.put(person + "/duress-pin", try body(isSet, isNew: true)), call)
        case "remove-duress":
            report(try api.put(person + "/duress-pin", try body(isSet, isNew: false)), call)
        default: throw CommandError.usage("unknown verb: \(words[0])", syntax)
        }
        return 0
    }

    private static func body(_ isSet: Bool, isNew: Bool) throws -> JSON {
        let current: JSON = isSet ? .string(try line("the current PIN")) : .null
        return ["current": current, "pin": isNew ? .string(try line("the new PIN")) : .null]
    }

    private static func line(_ what: String) throws -> String {
        guard let line = Console.readLine(), !line.isEmpty else {
            throw CommandError(
                "\(what) is missing", hint: "write each PIN on a line of standard input")
        }
        return line
    }

    private static func report(_ pin: JSON, _ call: Call) {
        if call.has("--json") { return Console.print(pin.text) }
        Console.print(pin["set"]?.bool == true ? "A PIN is set." : "No PIN is set.")
    }
}
