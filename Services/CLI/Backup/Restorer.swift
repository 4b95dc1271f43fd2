import Bus
import Glibc
import Hosting
import Model
import Runtime
import Store

/// Puts the stores of a backup that was checked into a home.
///
/// Everything is made ready in a folder of the home, and moved into place at the end: whatever goes
/// wrong before leaves the home as it was. What is interrupted later leaves a home in which nothing
/// starts (``UnfinishedRestore``), until a restore comes to its end.
struct Restorer {
    let home: String
    let check: BackupCheck
    let manifest: Manifest
    let services: [Service]
    /// All that is in the backup, with secrets, not some stores only.
    let isWhole: Bool
    let isForced: Bool
    /// A further list of people who had themselves erased.
    let erased: String?
    /// Called before anything of the home is moved, with where it goes; may throw.
    var willMove: (String) throws -> Void = { _ in }

    /// Where everything is made ready, and what it is called as soon as anything of the home is
    /// moved, until all of it is in place: as long as it is there, nothing starts in the home.
    private var draft: String { isInterrupted ? moving : moving + ".draft" }
    private var moving: String { "\(home)/\(UnfinishedRestore.name)" }

    /// - Returns: the folder in which what was there before is now; nil if nothing was
    func restore() throws -> String? {
        try Files.makeFolder(home, mode: 0o700)
        let locks = try lockAll()
        return try withExtendedLifetime(locks) {
            try refuseLess()
            let former = formerFiles
            guard former.isEmpty || isForced else {
                throw CommandError(
                    "\(home) is not empty: it has \(former.joined(separator: ", "))",
                    hint: "name another home, or move these aside with --force")
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

    /// What an interrupted restore began to put back is put back too: of it nobody knows what is in
    /// place.
    private func refuseLess() throws {
        let path = "\(draft)/\(UnfinishedRestore.contentsName)"
        guard isInterrupted, Files.exists(path) else { return }
        let begun = String(decoding: try Files.read(path), as: UTF8.self).split(separator: "\n")
        let missing = begun.map(String.init).filter { !contents.contains($0) }
        guard missing.isEmpty else {
            throw CommandError(
                "a restore into \(home) was interrupted, and this one leaves out some of what it "
                    + "moved: \(missing.joined(separator: ", "))",
                hint: "run it with the options of the interrupted one")
        }
    }

    /// Removes what is left of an earlier restore, but what says that it was interrupted.
    private func clearDraft() throws {
        guard isInterrupted else {
            for folder in [draft, moving] { try Files.removeTree(folder) }
            return
        }
        for name in try Files.names(in: draft) where name != UnfinishedRestore.contentsName {
            try Files.removeTree("\(draft)/\(name)")
        }
    }

    /// Nothing runs in the home, nor starts before this is over.
    private func lockAll() throws -> [LockFile] {
        var paths = ["\(home)/up.lock", "\(home)/backup.lock"]
        for service in services {
            try Files.makeFolder("\(home)/\(service.rawValue)", mode: 0o700)
            paths.append("\(home)/\(service.rawValue)/lock")
        }
        return try paths.map { path in
            // 'jaga up' may run while one of its services is put back by hand elsewhere.
            do throws(SystemError) {
                return try LockFile(path: path)
            } catch {
                guard error.code == "locked" else { throw error }
                throw CommandError(
                    "the suite runs in \(home): \(error.message)",
                    hint: "stop it first, or name another home with --home")
            }
        }
    }

    /// What would be replaced, relative to the home.
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

    /// The folder that has the secrets of the backup; nil where none was named.
    private var secretsSource: String? {
        switch manifest.secrets {
        case .here: check.folder
        case .elsewhere: check.secrets
        case .none: nil
        }
    }

    /// Whether secrets of the home give way to those of the backup.
    private var bringsSecrets: Bool {
        isWhole && secretsSource != nil && !manifest.secretFiles.isEmpty
    }

    /// Those with which something of the backup is sealed, and which will not be in the home.
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
                    Database(reading: "\(check.folder)/\(store.file.path)", isStill: true))
            }.map(\.1)
        }
    }

    // MARK: Made ready

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
                try SQLiteBusStore(database).beginNewLives(SecureRandom.id)
                try Attendance(database).markRestored()
            }
        }
        try Files.sync("\(draft)/\(store.file.path)")
    }

    /// Secrets and settings that the home has already stay: with --force they were moved aside.
    private func prepareSecrets() throws {
        guard let source = secretsSource else {
            guard manifest.secrets == .elsewhere, !Files.exists("\(home)/secrets") else { return }
            throw CommandError(
                "the secrets of this backup are in another folder",
                hint: "name it with --secrets, or put secrets into \(home) first")
        }
        for file in manifest.secretFiles {
            let isKept = Files.exists("\(home)/\(file.path)")
            if isKept, !(isWhole && isForced && file.path != BackupMaker.configurationFile) {
                continue
            }
            try copy(file, from: source)
        }
    }

    /// Whoever was erased at any time, as far as anybody knows.
    private func mergeErased() throws {
        var entries = try ErasedList(home: home).read() + ErasedList(home: check.folder).read()
        if let erased {
            guard Files.exists(erased) else {
                throw CommandError("there is no file \(erased)", hint: "the file of --erased")
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
                "\(file.path) changed while it was copied", hint: "check the disks and try again")
        }
    }

    // MARK: Put into place

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

    /// Stores last: a home without a store is one that nobody takes for restored.
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
