import TestSupport
import Testing

@Suite struct `What providers and authenticators send` {
    @Test func `is accepted only if it was signed`() {
        #expect(RoundTrip.samples.count > 10)
        for sample in RoundTrip.samples { #expect(RoundTrip.complaint(about: sample) == nil) }
    }

    @Test func `is rejected with random changes`() {
        var generator = SeededGenerator(seed: 17)
        let samples = RoundTrip.samples
        for _ in 0..<400 {
            guard var input = samples.randomElement(using: &generator), input.count > 1 else {
                return
            }
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: 1..<input.count, using: &generator)
                input[index] = UInt8.random(in: 0...255, using: &generator)
            }
            let complaint = RoundTrip.complaint(about: input)
            #expect(complaint == nil, "\(input)")
        }
    }
}
