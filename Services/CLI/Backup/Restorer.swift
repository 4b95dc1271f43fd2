import Bus
import Glibc
import Hosting
import Model
import Runtime
import Store

/// Restores the stores of a verified backup into a home.
///
/// All files are prepared in a folder of the home and moved into place at the end, so an error
/// before that leaves the home unchanged. An interruption after that leaves a home in which no
/// service starts (``UnfinishedRestore``) until a restore completes.
struct Restorer {
    let home: String
    let check: BackupCheck
    let manifest: Manifest
    let services: [Service]
    /// Whether the whole backup is restored, with secrets.
    let isWhole: Bool
    let isForced: Bool
    /// A further list of erased people.
    let erased: String?
    /// Called before each move with its target; may throw.
    var willMove: (String) throws -> Void = { _ in }

    /// Folder with prepared files. It is renamed when the first file of the home is moved, and
    /// removed at the end: while it exists, nothing starts in the home.
    private var draft: String { isInterrupted ? moving : moving + ".draft" }
    private var moving: String { "\(home)/\(UnfinishedRestore.name)" }

    /// - Returns: the folder with the previous files; nil if there were none
    func restore() throws -> String? {
        try Files.makeFolder(home, mode: 0o700)
        let locks = try lockAll()
        return try withExtendedLifetime(locks) {
            try refuseSmallerRestore()
            let former = formerFiles
            guard former.isEmpty || isForced else {
                throw CommandError(
                    "\(home) is not empty: it has \(former.joined(separator: ", "))",
                    hint: "use another home, or move these files aside with --force")
            }
            let wasInterrupted = isInterrupted
            do {
                try clearDraft()
                for service in services { try prepare(service) }
                try prepareSecrets()
                try mergeErased()
                try Files.write(
                    Array((contents.joined(separator: "\n") + "\n").utf8),
                    to: "\(draft)/\(UnfinishedRestore.contentsName)", mode: 0o600)
            } catch {
                if !wasInterrupted { try? Files.removeTree(draft) }
                throw error
            }
            if !wasInterrupted {
                try Files.move(draft, to: moving)
            }
            let aside = former.isEmpty ? nil : try moveAside(former)
            try moveIntoPlace()
            return aside
        }
    }

    // MARK: After an interruption

    private var isInterrupted: Bool { UnfinishedRestore.isBegun(in: home) }

    private var contents: [String] {
        services.map(\.rawValue) + (bringsSecrets ? [BackupMaker.secretsFolder] : [])
    }

    /// Rejects a restore that omits what an interrupted one began to move, whose state is unknown.
    private func refuseSmallerRestore() throws {
        let path = "\(draft)/\(UnfinishedRestore.contentsName)"
        guard isInterrupted, Files.exists(path) else { return }
        let begun = String(decoding: try Files.read(path), as: UTF8.self).split(separator: "\n")
        let missing = begun.map(String.init).filter { !contents.contains($0) }
        guard missing.isEmpty else {
            throw CommandError(
                "a restore into \(home) was interrupted, and this one omits some of what it "
                    + "moved: \(missing.joined(separator: ", "))",
                hint: "use the options of the interrupted restore")
        }
    }

    /// Removes files of an earlier restore, except the mark that it was interrupted.
    private func clearDraft() throws {
        guard isInterrupted else {
            for folder in [draft, moving] { try Files.removeTree(folder) }
            return
        }
        for name in try Files.names(in: draft) where name != UnfinishedRestore.contentsName {
            try Files.removeTree("\(draft)/\(name)")
        }
    }

    /// Locks the home: nothing may run or start in it.
    private func lockAll() throws -> [LockFile] {
        var paths = ["\(home)/up.lock", "\(home)/backup.lock"]
        for service in services {
            try Files.makeFolder("\(home)/\(service.rawValue)", mode: 0o700)
            paths.append("\(home)/\(service.rawValue)/lock")
        }
        return try paths.map { path in
            // A service may be restored by hand while 'jaga up' runs elsewhere.
            do throws(SystemError) {
                return try LockFile(path: path)
            } catch {
                guard error.code == "locked" else { throw error }
                throw CommandError(
                    "the suite runs in \(home): \(error.message)",
                    hint: "stop the suite first, or set another --home")
            }
        }
    }

    /// Existing files that would be replaced, relative to the home.
    private var formerFiles: [String] {
        var names: [String] = []
        for service in services {
            let folder = service.rawValue
            names += ["store.sqlite", "store.sqlite-wal", "store.sqlite-shm", BackupMaker.photos]
                .map { "\(folder)/\($0)" }
        }
        if bringsSecrets { names.append(BackupMaker.secretsFolder) }
        return names.filter { name in
            let path = "\(home)/\(name)"
            return Files.isFolder(path)
                ? (try? Files.tree(path))?.isEmpty == false : Files.exists(path)
        }
    }

    /// The folder with the backup's secrets; nil if none was named.
    private var secretsSource: String? {
        switch manifest.secrets {
        case .here: check.folder
        case .elsewhere: check.secrets
        case .none: nil
        }
    }

    /// Whether the backup's secrets replace those of the home.
    private var bringsSecrets: Bool {
        isWhole && secretsSource != nil && !manifest.secretFiles.isEmpty
    }

    /// Keys of sealed data in the backup that will be missing in the home.
    var missingKeys: [KeyFile] {
        get throws {
            let secrets = "\(home)/\(BackupMaker.secretsFolder)"
            let keys: [(Service, KeyFile, (Database) throws -> Bool)] = [
                (.ingest, .devices(secrets: secrets), KeyFile.hasSealedDevices),
                (.membership, .messages(secrets: secrets), KeyFile.hasSealedMessages),
            ]
            let brought = secretsSource == nil ? [] : manifest.secretFiles.map(\.path)
            return try keys.filter { service, key, isNeeded in
                guard services.contains(service), !Files.exists(key.path),
                    !brought.contains(where: { key.path == "\(home)/\($0)" }),
                    let store = manifest.stores.first(where: { $0.service == service })
                else { return false }
                return try isNeeded(
                    Database(reading: "\(check.folder)/\(store.file.path)", isImmutable: true))
            }.map(\.1)
        }
    }

    // MARK: Preparation

    private func prepare(_ service: Service) throws {
        guard let store = manifest.stores.first(where: { $0.service == service }) else { return }
        let folder = "\(draft)/\(service.rawValue)"
        try Files.makeFolder(folder, mode: 0o700)
        try copy(store.file, from: check.folder)
        for file in manifest.files where file.path.hasPrefix("\(service.rawValue)/") {
            try Files.makeFolder("\(folder)/\(BackupMaker.photos)", mode: 0o700)
            try copy(file, from: check.folder)
        }
        do {
            let database = try Database(path: "\(draft)/\(store.file.path)", migrations: nil)
            try database.transaction {
                try SQLiteBusStore(database).assignNewIncarnations(SecureRandom.id)
                try LastAlive(database).markRestored()
            }
        }
        try Files.sync("\(draft)/\(store.file.path)")
    }

    /// Existing secrets and settings of the home are kept; with --force they were moved aside.
    private func prepareSecrets() throws {
        guard let source = secretsSource else {
            guard manifest.secrets == .elsewhere, !Files.exists("\(home)/secrets") else { return }
            throw CommandError(
                "the secrets of this backup are in another folder",
                hint: "name the folder with --secrets, or copy the secrets into \(home)")
        }
        for file in manifest.secretFiles {
            let isKept = Files.exists("\(home)/\(file.path)")
            if isKept, !(isWhole && isForced && file.path != BackupMaker.configurationFile) {
                continue
            }
            try copy(file, from: source)
        }
    }

    /// Merges all known lists of erased people.
    private func mergeErased() throws {
        var entries = try ErasedList(home: home).read() + ErasedList(home: check.folder).read()
        if let erased {
            guard Files.exists(erased) else {
                throw CommandError("--erased: there is no file \(erased)")
            }
            entries += try ErasedList(path: erased).read()
        }
        guard !entries.isEmpty else { return }
        try ErasedList(home: draft).write(Array(Set(entries)))
    }

    private func copy(_ file: Manifest.File, from folder: String) throws {
        let parent = file.path.split(separator: "/").dropLast().joined(separator: "/")
        try Files.makeFolder("\(draft)/\(parent)", mode: 0o700)
        try Files.copy("\(folder)/\(file.path)", to: "\(draft)/\(file.path)")
        guard try BackupMaker.describe(file.path, in: draft) == file else {
            throw CommandError(
                "\(file.path) changed while it was copied", hint: "check the disks, then retry")
        }
    }

    // MARK: Moves

    private func moveAside(_ former: [String]) throws -> String {
        let stamp = SystemClock().now.description.filter { $0 != ":" && $0 != "-" }
        let aside = "\(home)/before-restore-\(stamp)"
        for name in former {
            let parent = name.split(separator: "/").dropLast().joined(separator: "/")
            try Files.makeFolder("\(aside)/\(parent)", mode: 0o700)
            try willMove("\(aside)/\(name)")
            try Files.move("\(home)/\(name)", to: "\(aside)/\(name)")
        }
        return aside
    }

    /// Stores come last, since a home without stores does not look restored.
    private func moveIntoPlace() throws {
        let names = try Files.tree(draft).filter { $0 != UnfinishedRestore.contentsName }
        let isStore = { (name: String) in name.hasSuffix("/store.sqlite") }
        for name in names.filter({ !isStore($0) }) + names.filter(isStore) {
            let parent = name.split(separator: "/").dropLast().joined(separator: "/")
            try Files.makeFolder("\(home)/\(parent)", mode: 0o700)
            try willMove("\(home)/\(name)")
            try Files.move("\(draft)/\(name)", to: "\(home)/\(name)")
        }
        try Files.removeTree(draft)
        try Files.sync(home)
    }
}
