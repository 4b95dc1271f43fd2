import Hosting
import Model
import Runtime

/// `jaga backup`: everything that a suite has on its disk, while it runs; and whether a backup is
/// whole.
enum BackupCommand: Command {
    static let syntax = Syntax(
        name: "backup", parameters: ["[verify]", "DIR"],
        summary: "copy everything that the suite keeps, while it runs; check a copy",
        details: """
            Makes the folder DIR, for its owner only, with the stores of all services, photos,
            secrets, jaga.conf and manifest.json. It is there whole or not at all: until then it
            is DIR.partial. Runs beside the services, as the user who owns the home.

            Without the secrets nobody can open what is sealed in the stores (keys of phones, codes
            on their way). Whoever has stores and secrets can read everything: --secrets puts the
            latter elsewhere, to be kept by somebody else.

            'jaga backup verify DIR' reads all of a backup: digests, stores, chains of streams, and
            whether the stores belong together. Exit status 0: it is whole; 1: it is not, or could
            not be made; 2: wrong call. 'jaga restore' puts it back. See docs/backup.md.
            """,
        options: [
            .init(
                name: "--secrets", value: "DIR",
                help: "put secrets and jaga.conf there; to verify: they are there"),
            .init(name: "--without-secrets", value: nil, help: "leave secrets and jaga.conf out"),
            .home, .config,
        ])

    static func run(_ call: Call) throws -> Int32 {
        guard call.parameters.count == 1 else {
            guard call.parameters[0] == "verify" else {
                throw CommandError.usage("not understood: \(call.parameters[0])", syntax)
            }
            return try verify(call)
        }
        // As where the variable that names the folder is empty: a check that passes always.
        guard call.parameters != ["verify"] else {
            throw CommandError.usage("missing: DIR (a backup of that name: ./verify)", syntax)
        }
        if call.has("--secrets"), call.has("--without-secrets") {
            throw CommandError.usage("say --secrets or --without-secrets", syntax)
        }
        let maker = BackupMaker(
            home: try call.configuration().text("JAGA_HOME"), folder: call.parameters[0],
            secrets: call.has("--without-secrets")
                ? .none : call.value("--secrets").map { .elsewhere($0) } ?? .here)
        tell(try maker.make(), in: call.parameters[0])
        return 0
    }

    private static func verify(_ call: Call) throws -> Int32 {
        let check = BackupCheck(folder: call.parameters[1], secrets: call.value("--secrets"))
        let manifest = try check.manifest()
        let findings = try check.findings(of: manifest)
        tell(manifest, in: check.folder)
        for remark in findings.remarks { Console.say("note: \(remark)") }
        for fault in findings.faults { Console.complain("damaged: \(fault)") }
        guard findings.faults.isEmpty else { return 1 }
        Console.say(Console.paint("The backup is whole.", .green))
        return 0
    }

    private static func tell(_ manifest: Manifest, in folder: String) {
        Console.say("Backup \(folder), by jaga \(manifest.version):\n")
        var table = Table("store", "as of", "size", "streams", "records")
        for store in manifest.stores {
            let records = store.streams.reduce(0) {
                $0 + ($1.head.sequence - min($1.base.sequence, $1.head.sequence))
            }
            table.add(
                store.service.rawValue, store.taken.description,
                StreamsReport.size(store.file.bytes), "\(store.streams.count)", "\(records)")
        }
        for line in table.lines { Console.say(line) }
        let photos = manifest.files.filter { $0.path != ErasedList.name }
        let bytes = photos.reduce(0) { $0 + $1.bytes }
        Console.say("\nPhotos: \(photos.count), \(StreamsReport.size(bytes)).")
        let secrets = "Secrets (\(manifest.secretFiles.count) files)"
        switch manifest.secrets {
        case .here:
            Console.say("\(secrets) are in it: whoever has this folder can read everything.")
        case .elsewhere: Console.say("\(secrets) are in another folder; it takes both to restore.")
        case .none:
            Console.say(
                "Secrets are NOT in it: without secrets/ of the home, sealed things are lost.")
        }
    }
}
