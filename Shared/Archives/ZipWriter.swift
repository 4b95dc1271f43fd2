import Model

/// Writes a ZIP archive in pieces, entry after entry, without knowing beforehand how long any of
/// them will be.
///
/// ```swift
/// var zip = ZipWriter()
/// var bytes = zip.begin("person.json", at: now)
/// bytes += zip.take(Array("{}".utf8))
/// bytes += zip.end()
/// bytes += zip.finish()
/// ```
///
/// Entries are compressed, or stored as they are where they are compressed already. Archives of
/// 4 GiB and more need another form, which is not written: ``hasRoom(for:)`` says where they end.
public struct ZipWriter {
    private struct Entry {
        var name: [UInt8]
        var method: UInt16
        var date: (time: UInt16, day: UInt16)
        var crc: UInt32 = 0
        var compressed: UInt32 = 0
        var size: UInt32 = 0
        var offset: UInt32

        /// What stands of it before its content and in the directory alike.
        func putHead(into bytes: inout [UInt8]) {
            bytes.put(ZipWriter.version)
            bytes.put(ZipWriter.flags)
            bytes.put(method)
            bytes.put(date.time)
            bytes.put(date.day)
            bytes.put(crc)
            bytes.put(compressed)
            bytes.put(size)
            bytes.put(UInt16(name.count))
            // No further fields.
            bytes.put(0 as UInt16)
        }
    }

    private static let stored: UInt16 = 0
    private static let deflated: UInt16 = 8
    /// Lengths follow the entry, its name is UTF-8.
    private static let flags: UInt16 = 1 << 3 | 1 << 11
    private static let version: UInt16 = 20
    private static let bytesMax = UInt32.max - (64 << 20)
    private static let entriesMax = Int(UInt16.max) - 1

    /// Bytes of the archive so far.
    private var length: UInt32
    private var entries: [Entry] = []
    private var deflate: Deflate?
    /// What stands in the directory already, of an archive that is gone on with.
    private let before: (directory: [UInt8], count: Int)

    public init() {
        length = 0
        before = ([], 0)
    }

    /// Goes on with an archive that this type has written: what is written from now on takes the
    /// place of everything from `rest` on.
    ///
    /// - Returns: nil where it is none
    public init?(goingOnWith archive: [UInt8], rest: inout Int) {
        guard archive.count >= ZipWriter.endBytes else { return nil }
        let end = archive.count - ZipWriter.endBytes
        func number(_ bytes: Int, at place: Int) -> Int {
            (0..<bytes).reduce(0) { $0 | Int(archive[end + place + $1]) << (8 * $1) }
        }
        let size = number(4, at: 12)
        let offset = number(4, at: 16)
        guard number(4, at: 0) == 0x0605_4B50, offset + size == end else { return nil }
        length = UInt32(offset)
        before = (Array(archive[offset..<end]), number(2, at: 10))
        rest = offset
    }

    private static let endBytes = 22

    /// Whether so many bytes more, uncompressed, and another entry surely fit.
    public func hasRoom(for bytes: Int) -> Bool {
        Int(length) + bytes + bytes / 1000 + 1000 < Int(ZipWriter.bytesMax)
            && before.count + entries.count < ZipWriter.entriesMax
    }

    /// Begins an entry.
    ///
    /// - Parameters:
    ///   - name: with `/` between folders
    ///   - isCompressed: already, such as a photo; it is stored as it is
    public mutating func begin(
        _ name: String, at time: Timestamp, isCompressed: Bool = false
    ) -> [UInt8] {
        invariant(deflate == nil, "an entry of an archive ends before the next one begins")
        let entry = Entry(
            name: Array(name.utf8),
            method: isCompressed ? ZipWriter.stored : ZipWriter.deflated,
            date: ZipWriter.date(time), offset: length)
        if !isCompressed { deflate = Deflate() }
        var bytes: [UInt8] = []
        bytes.put(0x0403_4B50 as UInt32)
        entry.putHead(into: &bytes)
        bytes += entry.name
        entries.append(entry)
        return counted(bytes)
    }

    /// More of the entry.
    public mutating func take(_ piece: [UInt8]) -> [UInt8] { write(piece, isLast: false) }

    /// The end of the entry.
    public mutating func end() -> [UInt8] {
        var bytes = write([], isLast: true)
        deflate = nil
        let entry = entries[entries.count - 1]
        var descriptor: [UInt8] = []
        descriptor.put(0x0807_4B50 as UInt32)
        descriptor.put(entry.crc)
        descriptor.put(entry.compressed)
        descriptor.put(entry.size)
        bytes += counted(descriptor)
        return bytes
    }

    /// A whole entry.
    public mutating func add(
        _ name: String, _ content: [UInt8], at time: Timestamp, isCompressed: Bool = false
    ) -> [UInt8] {
        begin(name, at: time, isCompressed: isCompressed) + take(content) + end()
    }

    /// The end of the archive.
    public mutating func finish() -> [UInt8] {
        let offset = length
        var directory = before.directory
        for entry in entries {
            directory.put(0x0201_4B50 as UInt32)
            directory.put(ZipWriter.version)
            entry.putHead(into: &directory)
            // No comment, one disk, no attributes of files.
            directory += [UInt8](repeating: 0, count: 10)
            directory.put(entry.offset)
            directory += entry.name
        }
        let count = UInt16(before.count + entries.count)
        var bytes = directory
        bytes.put(0x0605_4B50 as UInt32)
        bytes.put(0 as UInt32)
        bytes.put(count)
        bytes.put(count)
        bytes.put(UInt32(directory.count))
        bytes.put(offset)
        bytes.put(0 as UInt16)
        return counted(bytes)
    }

    private mutating func write(_ piece: [UInt8], isLast: Bool) -> [UInt8] {
        let last = entries.count - 1
        invariant(last >= 0, "an archive's bytes belong to an entry")
        var bytes = piece
        if let deflate {
            bytes = []
            deflate.take(piece, isLast: isLast, into: &bytes)
        }
        entries[last].crc = Deflate.crc32(piece, after: entries[last].crc)
        entries[last].size += UInt32(piece.count)
        entries[last].compressed += UInt32(bytes.count)
        return counted(bytes)
    }

    private mutating func counted(_ bytes: [UInt8]) -> [UInt8] {
        length += UInt32(bytes.count)
        return bytes
    }

    /// Time and day as ZIP has them, in UTC: two seconds are the least that it knows.
    private static func date(_ time: Timestamp) -> (time: UInt16, day: UInt16) {
        let text = Array(time.description.utf8).map { Int($0) - 48 }
        func number(_ from: Int, _ digits: Int) -> Int {
            text[from..<from + digits].reduce(0) { $0 * 10 + $1 }
        }
        let day = max(0, number(0, 4) - 1980) << 9 | number(5, 2) << 5 | number(8, 2)
        let second = number(11, 2) << 11 | number(14, 2) << 5 | number(17, 2) / 2
        return (UInt16(truncatingIfNeeded: second), UInt16(truncatingIfNeeded: day))
    }
}

extension [UInt8] {
    fileprivate mutating func put<Number: FixedWidthInteger>(_ number: Number) {
        for byte in 0..<Number.bitWidth / 8 {
            append(UInt8(truncatingIfNeeded: number >> (8 * byte)))
        }
    }
}
