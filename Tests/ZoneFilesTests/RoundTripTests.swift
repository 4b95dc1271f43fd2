import TestSupport
import Testing

@Suite struct `A file reader` {
    @Test(arguments: RoundTrip.samples) func `accepts valid files with their properties`(
        sample: [UInt8]
    ) {
        #expect(RoundTrip.complaint(about: sample) == nil)
    }

    @Test(arguments: RoundTrip.samples) func `handles random bytes`(sample: [UInt8]) {
        var random = SeededGenerator(seed: UInt64(sample.count))
        for _ in 0..<300 {
            var input = sample
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: 1..<input.count, using: &random)
                input[index] = UInt8.random(in: 0...255, using: &random)
            }
            #expect(RoundTrip.complaint(about: input) == nil)
        }
    }

    @Test(arguments: RoundTrip.samples) func `handles truncated files`(sample: [UInt8]) {
        for count in 1..<sample.count {
            #expect(RoundTrip.complaint(about: Array(sample.prefix(count))) == nil)
        }
    }

    @Test(arguments: RoundTrip.samples) func `handles extreme numbers`(sample: [UInt8]) {
        for input in ExtremeValues.variants(ofText: sample, skipped: 1) {
            #expect(RoundTrip.complaint(about: input) == nil)
        }
    }
}
