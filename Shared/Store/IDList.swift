import Model

/// Concatenated ids, sixteen bytes each.
package enum IDList {
    package static func write(_ ids: some Sequence<ID128>) -> [UInt8] {
        var bytes: [UInt8] = []
        for id in ids { id.appendBytes(to: &bytes) }
        return bytes
    }

    package static func read(_ bytes: [UInt8]) -> [ID128] {
        stride(from: 0, to: bytes.count, by: 16).compactMap { start in
            ID128(bytes: bytes[start..<min(start + 16, bytes.count)])
        }
    }
}
