import TestSupport

/// What is left to chance in a simulated world: all of it follows from one seed.
struct Chance {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func next() -> UInt64 { generator.next() }

    /// A number from 0 up to but not including the limit, which is above zero.
    mutating func below(_ limit: Int) -> Int { Int(generator.next() % UInt64(limit)) }

    mutating func `in`(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + below(range.count)
    }

    /// True in so many of a thousand cases.
    mutating func comes(_ perMille: Int) -> Bool { perMille > 0 && below(1000) < perMille }

    /// One of several, of which there is at least one.
    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
    }

    /// A source of its own, so that asking one more or less there changes nothing here.
    mutating func fork() -> Chance { Chance(seed: generator.next()) }
}
