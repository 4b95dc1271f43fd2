/// What happened in a world: a number that stands for all of it, and the last of it in words.
struct Trace {
    /// FNV-1a over everything that was noted.
    private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    /// Whether words are kept: they cost more than the world itself.
    let keepsWords: Bool
    private(set) var lines: [String] = []
    private static let linesMax = 20_000

    init(keepsWords: Bool) { self.keepsWords = keepsWords }

    mutating func note(_ number: UInt64) {
        digest = (digest ^ number) &* 0x0000_0100_0000_01B3
        digest ^= digest >> 29
    }

    mutating func note(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { digest = (digest ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }

    mutating func say(_ words: @autoclosure () -> String) {
        guard keepsWords else { return }
        lines.append(words())
        if lines.count > 2 * Trace.linesMax { lines.removeFirst(Trace.linesMax) }
    }
}
