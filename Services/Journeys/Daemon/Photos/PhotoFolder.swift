import API
import JourneysCore
import Model
import Runtime
import Web

/// Photos of journeys as files beside the store, named by the digest of their bytes.
///
/// A file is on the disk before the row that refers to it is committed, and is removed only after
/// the last such row. A crash may leave an extra file, which the next start removes.
final class PhotoFolder {
    /// Nil for a store in memory.
    private let folder: String?
    /// Files whose rows were removed in this turn, and in committed turns.
    private var unusedThisTurn: Set<ID128> = []
    private var unused: Set<ID128> = []

    /// - Parameter path: path of the store
    init(beside path: String) {
        guard path != ":memory:" else {
            folder = nil
            return
        }
        let home = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        folder = home + "/photos"
    }

    private func path(_ digest: ID128) -> String? { folder.map { "\($0)/\(digest.text)" } }

    /// Stores bytes under their digest.
    func write(_ bytes: [UInt8], digest: ID128) throws {
        guard let folder, let path = path(digest) else {
            throw Problem.unavailable(
                "photos cannot be stored: the store has no folder", retryAfterSeconds: 60)
        }
        guard !Files.exists(path) else { return }
        try Files.makeFolder(folder, mode: 0o700)
        try Files.write(bytes, to: path, mode: 0o600)
    }

    /// Nil if the file is missing.
    func read(_ digest: ID128) -> [UInt8]? {
        path(digest).flatMap { try? Files.read($0, bytesMax: Operation.BodySize.photo.bytesMax) }
    }

    /// Marks files whose rows are removed in this turn.
    func markUnused(_ digests: [ID128]) { unusedThisTurn.formUnion(digests) }

    /// Unmarks files after a rollback.
    func rollBack() { unusedThisTurn.removeAll() }

    var isTidy: Bool { unusedThisTurn.isEmpty && unused.isEmpty }

    /// Removes some files of earlier turns that no row refers to. If other rows of a file are
    /// removed in this turn, it waits for the next, because this turn may be rolled back.
    func tidy(_ store: JourneyStore) throws {
        guard !isTidy else { return }
        for digest in unused.subtracting(unusedThisTurn).prefix(JourneyLimits.photosRemovedPerTurn)
        {
            unused.remove(digest)
            guard let path = path(digest), try !store.isNamed(digest) else { continue }
            try Files.remove(path)
        }
        unused.formUnion(unusedThisTurn)
        unusedThisTurn.removeAll()
    }

    /// Removes all files that no row refers to, including partial ones, after a crash.
    func sweep(_ store: JourneyStore) throws {
        guard let folder, Files.exists(folder) else { return }
        for name in try Files.names(in: folder) {
            if let digest = ID128(text: name), try store.isNamed(digest) { continue }
            try Files.remove("\(folder)/\(name)")
        }
    }
}
