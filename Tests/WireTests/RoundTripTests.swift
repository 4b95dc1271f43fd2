import TestSupport
import Testing
import Wire

@Suite struct `Whatever is read` {
    @Test func `in the samples comes back the same`() {
        for sample in RoundTrip.samples { #expect(RoundTrip.complaint(about: sample) == nil) }
        #expect(RoundTrip.samples.count > 50)
    }

    @Test func `of changed samples is refused or comes back the same`() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<20_000 {
            guard var input = RoundTrip.samples.randomElement(using: &generator) else { return }
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let index = Int.random(in: 1..<input.count, using: &generator)
                input[index] = UInt8.random(in: 0...255, using: &generator)
            }
            #expect(RoundTrip.complaint(about: input) == nil, "\(input)")
        }
    }
}
