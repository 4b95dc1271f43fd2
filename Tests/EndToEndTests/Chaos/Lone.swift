import Glibc
import TestSupport

/// A service of a suite that was started without it: by itself, here or on a machine of its own.
final class Lone {
    private let service: RunningSuite.Service
    private let suite: RunningSuite
    private let namespace: Namespace?
    private let environment: [String: String]
    private var process: Capture?

    /// - Parameter environment: settings beside those of the suite
    init(
        _ service: RunningSuite.Service, of suite: RunningSuite, in namespace: Namespace? = nil,
        environment: [String: String] = [:]
    ) {
        self.service = service
        self.suite = suite
        self.namespace = namespace
        self.environment = environment
    }

    func start() throws {
        let program = try Programs.path("jaga-\(service.rawValue)")
        let arguments = ["--home", suite.home, "--port-base", "\(suite.portBase)"]
        if let namespace {
            process = try Capture(
                Namespace.starter, namespace.command(program) + arguments,
                environment: environment)
        } else {
            process = try Capture(program, arguments, environment: environment)
        }
    }

    /// As `kill -9`.
    func kill() async {
        await process?.stop(SIGKILL)
        process = nil
    }

    var log: String { process?.text ?? "" }
}
