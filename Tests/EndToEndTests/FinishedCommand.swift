import TestSupport

extension RunningSuite {
    /// Runs a command of `jaga` against it, to its end.
    @discardableResult
    func finish(_ words: String...) async throws -> (status: Int32?, text: String) {
        try await finish(words)
    }

    /// The same.
    func finish(_ words: [String]) async throws -> (status: Int32?, text: String) {
        let capture = try run(words)
        _ = await eventually(within: 60) {
            _ = (log, capture.text)
            return capture.process.reap() != nil
        }
        return (capture.process.exitStatus, capture.text)
    }
}
