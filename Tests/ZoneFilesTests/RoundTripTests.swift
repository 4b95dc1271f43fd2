import TestSupport
import Testing

@Suite struct `What is read of files` {
    @Test(arguments: RoundTrip.samples) func `keeps the law`(sample: [UInt8]) {
        #expect(RoundTrip.complaint(about: sample) == nil)
    }

    @Test(arguments: RoundTrip.samples) func `keeps it with bytes of chance`(sample: [UInt8]) {
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

    @Test(arguments: RoundTrip.samples) func `keeps it when it is cut off`(sample: [UInt8]) {
        for count in 1..<sample.count {
            #expect(RoundTrip.complaint(about: Array(sample.prefix(count))) == nil)
        }
    }
}
