import Hosting
import Model
import Runtime

/// `jaga restore`: puts a backup into a home.
enum RestoreCommand: Command {
    static let syntax = Syntax(
        name: "restore", parameters: ["DIR"],
        summary: "put a backup back into a home, while nothing runs there",
        details: """
            Checks all of the backup first, as 'jaga backup verify' does. Refuses a home in which a
            service runs, and one that has stores already; with --force these are moved into the
            folder before-restore-TIME of the home and stay there.

            Every stream begins a new life, so that services notice and none takes a new record for
            an old one; whatever the others have that this backup has not is not lost. What became
            due since the backup waits up to ten minutes for 'jaga release' when the suite starts.
            To try a backup out, start it with 'jaga up --rehearsal': nothing is sent outside.

            Without secrets, in the backup or in the home, services that have something sealed do
            not start; what is missing is told before, with how to begin with new keys.

            People who had themselves erased after the backup are erased again at the start, by
            the list 'erased' of the home and that of --erased. See docs/backup.md.
            """,
        options: [
            .init(
                name: "--service", value: "NAME",
                help: "only this service's store, while the others keep theirs", repeats: true),
            .init(
                name: "--secrets", value: "DIR",
                help: "the folder that 'jaga backup --secrets' made"),
            .init(name: "--force", value: nil, help: "move what is in the home aside"),
            .init(
                name: "--erased", value: "FILE",
                help: "a list 'erased' of a later time, such as another backup's"),
            .home, .config,
        ])

    static func run(_ call: Call) throws -> Int32 {
        let home = try call.configuration().text("JAGA_HOME")
        let check = BackupCheck(folder: call.parameters[0], secrets: call.value("--secrets"))
        let manifest = try check.manifest()
        let faults = try check.findings(of: manifest).faults
        guard faults.isEmpty else {
            for fault in faults { Console.complain("damaged: \(fault)") }
            throw CommandError(
                "the backup \(check.folder) is not whole; nothing was changed",
                hint: "take another one; 'jaga backup verify' says more")
        }
        let restorer = Restorer(
            home: home, check: check, manifest: manifest,
            services: try services(call, of: manifest), isWhole: !call.has("--service"),
            isForced: call.has("--force"), erased: call.value("--erased"))
        let missing = try restorer.missingKeys
        if !missing.isEmpty { warn(of: missing, in: home) }
        let aside = try restorer.restore()
        let names = restorer.services.map(\.rawValue).joined(separator: ", ")
        Console.say("Restored into \(home): \(names), as of \(manifest.began).")
        if let aside { Console.say("What was there is in \(aside).") }
        Console.say(
            """

            What was accepted after the backup is gone. Start the suite; what became due since is
            held: 'jaga release' shows it, and sends or drops it. 'jaga up --rehearsal' starts it
            without sending anything outside.
            """)
        return 0
    }

    /// Before anything is moved: without these the services will not start.
    private static func warn(of keys: [KeyFile], in home: String) {
        let names = keys.map { String($0.path.dropFirst(home.utf8.count + 1)) }
        Console.complain(
            """
            jaga restore: neither the backup nor \(home) has \(names.joined(separator: ", ")), \
            with which the stores have something sealed: services stop at their start without.
            """)
        for key in keys { Console.complain("\(key.wishing)") }
    }

    private static func services(_ call: Call, of manifest: Manifest) throws -> [Service] {
        let there = manifest.stores.map(\.service)
        guard call.has("--service") else { return there }
        return try call.all("--service").map { name in
            guard let service = Service(rawValue: name), there.contains(service) else {
                let known = there.map(\.rawValue).joined(separator: ", ")
                throw CommandError.usage("the backup has no store of \(name): \(known)", syntax)
            }
            return service
        }
    }
}
