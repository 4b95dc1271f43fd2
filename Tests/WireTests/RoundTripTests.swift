import TestSupport
import Testing
import Wire

@Suite struct `Decoded input` {
    @Test func `of the samples round-trips`() {
        for sample in RoundTrip.samples { #expect(RoundTrip.complaint(about: sample) == nil) }
        #expect(RoundTrip.samples.count > 50)
    }

    @Test func `of changed samples is rejected or round-trips`() {
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

    @Test(arguments: RoundTrip.samples) func `with an extreme field is rejected or round-trips`(
        sample: [UInt8]
    ) {
        let variants =
            ExtremeValues.variants(ofBytes: sample, skipped: 1, limit: 400)
            + ExtremeValues.variants(ofText: sample, skipped: 1)
        for input in variants { #expect(RoundTrip.complaint(about: input) == nil, "\(input)") }
    }
}
