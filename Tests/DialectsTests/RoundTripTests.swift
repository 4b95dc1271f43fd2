import TestSupport
import Testing

@Suite struct `Any input of a phone` {
    @Test(arguments: RoundTrip.samples) func `is read within the model's bounds`(sample: [UInt8]) {
        #expect(RoundTrip.complaint(about: sample) == nil)
    }

    @Test func `stays within the bounds with random and truncated bytes`() {
        for (number, sample) in RoundTrip.samples.enumerated() {
            var random = SeededGenerator(seed: UInt64(number))
            for _ in 0..<40 {
                var input = sample
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let index = Int.random(in: 1..<input.count, using: &random)
                    input[index] = UInt8.random(in: 0...255, using: &random)
                }
                #expect(RoundTrip.complaint(about: input) == nil)
                let count = Int.random(in: 0..<input.count, using: &random)
                #expect(RoundTrip.complaint(about: Array(sample.prefix(count))) == nil)
            }
        }
    }

    @Test(arguments: RoundTrip.samples) func `stays within the bounds with extreme numbers`(
        sample: [UInt8]
    ) {
        for input in ExtremeValues.variants(ofText: sample, skipped: 1) {
            #expect(RoundTrip.complaint(about: input) == nil)
        }
    }
}
