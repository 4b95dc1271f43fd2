import Bus
import Glibc
import Hashing
import Hosting
import Model
import Runtime
import Store

/// Makes a backup of a home, store by store.
///
/// Stores of stream readers are copied before those of the services that keep the streams, so that
/// everything a reader has applied is in the log that is copied later. Services read each other's
/// streams, so this holds only for the most important ones (`in`, `events`, `sos`, `directory`).
/// Elsewhere a reader may be ahead of a log after a restore, and continues as after any loss of a
/// log.
struct BackupMaker {
    /// Where to put the secrets.
    enum Secrets: Hashable {
        case here
        case elsewhere(String)
        case none
    }

    let home: String
    /// Must not exist.
    let folder: String
    let secrets: Secrets

    static let order: [Service] = [.notifier, .timer, .ingest, .membership]
    /// Folder beside the store of ingest.
    static let photos = "photos"
    static let secretsFolder = "secrets"
    static let configurationFile = "jaga.conf"

    /// Makes the backup. Leaves nothing after an error.
    func make() throws -> Manifest {
        let services = BackupMaker.order.filter { Files.exists(path(of: $0)) }
        guard !services.isEmpty else {
            throw CommandError(
                "there is no store in \(home)", hint: "name the suite's home with --home")
        }
        var folders = [folder]
        if case .elsewhere(let other) = secrets { folders.append(other) }
        if let existing = folders.first(where: Files.exists) {
            throw CommandError("\(existing) already exists", hint: "name a new folder")
        }
        let lock = try LockFile(path: home + "/backup.lock")
        return try withExtendedLifetime(lock) {
            // An interrupted restore leaves a mix of old and restored files.
            for service in BackupMaker.order {
                try UnfinishedRestore.refuse(
                    home: home, service: service.rawValue, operation: "make a backup of \(home)")
            }
            do {
                return try make(services, folders)
            } catch {
                for folder in folders { try? Files.removeTree(BackupMaker.draft(of: folder)) }
                throw BackupMaker.explained(error, folder)
            }
        }
    }

    private func make(_ services: [Service], _ folders: [String]) throws -> Manifest {
        for folder in folders {
            let draft = BackupMaker.draft(of: folder)
            try Files.removeTree(draft)
            try Files.makeFolder(draft, mode: 0o700)
        }
        try checkRoom(for: services)
        let draft = BackupMaker.draft(of: folder)
        var manifest = Manifest(
            version: Version.text, began: SystemClock().now, ended: .zero, stores: [], files: [],
            secrets: .none, secretFiles: [])
        // Photos are copied before and after the stores, so that none that ingest's store names is
        // missing.
        var photos = try copyPhotos(into: draft, but: [])
        for service in services { manifest.stores.append(try copy(service, into: draft)) }
        photos += try copyPhotos(into: draft, but: Set(photos.map(\.path)))
        manifest.files = photos + (try copyErased(into: draft))
        switch secrets {
        case .here:
            manifest.secrets = .here
            manifest.secretFiles = try copySecrets(into: draft)
        case .elsewhere(let other):
            manifest.secrets = .elsewhere
            manifest.secretFiles = try copySecrets(into: BackupMaker.draft(of: other))
        case .none: break
        }
        manifest.ended = SystemClock().now
        try Files.write(manifest.json.serialized(), to: "\(draft)/\(Manifest.name)", mode: 0o600)
        for folder in folders.reversed() {
            try Files.move(BackupMaker.draft(of: folder), to: folder)
        }
        return manifest
    }

    private func path(of service: Service) -> String { "\(home)/\(service.rawValue)/store.sqlite" }

    static func draft(of folder: String) -> String {
        var folder = folder[...]
        while folder.count > 1, folder.last == "/" { folder.removeLast() }
        return folder + ".partial"
    }

    // MARK: Room

    private func checkRoom(for services: [Service]) throws {
        var bytes: UInt64 = 0
        for service in services {
            bytes += try Database(reading: path(of: service)).bytesUsed()
        }
        let photos = "\(home)/ingest/\(BackupMaker.photos)"
        for name in try Files.tree(photos) { bytes += Files.size(of: "\(photos)/\(name)") ?? 0 }
        let free = try Files.space(at: BackupMaker.draft(of: folder)).free
        guard bytes < free else {
            throw CommandError(
                "not enough space in \(folder): it needs \(StreamsReport.size(Int(bytes))), "
                    + "\(StreamsReport.size(Int(free))) are free",
                hint: "free space, or name a folder on another disk")
        }
    }

    /// The error for a full disk, with a hint.
    private static func explained(_ error: any Error, _ folder: String) -> any Error {
        guard let explained = error as? any ExplainedError, explained.code == "disk-full" else {
            return error
        }
        return CommandError(
            "the disk of \(folder) is full: \(explained.operation): \(explained.message)",
            hint: "the unfinished backup was removed; free space, or name a folder on another disk")
    }

    // MARK: Files

    private func copy(_ service: Service, into draft: String) throws -> Manifest.Store {
        let place = "\(service.rawValue)/store.sqlite"
        try Files.makeFolder("\(draft)/\(service.rawValue)", mode: 0o700)
        let copiedAt = SystemClock().now
        try Database(reading: path(of: service)).copy(to: "\(draft)/\(place)")
        try Files.sync("\(draft)/\(service.rawValue)")
        let copied = try Database(reading: "\(draft)/\(place)", isImmutable: true)
        let streams = SQLiteBusStore(copied)
        return Manifest.Store(
            service: service, file: try BackupMaker.describe(place, in: draft), copied: copiedAt,
            layout: try Manifest.layout(of: copied, service),
            streams: try streams.extents().filter { $0.head.sequence > 0 },
            cursors: try streams.cursors().map { .init(stream: $0.stream, position: $0.position) })
    }

    /// - Parameter known: paths that were copied before
    private func copyPhotos(
        into draft: String, but known: Set<String>
    ) throws -> [Manifest.File] {
        let source = "\(home)/ingest/\(BackupMaker.photos)"
        let target = "ingest/\(BackupMaker.photos)"
        var copied: [Manifest.File] = []
        for name in try Files.tree(source) where !known.contains("\(target)/\(name)") {
            // Drafts are renamed or deleted, and photos may be deleted meanwhile.
            guard !name.hasSuffix(".new"), Files.exists("\(source)/\(name)") else { continue }
            try Files.makeFolder("\(draft)/\(target)", mode: 0o700)
            try Files.copy("\(source)/\(name)", to: "\(draft)/\(target)/\(name)")
            copied.append(try BackupMaker.describe("\(target)/\(name)", in: draft))
        }
        return copied
    }

    /// Copies the list of erased people, which is applied when an older backup is restored.
    private func copyErased(into draft: String) throws -> [Manifest.File] {
        guard Files.exists("\(home)/\(ErasedList.name)") else { return [] }
        try Files.copy("\(home)/\(ErasedList.name)", to: "\(draft)/\(ErasedList.name)")
        return [try BackupMaker.describe(ErasedList.name, in: draft)]
    }

    private func copySecrets(into draft: String) throws -> [Manifest.File] {
        var names = try Files.tree("\(home)/\(BackupMaker.secretsFolder)")
            .map { "\(BackupMaker.secretsFolder)/\($0)" }
        if Files.exists("\(home)/\(BackupMaker.configurationFile)") {
            names.append(BackupMaker.configurationFile)
        }
        return try names.map { name in
            let parent = name.split(separator: "/").dropLast().joined(separator: "/")
            try Files.makeFolder("\(draft)/\(parent)", mode: 0o700)
            try Files.copy("\(home)/\(name)", to: "\(draft)/\(name)")
            return try BackupMaker.describe(name, in: draft)
        }
    }

    /// Size and digest of a file.
    static func describe(_ path: String, in folder: String) throws -> Manifest.File {
        var digest = SHA256Digest()
        var bytes = 0
        try Files.readPieces(of: "\(folder)/\(path)") { piece in
            digest.add(piece)
            bytes += piece.count
        }
        return Manifest.File(path: path, bytes: bytes, sha256: Hex.encode(digest.finish()))
    }
}

extension Manifest {
    static func layout(of store: Database, _ service: Service) throws -> [String: Int] {
        var layout: [String: Int] = [:]
        for (component, number) in try store.appliedMigrations() {
            layout[component.isEmpty ? service.rawValue : component] = number
        }
        return layout
    }
}
