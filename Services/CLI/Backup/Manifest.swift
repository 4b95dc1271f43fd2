import Model
import Parsing
import Wire

/// Content of a backup: `manifest.json` in its folder, written last.
struct Manifest: Hashable {
    /// A file of the backup.
    struct File: Hashable {
        /// Path in the backup's folder, or in the folder of its secrets.
        var path: String
        var bytes: Int
        /// SHA-256 in hexadecimal digits, as `sha256sum` shows it.
        var sha256: String
    }

    /// The store of a service.
    struct Store: Hashable {
        var service: Service
        var file: File
        /// When the copy was started. Its content is of this time or slightly later.
        var copied: Timestamp
        /// Last migration of each component; the service's own under its name.
        var layout: [String: Int]
        /// Streams with records that the store keeps.
        var streams: [Extent]
        /// Positions in streams of other services.
        var cursors: [Cursor]
    }

    struct Cursor: Hashable {
        var stream: StreamName
        var position: Position
    }

    /// Where the secrets are, without which sealed data cannot be read.
    enum Secrets: String {
        /// In the backup.
        case here
        /// In another folder.
        case elsewhere
        /// Omitted.
        case none
    }

    /// Format version; other versions are rejected.
    static let format = 1
    static let name = "manifest.json"

    /// Version of the program that made the backup.
    var version: String
    var began: Timestamp
    var ended: Timestamp
    /// In the order in which they were copied.
    var stores: [Store]
    /// Files besides the stores: photos of journeys.
    var files: [File]
    var secrets: Secrets
    /// `secrets/…` and `jaga.conf`.
    var secretFiles: [File]
}

// MARK: As JSON

extension Manifest {
    var json: JSON {
        [
            "format": .integer(Int64(Manifest.format)), "jaga": .string(version),
            "began": .string(began.description), "ended": .string(ended.description),
            "stores": .array(stores.map(\.json)), "files": .array(files.map(\.json)),
            "secrets": .string(secrets.rawValue),
            "secretFiles": .array(secretFiles.map(\.json)),
        ]
    }

    /// - Throws: ``CommandError`` with the invalid field
    init(_ json: JSON) throws(CommandError) {
        guard json["format"]?.int == Manifest.format else {
            throw CommandError(
                "the manifest's format is unknown to this version",
                hint: "use the version of jaga that made the backup, or a later one")
        }
        do throws(Unreadable) {
            version = try json.text("jaga")
            began = try json.time("began")
            ended = try json.time("ended")
            stores = try json.list("stores").map { json throws(Unreadable) in try Store(json) }
            files = try json.list("files").map { json throws(Unreadable) in try File(json) }
            guard let place = Secrets(rawValue: try json.text("secrets")) else {
                throw Unreadable(field: "secrets")
            }
            secrets = place
            secretFiles = try json.list("secretFiles").map { json throws(Unreadable) in
                try File(json)
            }
        } catch {
            throw CommandError("the manifest is damaged: \(error.field)")
        }
    }
}

/// A field of the manifest is missing or invalid.
struct Unreadable: Error {
    var field: String
}

extension Manifest.File {
    var json: JSON {
        ["path": .string(path), "bytes": .integer(Int64(bytes)), "sha256": .string(sha256)]
    }

    init(_ json: JSON) throws(Unreadable) {
        path = try json.text("path")
        bytes = try json.number("bytes")
        sha256 = try json.text("sha256")
        // Paths must not leave the backup's folder.
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.contains(where: { ["", ".", ".."].contains($0) }) else {
            throw Unreadable(field: "path")
        }
    }
}

extension Manifest.Store {
    var json: JSON {
        [
            "service": .string(service.rawValue), "file": file.json,
            "created": .string(copied.description),
            "layout": .object(
                layout.sorted { $0.key < $1.key }.map { .init($0.key, .integer(Int64($0.value))) }),
            "streams": .array(streams.map(\.json)),
            "cursors": .array(cursors.map(\.json)),
        ]
    }

    init(_ json: JSON) throws(Unreadable) {
        guard let found = Service(rawValue: try json.text("service")) else {
            throw Unreadable(field: "service")
        }
        service = found
        guard let described = json["file"] else { throw Unreadable(field: "file") }
        file = try Manifest.File(described)
        copied = try json.time("created")
        layout = [:]
        for member in json["layout"]?.object ?? [] { layout[member.key] = member.value.int ?? 0 }
        streams = try json.list("streams").map { json throws(Unreadable) in try Extent(json) }
        cursors = try json.list("cursors").map { json throws(Unreadable) in
            try Manifest.Cursor(json)
        }
    }
}

extension Manifest.Cursor {
    var json: JSON {
        [
            "stream": .string(stream.text), "life": .string(position.incarnation.text),
            "sequence": .integer(Int64(clamping: position.sequence)),
            "hash": .string(position.hash.hex),
        ]
    }

    init(_ json: JSON) throws(Unreadable) {
        stream = try json.stream()
        position = Position(
            incarnation: try json.life(), sequence: UInt64(try json.number("sequence")),
            hash: try json.hash("hash"))
    }
}

extension Extent {
    fileprivate var json: JSON {
        [
            "stream": .string(stream.text), "life": .string(head.incarnation.text),
            "base": .integer(Int64(clamping: base.sequence)), "baseHash": .string(base.hash.hex),
            "head": .integer(Int64(clamping: head.sequence)), "headHash": .string(head.hash.hex),
        ]
    }

    fileprivate init(_ json: JSON) throws(Unreadable) {
        let life = try json.life()
        self.init(
            stream: try json.stream(),
            base: Position(
                incarnation: life, sequence: UInt64(try json.number("base")),
                hash: try json.hash("baseHash")),
            head: Position(
                incarnation: life, sequence: UInt64(try json.number("head")),
                hash: try json.hash("headHash")),
            isSnapshotable: false)
    }
}

extension UInt64 {
    fileprivate var hex: String { String(self, radix: 16) }
}

extension JSON {
    fileprivate func text(_ key: String) throws(Unreadable) -> String {
        guard let text = self[key]?.string else { throw Unreadable(field: key) }
        return text
    }

    /// A number that is not negative.
    fileprivate func number(_ key: String) throws(Unreadable) -> Int {
        guard let number = self[key]?.int, number >= 0 else { throw Unreadable(field: key) }
        return number
    }

    fileprivate func time(_ key: String) throws(Unreadable) -> Timestamp {
        guard let time = Timestamp(try text(key)) else { throw Unreadable(field: key) }
        return time
    }

    fileprivate func list(_ key: String) throws(Unreadable) -> [JSON] {
        guard let list = self[key]?.array else { throw Unreadable(field: key) }
        return list
    }

    fileprivate func hash(_ key: String) throws(Unreadable) -> UInt64 {
        guard let hash = UntrustedNumber.bits(hexadecimal: try text(key), UInt64.self) else {
            throw Unreadable(field: key)
        }
        return hash
    }

    fileprivate func life() throws(Unreadable) -> ID128 {
        guard let life = ID128(text: try text("life")) else { throw Unreadable(field: "life") }
        return life
    }

    fileprivate func stream() throws(Unreadable) -> StreamName {
        guard let stream = StreamName(text: try text("stream")) else {
            throw Unreadable(field: "stream")
        }
        return stream
    }
}
