import CZlib
import Model

extension QRCode {
    /// The code as a PNG image, black on white with quiet zone, one bit per pixel.
    ///
    /// - Parameter scale: pixels per module, 1 to 40
    public func png(scale: Int = 8) -> [UInt8] {
        let scale = min(max(scale, 1), 40)
        let side = (size + 2 * QRCode.quietZone) * scale
        var header = PNG.number(side) + PNG.number(side)
        // Bit depth 1, greyscale, and the only defined compression, filter and interlace methods.
        header += [1, 0, 0, 0, 0]
        return PNG.signature + PNG.chunk("IHDR", header)
            + PNG.chunk("IDAT", PNG.stored(pixels(side: side, scale: scale)))
            + PNG.chunk("IEND", [])
    }

    /// Rows of bits, each preceded by its filter type (none).
    private func pixels(side: Int, scale: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        let rowBytes = (side + 7) / 8
        bytes.reserveCapacity(side * (rowBytes + 1))
        for y in 0..<side {
            var row = [UInt8](repeating: 0, count: rowBytes)
            let moduleRow = y / scale - QRCode.quietZone
            for x in 0..<side
            where !isDark(column: x / scale - QRCode.quietZone, row: moduleRow) {
                row[x / 8] |= 0x80 >> UInt8(x % 8)
            }
            bytes.append(0)
            bytes += row
        }
        return bytes
    }
}

/// The part of the PNG format that small images need, without compression.
private enum PNG {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    static func number(_ value: Int) -> [UInt8] { bigEndian(UInt32(value)) }

    static func chunk(_ type: StaticString, _ data: [UInt8]) -> [UInt8] {
        let named = type.withUTF8Buffer(Array.init) + data
        return number(data.count) + named + bigEndian(checksum(named))
    }

    /// A zlib stream of stored blocks.
    static func stored(_ data: [UInt8]) -> [UInt8] {
        var count = CZlib.compressBound(UInt(data.count))
        return [UInt8](unsafeUninitializedCapacity: Int(count)) { out, used in
            let status = CZlib.compress2(
                out.baseAddress, &count, data, UInt(data.count), Z_NO_COMPRESSION)
            invariant(status == Z_OK, "the buffer has the size that zlib requires")
            used = Int(count)
        }
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        UInt32(truncatingIfNeeded: CZlib.crc32(0, bytes, UInt32(bytes.count)))
    }
}
