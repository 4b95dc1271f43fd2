import Glibc

// The two doors of libFuzzer: `scripts/fuzz` builds them into a program of their own, together with
// the law (`RoundTrip`) and the samples of the tests of what is to be tried.

/// Before anything is tried: puts the samples where FUZZ_SAMPLES says.
@_cdecl("LLVMFuzzerInitialize")
public func fuzzerBegins(
    _ count: UnsafeMutableRawPointer?, _ arguments: UnsafeMutableRawPointer?
) -> CInt {
    guard let folder = getenv("FUZZ_SAMPLES") else { return 0 }
    for (number, sample) in RoundTrip.samples.enumerated() {
        let file = fopen("\(String(cString: folder))/sample-\(number)", "w")
        fwrite(sample, 1, sample.count, file)
        fclose(file)
    }
    return 0
}

/// Tries one input; what is wrong with it ends the program.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzerTries(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    if let complaint = RoundTrip.complaint(about: input) { fatalError(complaint) }
    return 0
}
