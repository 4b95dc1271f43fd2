import Glibc
import Model
import Runtime

/// List of erased people: the file `erased` in the home directory.
///
/// It lies outside the stores, so that it survives the restore of an older backup. People who are
/// in the list and in a restored directory are erased again. Each line has a time and the id of a
/// person.
public struct ErasedList {
    /// The erasure of one person.
    public struct Entry: Hashable, Comparable, Sendable {
        public var time: Timestamp
        public var person: PersonID

        public init(time: Timestamp, person: PersonID) {
            self.time = time
            self.person = person
        }

        public static func < (left: Entry, right: Entry) -> Bool {
            (left.time, left.person) < (right.time, right.person)
        }
    }

    public static let name = "erased"

    private let path: String

    /// - Parameter path: path of the file, which need not exist
    public init(path: String) { self.path = path }

    /// - Parameter home: the suite's home folder
    public init(home: String) { self.init(path: "\(home)/\(ErasedList.name)") }

    /// Reads all entries, ascending; skips invalid lines.
    public func read() throws(SystemError) -> [Entry] {
        guard Files.exists(path) else { return [] }
        let text = String(decoding: try Files.read(path, bytesMax: 256 << 20), as: UTF8.self)
        let entries = text.split(whereSeparator: \.isNewline).compactMap { line -> Entry? in
            let words = line.split(separator: " ")
            guard words.count == 2, let time = Timestamp(words[0]), let person = PersonID(words[1])
            else { return nil }
            return Entry(time: time, person: person)
        }
        return Set(entries).sorted()
    }

    /// Replaces the file.
    public func write(_ entries: [Entry]) throws(SystemError) {
        let text = entries.sorted().map { "\($0.time) \($0.person)\n" }.joined()
        try Files.write(Array(text.utf8), to: path, mode: 0o600)
    }

    /// Adds people who are not listed yet. The file is on disk when this returns.
    public func add(_ people: [PersonID], at time: Timestamp) throws(SystemError) {
        var entries = try read()
        let known = Set(entries.map(\.person))
        let new = Set(people).subtracting(known)
        guard !new.isEmpty else { return }
        entries += new.map { Entry(time: time, person: $0) }
        try write(entries)
    }
}
