import Model

/// Writes a ZIP archive incrementally, entry by entry, with sizes unknown in advance.
///
/// ```swift
/// var zip = ZipWriter()
/// var bytes = zip.begin("person.json", at: now)
/// bytes += zip.append(Array("{}".utf8))
/// bytes += zip.end()
/// bytes += zip.finish()
/// ```
///
/// Entries are compressed, or stored if they are compressed already. ZIP64 is not supported: use
/// ``hasRoom(for:)`` to stay below 4 GiB.
public struct ZipWriter {
    private struct Entry {
        var name: [UInt8]
        var method: UInt16
        var date: (time: UInt16, day: UInt16)
        var crc: UInt32 = 0
        var compressed: UInt32 = 0
        var size: UInt32 = 0
        var offset: UInt32

        /// Appends the fields that the local header and the directory have in common.
        func putCommonFields(into bytes: inout [UInt8]) {
            bytes.put(ZipWriter.version)
            bytes.put(ZipWriter.flags)
            bytes.put(method)
            bytes.put(date.time)
            bytes.put(date.day)
            bytes.put(crc)
            bytes.put(compressed)
            bytes.put(size)
            bytes.put(UInt16(name.count))
            // Length of the extra fields.
            bytes.put(0 as UInt16)
        }
    }

    private static let stored: UInt16 = 0
    private static let deflated: UInt16 = 8
    /// Sizes follow the entry; names are UTF-8.
    private static let flags: UInt16 = 1 << 3 | 1 << 11
    private static let version: UInt16 = 20
    private static let bytesMax = UInt32.max - (64 << 20)
    private static let entriesMax = Int(UInt16.max) - 1

    /// Bytes of the archive written so far.
    private var length: UInt32
    private var entries: [Entry] = []
    private var deflate: Deflate?
    /// Directory entries of the archive that is continued.
    private let before: (directory: [UInt8], count: Int)

    public init() {
        length = 0
        before = ([], 0)
    }

    /// Continues an archive that this type has written.
    ///
    /// - Parameter rest: set to the offset at which new output replaces the archive's old end
    /// - Returns: nil if the bytes are not such an archive
    public init?(continuing archive: [UInt8], rest: inout Int) {
        guard archive.count >= ZipWriter.endBytes else { return nil }
        let end = archive.count - ZipWriter.endBytes
        func number(_ bytes: Int, at index: Int) -> Int {
            (0..<bytes).reduce(0) { $0 | Int(archive[end + index + $1]) << (8 * $1) }
        }
        let size = number(4, at: 12)
        let offset = number(4, at: 16)
        guard number(4, at: 0) == 0x0605_4B50, offset + size == end else { return nil }
        length = UInt32(offset)
        before = (Array(archive[offset..<end]), number(2, at: 10))
        rest = offset
    }

    private static let endBytes = 22

    /// Whether another entry of `bytes` uncompressed bytes certainly fits.
    public func hasRoom(for bytes: Int) -> Bool {
        Int(length) + bytes + bytes / 1000 + 1000 < Int(ZipWriter.bytesMax)
            && before.count + entries.count < ZipWriter.entriesMax
    }

    /// Begins an entry.
    ///
    /// - Parameters:
    ///   - name: path with `/` between folders
    ///   - isCompressed: whether the content is already compressed, such as a photo, and must be
    ///     stored
    public mutating func begin(
        _ name: String, at time: Timestamp, isCompressed: Bool = false
    ) -> [UInt8] {
        invariant(deflate == nil, "the previous entry has ended")
        let entry = Entry(
            name: Array(name.utf8),
            method: isCompressed ? ZipWriter.stored : ZipWriter.deflated,
            date: ZipWriter.date(time), offset: length)
        if !isCompressed { deflate = Deflate() }
        var bytes: [UInt8] = []
        bytes.put(0x0403_4B50 as UInt32)
        entry.putCommonFields(into: &bytes)
        bytes += entry.name
        entries.append(entry)
        return counted(bytes)
    }

    /// Appends content to the current entry.
    public mutating func append(_ piece: [UInt8]) -> [UInt8] { write(piece, isLast: false) }

    /// Ends the current entry.
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

    /// Writes a complete entry.
    public mutating func add(
        _ name: String, _ content: [UInt8], at time: Timestamp, isCompressed: Bool = false
    ) -> [UInt8] {
        begin(name, at: time, isCompressed: isCompressed) + append(content) + end()
    }

    /// Ends the archive.
    public mutating func finish() -> [UInt8] {
        let offset = length
        var directory = before.directory
        for entry in entries {
            directory.put(0x0201_4B50 as UInt32)
            directory.put(ZipWriter.version)
            entry.putCommonFields(into: &directory)
            // No comment, disk 0, no file attributes.
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
        invariant(last >= 0, "an entry has begun")
        var bytes = piece
        if let deflate {
            bytes = []
            deflate.compress(piece, isLast: isLast, into: &bytes)
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

    /// Time and date in ZIP's format, in UTC with a resolution of two seconds.
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
