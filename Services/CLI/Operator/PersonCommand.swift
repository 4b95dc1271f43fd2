import Archives
import Model
import Parsing
import Runtime
import Web

/// `jaga person`: accounts, and what is kept of somebody.
enum PersonCommand: Command {
    static let syntax = Syntax(
        name: "person", parameters: ["VERB", "[PERSON]", "[FILE]"],
        summary: "accounts; everything about a person as an archive; erasing somebody",
        details: """
            list                 everybody with an account
            show PERSON          the account
            export PERSON FILE   everything that is kept of a person, as a ZIP archive of JSON and
                                 GeoJSON; set JAGA_TOKEN to that person's token
            erase PERSON         deletes the account and everything that is kept of the person

            Erasing asks first: type the person's name. It cannot be taken back. Rows are gone
            within minutes, what streams and checkpoints still hold within two days. Backups made
            before still hold it; the file 'erased' in the home makes a restored one forget again.
            """,
        options: [
            .init(name: "--yes", value: nil, help: "erase: without asking"), .json,
        ] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let api = try API(call)
        let words = call.parameters
        switch (words[0], words.count) {
        case ("list", 1): list(try api.list("/v1/people"), call)
        case ("show", 2): Console.say(try api.get(path(words[1])).text)
        case ("export", 3): try export(words[1], to: words[2], api)
        case ("erase", 2): return try erase(words[1], api, isSure: call.has("--yes"))
        default: throw CommandError.usage("not understood: \(words.joined(separator: " "))", syntax)
        }
        return 0
    }

    private static func path(_ person: String) -> String { "/v1/people/\(Holder.part(person))" }

    private static func list(_ people: [JSON], _ call: Call) {
        if call.has("--json") {
            for person in people { Console.say(person.text) }
            return
        }
        var table = Table("name", "plan", "id")
        for person in people {
            table.add(person.cell("name"), person.cell("plan"), person.cell("id"))
        }
        for line in table.lines { Console.say(line) }
    }

    // MARK: Export

    /// One archive of what every service has.
    private static func export(_ person: String, to file: String, _ api: API) throws {
        api.timeoutMilliseconds = 3_600_000
        var archive = try api.bytes(path(person) + "/export")
        let more: [(name: String, JSON)] = [
            ("notifications.json", .array(try api.list(path(person) + "/notifications"))),
            ("proposals.json", .array(try api.list(path(person) + "/proposals"))),
            ("watches.json", .array(try api.list("/v1/watches"))),
        ]
        guard let whole = PersonCommand.archive(&archive, with: more, at: SystemClock().now) else {
            throw CommandError(
                "what came is no archive", hint: "does JAGA_URL lead to Jaga? try it again")
        }
        try Files.write(whole, to: file, mode: 0o600)
        Console.say("\(file): \(whole.count) bytes")
    }

    /// An archive with further files.
    static func archive(
        _ archive: inout [UInt8], with files: [(name: String, JSON)], at time: Timestamp
    ) -> [UInt8]? {
        var rest = 0
        guard var zip = ZipWriter(goingOnWith: archive, rest: &rest) else { return nil }
        archive.removeSubrange(rest...)
        for file in files { archive += zip.add(file.name, file.1.serialized(), at: time) }
        return archive + zip.finish()
    }

    // MARK: Erase

    private static func erase(_ person: String, _ api: API, isSure: Bool) throws -> Int32 {
        let account = try api.get(path(person))
        let name = account.cell("name")
        if !isSure {
            let id = account.cell("id")
            Console.say("Everything that is kept of \(name) (\(id)) will be deleted for good.")
            Console.write("Type the name to go on: ")
            guard Console.readLine() == name else {
                Console.complain("jaga person: nothing was deleted")
                return 1
            }
        }
        try api.delete(path(person))
        Console.say("\(name) is erased; rows go within minutes, streams within two days")
        return 0
    }
}
