import Foundation

/// Waits until something holds, looking again every so often; what if it never does is the test's
/// to say.
///
/// - Parameters:
///   - seconds: at most; long, since it is only reached when something is broken
/// - Returns: whether it held in time
public func eventually(
    within seconds: Double = 30, every milliseconds: Int = 50, _ holds: () async throws -> Bool
) async rethrows -> Bool {
    let end = Date().addingTimeInterval(seconds)
    while true {
        if try await holds() { return true }
        if Date() >= end { return false }
        try? await Task.sleep(for: .milliseconds(milliseconds))
    }
}
