import Model
import Parsing
import Runtime
import Web

/// `jaga person`: manages accounts and contact points, exports and erases personal data.
enum PersonCommand: Command {
    static let syntax = Syntax(
        name: "person", parameters: ["VERB", "[PERSON]", "[FILE]"],
        summary: "manage accounts and contact points, export or erase personal data",
        details: """
            list                 lists all accounts
            show PERSON          shows contact points, circles and phones
            add NAME             creates an account with --phone and --mail as contact points,
                                 and prints its activation code, once
            activate PERSON      reads that code from a line of input, and prints the first token
                                 of the account; PERSON is an id
            invite [CONTACT]     prints a link that lets a person join the circle of --circle; a
                                 number or address gets it by message
            import FILE          creates the accounts of a team from a CSV file with the columns
                                 name, phone, mail, role, locale and timeZone, and adds them to
                                 --circle as managed members; --dry-run only checks the file,
                                 --undo IMPORT erases what an import created and nobody changed
                                 since
            contact PERSON       adds contact points (--phone, --mail) or removes one (--remove)
            export PERSON FILE   exports all data of a person as a ZIP archive of JSON and GeoJSON;
                                 set JAGA_TOKEN to that person's token. index.json lists the
                                 parts, also those that a service did not deliver
            erase PERSON         deletes the account and all data of a person

            PERSON is a name or an id. Phones: 'jaga device list PERSON'; remove a lost or stolen
            phone with 'jaga device remove PERSON/NAME'.

            Erasing asks for confirmation and cannot be undone. Rows are deleted within minutes,
            data in streams and checkpoints within two days. Older backups still contain the data;
            the file 'erased' in the home erases the person again after a restore.
            """,
        options: [
            .init(name: "--circle", value: "CIRCLE", help: "invite, import: name or id"),
            .init(name: "--dry-run", value: nil, help: "import: only check the file"),
            .init(name: "--undo", value: "IMPORT", help: "import: record of the import to undo"),
            .init(name: "--yes", value: nil, help: "erase: do not ask for confirmation"),
            .init(
                name: "--phone", value: "NUMBER",
                help: "add, contact: phone number such as +60123456789"),
            .init(name: "--mail", value: "ADDRESS", help: "add, contact: mail address"),
            .init(
                name: "--vouch", value: nil,
                help: "add: verify the contact points; you know that they are the person's"),
            .init(
                name: "--remove", value: "ADDRESS",
                help: "contact: number or mail address to remove"),
            .init(
                name: "--name", value: "TEXT", help: "activate: name of the token (default first)"),
            .init(
                name: "--time-zone", value: "NAME",
                help: "add: time zone such as Asia/Kuala_Lumpur (default UTC)"),
            .json,
        ] + InvitationMaker.options + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let words = call.parameters
        if words.count == 2, words[0] == "activate" {
            try activate(words[1], API(withoutToken: call), call)
            return 0
        }
        let api = try API(call)
        func id() throws -> String { try Names(api: api).id(of: .person, words[1]) }
        switch (words[0], words.count) {
        case ("list", 1): list(try api.list("/v1/people"), call)
        case ("show", 2): try show(try api.get(path(id())), api, call)
        case ("add", 2):
            let made = try Enrolment(api: api).person(
                .init(
                    name: words[1], timeZone: call.value("--time-zone") ?? "UTC",
                    phone: call.value("--phone"), mail: call.value("--mail"),
                    isVouched: call.has("--vouch")))
            Console.print("created \(made.id) \(words[1])")
            for line in Enrolment.activationLines(made) { Console.print(line) }
        case ("invite", 1...2):
            let circle = try Names(api: api).id(of: .circle, try circleName(call))
            try InvitationMaker(api: api).invite(
                to: API.pathPart(circle), words.count > 1 ? words[1] : nil, call)
        case ("import", 1) where call.has("--undo"):
            return try TeamImport(api: api).undo(call.value("--undo") ?? "")
        case ("import", 2):
            return try TeamImport(api: api).run(
                words[1], circle: try circleName(call), isDryRun: call.has("--dry-run"))
        case ("contact", 2): try changeContacts(of: try id(), api, call)
        case ("export", 3): try export(try id(), to: words[2], api)
        case ("erase", 2): return try erase(try id(), api, isSure: call.has("--yes"))
        default:
            throw CommandError.usage(
                "unexpected arguments: \(words.joined(separator: " "))", syntax)
        }
        return 0
    }

    /// The code is read from the input, because everybody on this machine sees arguments.
    private static func activate(_ person: String, _ api: API, _ call: Call) throws {
        guard PersonID(person) != nil else {
            throw CommandError(
                "\(person) is not the id of a person", hint: "it begins with per_")
        }
        if Console.isTerminal { Console.write("Activation code: ") }
        let code = Console.readLine() ?? ""
        let made = try api.post(
            path(person) + "/activation",
            [
                "code": .string(code.trimmed),
                "name": .string(call.value("--name") ?? "first"),
            ])
        Console.print(try CredentialCommand.token(in: made))
    }

    private static func circleName(_ call: Call) throws(CommandError) -> String {
        guard let name = call.value("--circle") else {
            throw .usage("--circle is required", syntax)
        }
        return name
    }

    private static func path(_ person: String) -> String { "/v1/people/\(API.pathPart(person))" }

    private static func list(_ people: [JSON], _ call: Call) {
        Listing(.field("name"), .field("plan"), .field("id")).print(people, call)
    }

    // MARK: Contact points, circles, phones

    private static func show(_ person: JSON, _ api: API, _ call: Call) throws {
        if call.has("--json") { return Console.print(person.text) }
        let id = person.cell("id")
        Console.print("\(Console.paint(person.cell("name"), .bold))  \(id)\n")
        let own = try api.list("/v1/circles").filter { circle in
            (circle["members"]?.array ?? []).contains { $0.cell("person") == id }
        }
        let reachability = own.map { CircleReachability(in: $0, api) }
        let known = reachability.first { $0.knows(id) } ?? CircleReachability(nil)
        Console.print("contact points  \(contacts(of: person, known))")
        let circles = own.flatMap { circle in
            (circle["members"]?.array ?? []).filter { $0.cell("person") == id }.map {
                "\(circle.cell("name")) (\($0.cell("role")))"
            }
        }
        Console.print("circles         \(circles.joined(separator: ", "))")
        let phones = try api.list(path(id) + "/devices").map {
            "\($0.cell("name")) (\($0.cell("client")), \($0.cell("id")))"
        }
        Console.print("phones          \(phones.joined(separator: ", "))")
        Console.print(
            "plan            \(person.cell("plan")), time zone \(person.cell("timeZone"))")
        // Includes the members who would help.
        for line in Set(reachability.flatMap(\.unreachable)).sorted() { Console.print(line) }
    }

    /// Addresses in the order in which they are tried.
    ///
    /// - Parameter reachability: shown for each address; nil = not shown
    static func contacts(of person: JSON, _ reachability: CircleReachability? = nil) -> String {
        let all = (person["contacts"]?.array ?? []).sorted {
            ($0["rank"]?.int ?? 0, $0.cell("id")) < ($1["rank"]?.int ?? 0, $1.cell("id"))
        }
        let shown = all.enumerated().map { index, contact in
            let obstacle = reachability?.obstacle(
                of: person.cell("id"), index, channel: contact.cell("channel"))
            return contact.cell("address") + (obstacle.map { " (\($0))" } ?? "")
        }
        return shown.isEmpty ? "none" : shown.joined(separator: ", ")
    }

    private static func changeContacts(of id: String, _ api: API, _ call: Call) throws {
        var contacts = (try api.get(path(id))["contacts"]?.array ?? []).map { contact in
            JSON.object((contact.object ?? []).filter { $0.key != "id" })
        }
        if let address = call.value("--remove") {
            guard contacts.contains(where: { $0.cell("address") == address }) else {
                throw CommandError("\(address) is not a contact point of this person")
            }
            contacts.removeAll { $0.cell("address") == address }
        }
        let new = [("sms", call.value("--phone")), ("email", call.value("--mail"))]
        for (channel, address) in new {
            guard let address else { continue }
            let rank = (contacts.compactMap { $0["rank"]?.int }.max() ?? -1) + 1
            contacts.append([
                "channel": .string(channel), "address": .string(address),
                "rank": .integer(Int64(rank)),
            ])
        }
        let person = try api.put(path(id), ["contacts": .array(contacts)])
        Console.print(
            call.has("--json") ? person.text : "contact points: \(self.contacts(of: person))")
    }

    // MARK: Export

    /// Exports the data of all services as one archive. A part whose service does not answer is
    /// named in the index.
    private static func export(_ person: String, to file: String, _ api: API) throws {
        api.timeoutMilliseconds = 3_600_000
        let path = path(person)
        func part(_ name: String, _ service: ServiceName, _ read: () throws -> JSON)
            -> ExportArchive.Part
        {
            do {
                return .init(name: name, service: service, content: .success(try read()))
            } catch {
                return .init(name: name, service: service, content: .failure(.init("\(error)")))
            }
        }
        let caller = try? api.get("/v1/me")["person"]?.cell("id")
        // These paths list what belongs to the caller, who may be a guardian of the person.
        func own(_ list: () throws -> [JSON]) throws -> JSON {
            guard caller == person else {
                throw CommandError("only the person's own token reads this part")
            }
            return .array(try list())
        }
        let main: Result<[UInt8], ExportArchive.Missing>
        do { main = .success(try api.bytes(path + "/export")) } catch {
            main = .failure(.init("\(error)"))
        }
        let parts = [
            part("account.json", .membership) { try api.get(path) },
            part("credential-use.json", .membership) {
                .array(try api.list(path + "/credentials"))
            },
            part("sessions.json", .membership) { try own { try api.list("/v1/sessions") } },
            part("identities.json", .membership) { .array(try api.list(path + "/identities")) },
            part("passkeys.json", .membership) { .array(try api.list(path + "/passkeys")) },
            part("consents.json", .membership) { .array(try api.list(path + "/consents")) },
            part("never-notify.json", .membership) { try api.get(path + "/never-notify") },
            part("notifications.json", .notifier) {
                .array(try api.list(path + "/notifications"))
            },
            part("drafts.json", .notifier) { .array(try api.list(path + "/drafts")) },
            part("watches.json", .timer) { try own { try api.list("/v1/watches") } },
        ]
        let archive = ExportArchive(main: main, parts: parts)
        guard let bytes = archive.bytes(at: SystemClock().now) else {
            throw CommandError(
                "the response is not an archive", hint: "check JAGA_URL, then retry")
        }
        guard !archive.isEmpty else {
            throw CommandError(
                "nothing could be exported: \(archive.missing.first?.reason ?? "")",
                hint: "set JAGA_TOKEN to that person's token, and check that the suite runs")
        }
        try Files.write(bytes, to: file, mode: 0o600)
        Console.print("\(file): \(bytes.count) bytes")
        for missing in archive.missing {
            Console.printError("jaga person: \(missing.name) is missing: \(missing.reason)")
        }
    }

    // MARK: Erase

    private static func erase(_ person: String, _ api: API, isSure: Bool) throws -> Int32 {
        let account = try api.get(path(person))
        let name = account.cell("name")
        if !isSure {
            let id = account.cell("id")
            Console.print("All data of \(name) (\(id)) will be deleted permanently.")
            Console.write("Type the name to continue: ")
            guard Console.readLine() == name else {
                Console.printError("jaga person: nothing was deleted")
                return 1
            }
        }
        let certificate = try api.call(.delete, path(person))
        Console.print("\(name) is erased; rows are deleted within minutes, streams within two days")
        for kept in certificate["kept"]?.array ?? [] {
            Console.print("kept: \(kept.cell("what")), \(kept.cell("why"))")
        }
        return 0
    }
}
