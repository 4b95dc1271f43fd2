import Glibc

// The two doors of libFuzzer: `scripts/fuzz` builds them into a program of their own, together with
// the law (`RoundTrip`) and the samples of the tests of what is to be tried.

/// What the first byte of each input is made, so that one form alone is tried; nil = as it is.
private let form = getenv("FUZZ_FORM").flatMap { UInt8(String(cString: $0)) }

/// Before anything is tried: puts the samples where FUZZ_SAMPLES says.
@_cdecl("LLVMFuzzerInitialize")
public func fuzzerBegins(
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

/// Tries one input; what is wrong with it ends the program.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzerTries(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Array(UnsafeBufferPointer(start: bytes, count: count))
    if let form, !input.isEmpty { input[0] = form }
    if let complaint = RoundTrip.complaint(about: input) { fatalError(complaint) }
    return 0
}
