import Foundation

/// Waits until a condition holds, polling at intervals. The test decides what a timeout means.
///
/// - Parameters:
///   - seconds: timeout; long, because it is reached only when something is broken
/// - Returns: whether the condition held in time
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
