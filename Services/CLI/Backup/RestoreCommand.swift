import Hosting
import Model
import Runtime

/// `jaga restore`: restores a backup into a home folder.
enum RestoreCommand: Command {
    static let syntax = Syntax(
        name: "restore", parameters: ["DIR"],
        summary: "restore a backup into a home folder; all services must be stopped",
        details: """
            Verifies the backup first, as 'jaga backup verify' does. Rejects a home in which a
            service runs, and one that already has stores; with --force these are moved into the
            folder before-restore-TIME of the home.

            Every stream gets a new incarnation, so that readers notice the restore and do not
            confuse new records with old ones. Data that other services have beyond the backup is
            kept. What became due since the backup is held for up to ten minutes when the suite
            starts, see 'jaga held'. To test a backup, start it with 'jaga up --dry-run': no
            messages are sent.

            Services with sealed data do not start without the secrets. If these are neither in the
            backup nor in the home, the command warns and shows how to start with new keys.

            People who were erased after the backup are erased again at the start, by the list
            'erased' of the home and that of --erased. See docs/backup.md.
            """,
        options: [
            .init(
                name: "--service", value: "NAME",
                help: "restore only this service's store", repeats: true),
            .init(
                name: "--secrets", value: "DIR",
                help: "folder made by 'jaga backup --secrets'"),
            .init(name: "--force", value: nil, help: "move existing files of the home aside"),
            .init(
                name: "--erased", value: "FILE",
                help: "a newer list 'erased', such as another backup's"),
            .home, .config,
        ])

    static func run(_ call: Call) throws -> Int32 {
        let home = try call.configuration().text("JAGA_HOME")
        let check = BackupCheck(folder: call.parameters[0], secrets: call.value("--secrets"))
        let manifest = try check.manifest()
        let faults = try check.findings(of: manifest).faults
        guard faults.isEmpty else {
            for fault in faults { Console.printError("damaged: \(fault)") }
            throw CommandError(
                "the backup \(check.folder) is damaged; nothing was changed",
                hint: "use another backup; 'jaga backup verify' shows details")
        }
        let restorer = Restorer(
            home: home, check: check, manifest: manifest,
            services: try services(call, of: manifest), isWhole: !call.has("--service"),
            isForced: call.has("--force"), erased: call.value("--erased"))
        let missing = try restorer.missingKeys
        if !missing.isEmpty { warn(of: missing, in: home) }
        let aside = try restorer.restore()
        let names = restorer.services.map(\.rawValue).joined(separator: ", ")
        Console.print("Restored into \(home): \(names), as of \(manifest.began).")
        if let aside { Console.print("The previous files are in \(aside).") }
        Console.print(
            """

            Data accepted after the backup is lost. Start the suite; what became due since the
            backup is held: 'jaga held' lists, sends or drops it. 'jaga up --dry-run' starts the
            suite without sending messages.
            """)
        return 0
    }

    /// Warns about missing keys before anything is moved: services with sealed data will not start.
    private static func warn(of keys: [KeyFile], in home: String) {
        let names = keys.map { String($0.path.dropFirst(home.utf8.count + 1)) }
        Console.printError(
            """
            jaga restore: neither the backup nor \(home) has \(names.joined(separator: ", ")), \
            which sealed data of the stores requires: services will not start.
            """)
        for key in keys { Console.printError("\(key.recreationHint)") }
    }

    private static func services(_ call: Call, of manifest: Manifest) throws -> [Service] {
        let available = manifest.stores.map(\.service)
        guard call.has("--service") else { return available }
        return try call.all("--service").map { name in
            guard let service = Service(rawValue: name), available.contains(service) else {
                let known = available.map(\.rawValue).joined(separator: ", ")
                throw CommandError.usage("--service must be one of \(known), not \(name)", syntax)
            }
            return service
        }
    }
}
