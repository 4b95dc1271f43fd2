import TestSupport
import Testing

@Suite struct `What strangers send` {
    @Test func `is read within bounds`() {
        #expect(RoundTrip.samples.count > 10)
        for sample in RoundTrip.samples { #expect(RoundTrip.complaint(about: sample) == nil) }
    }

    @Test(arguments: RoundTrip.samples) func `is rejected or within bounds when changed`(
        sample: [UInt8]
    ) {
        for input in ExtremeValues.variants(ofText: sample, skipped: 1) {
            #expect(RoundTrip.complaint(about: input) == nil, "\(input)")
        }
        var generator = SeededGenerator(seed: 17)
        for _ in 0..<500 {
            var input = sample
            let index = Int.random(in: 1..<input.count, using: &generator)
            input[index] = UInt8.random(in: 0...255, using: &generator)
            #expect(RoundTrip.complaint(about: input) == nil, "\(input)")
        }
    }
}
