import Glibc
import TestSupport

/// A service that runs outside its suite's supervisor, here or in a namespace.
final class StandaloneService {
    private let service: RunningSuite.Service
    private let suite: RunningSuite
    private let namespace: Namespace?
    private let environment: [String: String]
    private var process: Capture?

    /// - Parameter environment: settings in addition to those of the suite
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

    /// Kills it, as by `kill -9`.
    func kill() async {
        await process?.stop(SIGKILL)
        process = nil
    }

    var log: String { process?.text ?? "" }
}
