import Model

/// Position, time and orientation in the EXIF block of a photo.
///
/// Reads a few fields only: every offset is checked, nothing is followed twice, and unreadable
/// fields are treated as missing.
struct PhotoFacts {
    private(set) var orientation = 1
    private(set) var time: Timestamp?
    private(set) var position: Coordinate?

    /// Nil if the bytes are not a TIFF structure.
    init?(_ bytes: [UInt8]) {
        guard let tiff = TIFF(bytes) else { return nil }
        let main = tiff.directory(at: tiff.firstDirectory)
        if let turned = tiff.number(main[0x0112]), (1...8).contains(turned) {
            orientation = Int(turned)
        }
        let camera = tiff.number(main[0x8769]).map { tiff.directory(at: Int($0)) } ?? [:]
        let satellite = tiff.number(main[0x8825]).map { tiff.directory(at: Int($0)) } ?? [:]
        position = PhotoFacts.position(tiff, satellite)
        time = PhotoFacts.time(tiff, satellite) ?? PhotoFacts.time(tiff, camera: camera)
    }

    private static func position(_ tiff: TIFF, _ fields: [UInt16: TIFF.Field]) -> Coordinate? {
        func degrees(_ tag: UInt16, _ side: UInt16, negative: String) -> Double? {
            guard let parts = tiff.ratios(fields[tag], 3),
                let name = tiff.text(fields[side])?.prefix(1)
            else { return nil }
            let value = parts[0] + parts[1] / 60 + parts[2] / 3600
            return name == negative ? -value : value
        }
        guard let latitude = degrees(2, 1, negative: "S"),
            let longitude = degrees(4, 3, negative: "W")
        else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    /// The time of the satellites, UTC.
    private static func time(_ tiff: TIFF, _ fields: [UInt16: TIFF.Field]) -> Timestamp? {
        guard let date = tiff.text(fields[29]), let parts = tiff.ratios(fields[7], 3),
            let midnight = timestamp(date + " 00:00:00", zone: "Z"),
            parts.allSatisfy({ (0..<86_400).contains($0) })
        else { return nil }
        let seconds = parts[0] * 3600 + parts[1] * 60 + parts[2]
        return midnight + .milliseconds(Int64(nearest: seconds * 1000, .towardZero))
    }

    /// The time of the camera's clock, if it has a time zone.
    private static func time(_ tiff: TIFF, camera fields: [UInt16: TIFF.Field]) -> Timestamp? {
        guard let text = tiff.text(fields[0x9003]), let zone = tiff.text(fields[0x9011]) else {
            return nil
        }
        return timestamp(text, zone: zone)
    }

    /// Reads `2026:11:20 10:20:00`.
    private static func timestamp(_ text: String, zone: String) -> Timestamp? {
        let parts = text.split(separator: " ")
        guard parts.count == 2 else { return nil }
        let day = parts[0].split(separator: ":", omittingEmptySubsequences: false)
        return Timestamp(day.joined(separator: "-") + "T" + parts[1] + zone)
    }
}

/// The structure of an EXIF block.
private struct TIFF {
    /// A field of a directory.
    struct Field {
        var type: UInt16
        var count: Int
        /// Offset of its first byte.
        var offset: Int
    }

    private static let fieldsMax = 1000
    private static let textBytesMax = 64

    private let bytes: [UInt8]
    private let isLittle: Bool
    private(set) var firstDirectory = 0

    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 8 else { return nil }
        self.bytes = bytes
        switch (bytes[0], bytes[1]) {
        case (0x49, 0x49): isLittle = true
        case (0x4D, 0x4D): isLittle = false
        default: return nil
        }
        guard unsigned(at: 2, 2) == 42, let first = unsigned(at: 4, 4) else { return nil }
        firstDirectory = Int(first)
    }

    private func unsigned(at offset: Int, _ count: Int) -> UInt32? {
        guard offset >= 0, offset <= bytes.count - count else { return nil }
        let part = bytes[offset..<offset + count]
        return isLittle
            ? part.reversed().reduce(0) { $0 << 8 | UInt32($1) }
            : part.reduce(0) { $0 << 8 | UInt32($1) }
    }

    func directory(at offset: Int) -> [UInt16: Field] {
        var fields: [UInt16: Field] = [:]
        let count = min(Int(unsigned(at: offset, 2) ?? 0), TIFF.fieldsMax)
        for index in 0..<count {
            let entry = offset + 2 + index * 12
            guard let tag = unsigned(at: entry, 2), let type = unsigned(at: entry + 2, 2),
                let count = unsigned(at: entry + 4, 4), let value = unsigned(at: entry + 8, 4)
            else { break }
            let size = [1: 1, 2: 1, 3: 2, 4: 4, 5: 8][type] ?? 1
            let isInside = Int(count) * size <= 4
            fields[UInt16(tag)] = Field(
                type: UInt16(type), count: Int(count), offset: isInside ? entry + 8 : Int(value))
        }
        return fields
    }

    /// A short or long number.
    func number(_ field: Field?) -> UInt32? {
        switch field?.type {
        case 3: field.flatMap { unsigned(at: $0.offset, 2) }
        case 4: field.flatMap { unsigned(at: $0.offset, 4) }
        default: nil
        }
    }

    /// ASCII up to the first zero byte.
    func text(_ field: Field?) -> String? {
        guard let field, field.type == 2, field.count <= TIFF.textBytesMax, field.offset >= 0,
            field.offset <= bytes.count - field.count
        else { return nil }
        let part = bytes[field.offset..<field.offset + field.count].prefix { $0 != 0 }
        return part.allSatisfy { (32..<127).contains($0) }
            ? String(decoding: part, as: UTF8.self) : nil
    }

    /// Exactly `count` ratios.
    func ratios(_ field: Field?, _ count: Int) -> [Double]? {
        guard let field, field.type == 5, field.count == count else { return nil }
        var values: [Double] = []
        for index in 0..<count {
            guard let over = unsigned(at: field.offset + index * 8, 4),
                let under = unsigned(at: field.offset + index * 8 + 4, 4), under > 0
            else { return nil }
            values.append(Double(over) / Double(under))
        }
        return values
    }
}
