import Glibc

// The two entry points of libFuzzer. `scripts/fuzz` builds them into a separate program, together
// with the checks (`RoundTrip`) and samples of the parser's tests.

/// Replaces the first byte of each input, to fuzz one form only; nil = keep the byte.
private let form = getenv("FUZZ_FORM").flatMap { UInt8(String(cString: $0)) }

/// Writes the samples into the folder FUZZ_SAMPLES, before the first input.
@_cdecl("LLVMFuzzerInitialize")
public func initializeFuzzer(
    _ count: UnsafeMutableRawPointer?, _ arguments: UnsafeMutableRawPointer?
) -> CInt {
    guard let folder = getenv("FUZZ_SAMPLES") else { return 0 }
    let samples = RoundTrip.samples.filter { form == nil || $0.first == form }
    for (number, sample) in samples.enumerated() {
        let file = fopen("\(String(cString: folder))/sample-\(number)", "w")
        fwrite(sample, 1, sample.count, file)
        fclose(file)
    }
    return 0
}

/// Checks one input; a fault ends the program.
@_cdecl("LLVMFuzzerTestOneInput")
public func checkInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Array(UnsafeBufferPointer(start: bytes, count: count))
    if let form, !input.isEmpty { input[0] = form }
    if let complaint = RoundTrip.complaint(about: input) { fatalError(complaint) }
    return 0
}
