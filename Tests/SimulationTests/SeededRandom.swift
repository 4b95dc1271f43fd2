import TestSupport

/// The randomness of a simulated world, derived from one seed.
struct SeededRandom {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func next() -> UInt64 { generator.next() }

    /// A number from 0 up to, but not including, the limit, which is above zero.
    mutating func below(_ limit: Int) -> Int { Int(generator.next() % UInt64(limit)) }

    mutating func `in`(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + below(range.count)
    }

    /// True with this probability, per mille.
    mutating func happens(_ perMille: Int) -> Bool { perMille > 0 && below(1000) < perMille }

    /// A random element of a non-empty array.
    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
    }

    /// An independent source: the number of its draws does not affect this one.
    mutating func fork() -> SeededRandom { SeededRandom(seed: generator.next()) }
}
