import TestSupport

extension RunningSuite {
    /// Runs a `jaga` command against the suite and waits for its end.
    @discardableResult
    func finish(_ words: String...) async throws -> (status: Int32?, text: String) {
        try await finish(words)
    }

    /// Runs a `jaga` command against the suite and waits for its end.
    func finish(_ words: [String]) async throws -> (status: Int32?, text: String) {
        let capture = try run(words)
        _ = await eventually(within: 60) {
            _ = (log, capture.text)
            return capture.process.reap() != nil
        }
        return (capture.process.exitStatus, capture.text)
    }
}
