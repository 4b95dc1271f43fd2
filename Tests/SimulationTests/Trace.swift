/// The history of a world: a hash of everything, and its last part as text.
struct Trace {
    /// FNV-1a over everything recorded.
    private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    /// Whether text is kept: it costs more than the world itself.
    let keepsText: Bool
    private(set) var lines: [String] = []
    private static let linesMax = 20_000

    init(keepsText: Bool) { self.keepsText = keepsText }

    mutating func record(_ number: UInt64) {
        digest = (digest ^ number) &* 0x0000_0100_0000_01B3
        digest ^= digest >> 29
    }

    mutating func record(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { digest = (digest ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }

    mutating func append(_ text: @autoclosure () -> String) {
        guard keepsText else { return }
        lines.append(text())
        if lines.count > 2 * Trace.linesMax { lines.removeFirst(Trace.linesMax) }
    }
}
