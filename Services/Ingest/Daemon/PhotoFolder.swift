import IngestCore
import Model
import Runtime
import Web

/// Photos of journeys as files beside the store, each named by the digest of its bytes.
///
/// A file is there, on the disk, before the row that names it is committed, and goes only after the
/// last such row is gone: a crash may leave a file too many, which the next start removes.
final class PhotoFolder {
    /// Nil for a store without a disk.
    private let folder: String?
    /// Files whose rows went in this turn, and in turns that are committed.
    private var leaving: Set<ID128> = []
    private var left: Set<ID128> = []

    /// - Parameter path: of the store
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
            throw Problem.unavailable("there is no disk for photos", retryAfterSeconds: 60)
        }
        guard !Files.exists(path) else { return }
        try Files.makeFolder(folder, mode: 0o700)
        try Files.write(bytes, to: path, mode: 0o600)
    }

    /// Nil when the file is gone.
    func read(_ digest: ID128) -> [UInt8]? {
        path(digest).flatMap { try? Files.read($0, bytesMax: Limits.journeyPhotoBytes) }
    }

    /// Rows that name these go in this turn.
    func leave(_ digests: [ID128]) { leaving.formUnion(digests) }

    /// The turn was taken back.
    func stay() { leaving.removeAll() }

    var isTidy: Bool { leaving.isEmpty && left.isEmpty }

    /// Removes some files of earlier turns that no row names any more. One whose other rows go in
    /// this turn waits for the next: this one may be taken back.
    func tidy(_ store: JourneyStore) throws {
        guard !isTidy else { return }
        for digest in left.subtracting(leaving).prefix(Limits.journeyPhotosRemovedPerTurn) {
            left.remove(digest)
            guard let path = path(digest), try !store.isNamed(digest) else { continue }
            try Files.remove(path)
        }
        left.formUnion(leaving)
        leaving.removeAll()
    }

    /// Looks at every file, after a crash: those that no row names go, and so do drafts.
    func sweep(_ store: JourneyStore) throws {
        guard let folder, Files.exists(folder) else { return }
        for name in try Files.names(in: folder) {
            if let digest = ID128(text: name), try store.isNamed(digest) { continue }
            try Files.remove("\(folder)/\(name)")
        }
    }
}
