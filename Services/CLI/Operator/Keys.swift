import Bus
import Hosting
import Runtime

/// `jaga keys`: manages the key pairs that protect streams between processes.
enum Keys: Command {
    static let syntax = Syntax(
        name: "keys", parameters: ["init|show"],
        summary: "create or show the keys that protect streams",
        details: """
            'init' creates a key pair for each role: ROLE.key (secret) and ROLE.pub (public), in
            secrets/bus of the home folder or in JAGA_KEYS. Existing keys are kept unless --force is
            given. 'show' shows the public keys.

            Every service needs its key. A suite whose services run on one machine creates them at
            its first start. Anyone with operator.key can read every stream with 'jaga tail'.
            """,
        options: [
            .init(
                name: "--role", value: "ROLE",
                help: "only this role: ingest, membership, evaluator, timer, notifier, operator",
                repeats: true),
            .init(name: "--force", value: nil, help: "replace existing keys"), .home,
        ])

    static func run(_ call: Call) throws -> Int32 {
        let folder = BusSecurity.folder(try call.configuration(CommonSettings.network))
        let roles = try call.all("--role").map { name in
            guard let role = BusRole(rawValue: name) else {
                let known = BusRole.allCases.map(\.rawValue).joined(separator: ", ")
                throw CommandError.usage("--role must be one of \(known), not \(name)", syntax)
            }
            return role
        }
        let selected = roles.isEmpty ? BusRole.allCases : roles
        switch call.parameters[0] {
        case "init": try make(selected, in: folder, replacing: call.has("--force"))
        case "show": show(selected, in: folder)
        default: throw CommandError.usage("init or show is required", syntax)
        }
        return 0
    }

    private static func make(_ roles: [BusRole], in folder: KeyFolder, replacing: Bool) throws {
        let files = roles.flatMap { [folder.secretFile($0), folder.publicFile($0)] }
        if !replacing, let file = files.first(where: Files.exists) {
            throw CommandError(
                "keys already exist: \(file)",
                hint: "'jaga keys show' shows them; after --force, copy the new keys to every "
                    + "service and restart it")
        }
        let made = try folder.generate(roles)
        Console.print("Created keys in \(folder.path):\n")
        var table = Table("role", "fingerprint", "secret key, for this role only")
        for role in roles {
            table.add(
                role.rawValue, made[role]?.fingerprint ?? "", "\(role.rawValue).key")
        }
        for line in table.lines { Console.print(line) }
        Console.print(
            """

            Restart every service to load the keys. A service on another machine needs
            its own .key and every .pub, but no other .key, in the folder JAGA_KEYS.
            'jaga tail' needs operator.key and every .pub.
            """)
    }

    private static func show(_ roles: [BusRole], in folder: KeyFolder) {
        var table = Table("role", "fingerprint", "public key", "secret key")
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
        Console.print("Keys in \(folder.path):\n")
        for line in table.lines { Console.print(line) }
    }

    /// State of a role's secret key.
    private static func secret(_ role: BusRole, in folder: KeyFolder) -> String {
        let file = folder.secretFile(role)
        guard Files.exists(file) else { return "elsewhere" }
        guard let pair = try? folder.pair(of: role) else { return "not a key" }
        guard (try? folder.publicKey(folder.publicFile(role))) == pair.publicKey else {
            return "does not match the public key"
        }
        return folder.isOpen(file) ? "here, readable by others: run chmod 600" : "here"
    }
}
