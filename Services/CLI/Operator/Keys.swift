import Bus
import Hosting
import Runtime

/// `jaga keys`: the keys that protect streams between processes.
enum Keys: Command {
    static let syntax = Syntax(
        name: "keys", parameters: ["init|show"],
        summary: "make or show the keys that protect streams",
        details: """
            'init' makes a pair of keys for each role: ROLE.key, its secret half, and ROLE.pub, for
            all. They lie in secrets/bus of the home folder, or where JAGA_KEYS says. Keys that are
            there stay, unless you say --force. 'show' shows the public halves.

            Every service needs its key. A suite whose services are all on one machine makes them
            at its first start. Anyone with operator.key can follow every stream with 'jaga tail'.
            """,
        options: [
            .init(
                name: "--role", value: "ROLE",
                help: "only this one: ingest, membership, evaluator, timer, notifier, operator",
                repeats: true),
            .init(name: "--force", value: nil, help: "replace keys that are there"), .home,
        ])

    static func run(_ call: Call) throws -> Int32 {
        let folder = BusSecurity.folder(try call.configuration(CommonSettings.network))
        let roles = try call.all("--role").map { name in
            guard let role = BusRole(rawValue: name) else {
                let known = BusRole.allCases.map(\.rawValue).joined(separator: ", ")
                throw CommandError.usage("there is no role \(name): \(known)", syntax)
            }
            return role
        }
        let wanted = roles.isEmpty ? BusRole.allCases : roles
        switch call.parameters[0] {
        case "init": try make(wanted, in: folder, replacing: call.has("--force"))
        case "show": show(wanted, in: folder)
        default: throw CommandError.usage("say: init or show", syntax)
        }
        return 0
    }

    private static func make(_ roles: [BusRole], in folder: KeyFolder, replacing: Bool) throws {
        let files = roles.flatMap { [folder.secretFile($0), folder.publicFile($0)] }
        if !replacing, let file = files.first(where: Files.exists) {
            throw CommandError(
                "there are keys already: \(file)",
                hint: "'jaga keys show' shows them; --force replaces them, and then every service "
                    + "must get the new ones and be started again")
        }
        let made = try folder.make(roles)
        Console.say("Made keys in \(folder.path):\n")
        var table = Table("role", "fingerprint", "secret half, for that role alone")
        for role in roles {
            table.add(
                role.rawValue, made[role]?.fingerprint ?? "", "\(role.rawValue).key")
        }
        for line in table.lines { Console.say(line) }
        Console.say(
            """

            Start every service again, so that it reads them. A service on another machine needs
            its own .key and every .pub in the folder that JAGA_KEYS names there, no other .key.
            'jaga tail' needs operator.key and every .pub.
            """)
    }

    private static func show(_ roles: [BusRole], in folder: KeyFolder) {
        var table = Table("role", "fingerprint", "public half", "secret half")
        for role in roles {
            let files = [folder.publicFile(role), folder.oldFile(role)].filter(Files.exists)
            if files.isEmpty { table.add(role.rawValue, "", "missing", secret(role, in: folder)) }
            for file in files {
                let isOld = file == folder.oldFile(role)
                let key = try? folder.publicKey(file)
                table.add(
                    role.rawValue + (isOld ? " (old)" : ""), key?.fingerprint ?? "",
                    key?.text ?? "not a key", isOld ? "" : secret(role, in: folder))
            }
        }
        Console.say("Keys in \(folder.path):\n")
        for line in table.lines { Console.say(line) }
    }

    /// What is to be said of a role's secret half.
    private static func secret(_ role: BusRole, in folder: KeyFolder) -> String {
        let file = folder.secretFile(role)
        guard Files.exists(file) else { return "elsewhere" }
        guard let pair = try? folder.pair(of: role) else { return "not a key" }
        guard (try? folder.publicKey(folder.publicFile(role))) == pair.publicKey else {
            return "of another pair"
        }
        return folder.isOpen(file) ? "here, and others can read it: chmod 600 it" : "here"
    }
}
