import Hosting
import Model
import Runtime

/// `jaga backup`: makes and verifies backups of a suite.
enum BackupCommand: Command {
    static let syntax = Syntax(
        name: "backup", parameters: ["[verify]", "DIR"],
        summary: "back up the running suite, verify a backup",
        details: """
            Creates the folder DIR, for its owner only, with the stores of all services, photos,
            secrets, jaga.conf and manifest.json. An unfinished backup is DIR.partial. The suite may
            be running; run the command as the user who owns the home.

            Sealed data in the stores (keys of phones, pending codes) cannot be read without the
            secrets. Stores and secrets together reveal everything: --secrets puts the secrets into
            another folder, to be kept by somebody else.

            'jaga backup verify DIR' verifies digests, stores, chains of streams and the consistency
            of the stores. Exit status: 0 = intact, 1 = damaged or failed, 2 = wrong usage. 'jaga
            restore' restores it. See docs/backup.md.
            """,
        options: [
            .init(
                name: "--secrets", value: "DIR",
                help: "folder for secrets and jaga.conf; with verify: their folder"),
            .init(name: "--without-secrets", value: nil, help: "omit secrets and jaga.conf"),
            .home, .config,
        ])

    static func run(_ call: Call) throws -> Int32 {
        guard call.parameters.count == 1 else {
            guard call.parameters[0] == "verify" else {
                throw CommandError.usage("unexpected argument \(call.parameters[0])", syntax)
            }
            return try verify(call)
        }
        // The variable with the folder may be empty. Without this check, "verify" would then always
        // succeed.
        guard call.parameters != ["verify"] else {
            throw CommandError.usage(
                "DIR is required (for a backup named verify: ./verify)", syntax)
        }
        if call.has("--secrets"), call.has("--without-secrets") {
            throw CommandError.usage("--secrets and --without-secrets exclude each other", syntax)
        }
        let maker = BackupMaker(
            home: try call.configuration().text("JAGA_HOME"), folder: call.parameters[0],
            secrets: call.has("--without-secrets")
                ? .none : call.value("--secrets").map { .elsewhere($0) } ?? .here)
        report(try maker.make(), in: call.parameters[0])
        return 0
    }

    private static func verify(_ call: Call) throws -> Int32 {
        let check = BackupCheck(folder: call.parameters[1], secrets: call.value("--secrets"))
        let manifest = try check.manifest()
        let findings = try check.findings(of: manifest)
        report(manifest, in: check.folder)
        for remark in findings.remarks { Console.print("note: \(remark)") }
        for fault in findings.faults { Console.printError("damaged: \(fault)") }
        guard findings.faults.isEmpty else { return 1 }
        Console.print(Console.paint("The backup is intact.", .green))
        return 0
    }

    private static func report(_ manifest: Manifest, in folder: String) {
        Console.print("Backup \(folder), by jaga \(manifest.version):\n")
        var table = Table("store", "as of", "size", "streams", "records")
        for store in manifest.stores {
            let records = store.streams.reduce(0) {
                $0 + ($1.head.sequence - min($1.base.sequence, $1.head.sequence))
            }
            table.add(
                store.service.rawValue, store.copied.description,
                StreamsReport.size(store.file.bytes), "\(store.streams.count)", "\(records)")
        }
        for line in table.lines { Console.print(line) }
        let photos = manifest.files.filter { $0.path != ErasedList.name }
        let bytes = photos.reduce(0) { $0 + $1.bytes }
        Console.print("\nPhotos: \(photos.count), \(StreamsReport.size(bytes)).")
        let secrets = "Secrets (\(manifest.secretFiles.count) files)"
        switch manifest.secrets {
        case .here:
            Console.print("\(secrets) are included: this folder reveals everything.")
        case .elsewhere: Console.print("\(secrets) are in another folder; a restore requires both.")
        case .none:
            Console.print(
                "Secrets are NOT included: without secrets/ of the home, sealed data is lost.")
        }
    }
}
