import Hosting
import MembershipCore
import Runtime

/// Makes the token in the secrets folder the operator's only token.
final class OperatorTokenSync {
    private let runner: CoreRunner
    private let token: OperatorToken
    /// Whether the directory may have another token than the secrets folder.
    private var mustSync = true

    init(_ runner: CoreRunner) {
        self.runner = runner
        token = OperatorToken(home: runner.host.configuration.text("JAGA_HOME"))
    }

    func rollBack() { mustSync = true }

    func tick() throws { if mustSync { try sync() } }

    func sync() throws {
        let isNew = !token.exists
        let secret = try token.establish()
        if isNew, runner.isStoreUsed {
            runner.host.log.warning(
                "operator token missing, created a new one", ["file": token.path])
        } else if isNew {
            runner.host.log.info("operator token created", ["file": token.path])
        }
        try runner.submit(.operatorToken(secret.credential))
        mustSync = false
    }

    /// Replaces the token in the file by the one of a rotation.
    func write(_ secret: NewSecret) throws { try token.write(secret) }
}
