import Foundation
import Glibc
import Parsing
import Runtime

/// A complete suite started by `jaga up`: five services and nginx, with their own ports and home.
public final class RunningSuite {
    /// One of its processes.
    public enum Service: String, CaseIterable, Sendable {
        case ingest, membership, evaluator, timer, notifier
    }

    /// The folder with its files.
    public let home: String
    private let temporary: TemporaryFolder?
    /// The public port.
    public let port: Int
    public let portBase: Int
    private let jaga: String
    private let arguments: [String]
    /// `jaga up`; nil while it is not running.
    public private(set) var up: Capture?

    /// Creates the home and writes the settings; starts nothing.
    ///
    /// - Parameters:
    ///   - home: the folder with its files; default: one that is removed with this object
    ///   - settings: lines of jaga.conf
    ///   - arguments: additional ones for `jaga up`
    public init(
        home: String? = nil, settings: [String: String] = [:], arguments: [String] = []
    ) throws {
        let temporary = home == nil ? try TemporaryFolder() : nil
        self.temporary = temporary
        self.home = home ?? temporary?.path ?? ""
        let services = [1, 2, 3, 4, 5]
        let distances = services + services.flatMap { [100 + $0, 200 + $0] } + [301, 302, 400]
        portBase = FreePorts.base(of: distances)
        port = portBase + 400
        jaga = try Programs.path("jaga")
        self.arguments = arguments
        try write(settings)
    }

    /// Replaces jaga.conf; a running suite does not read it again.
    public func write(_ settings: [String: String]) throws {
        let lines = settings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)\n" }
        try lines.joined().write(
            toFile: home + "/jaga.conf", atomically: true, encoding: .utf8)
    }

    /// Starts it and waits until every service is ready, unless one cannot start.
    ///
    /// - Parameter terminal: where its output goes; then nothing is waited for
    public func start(waits: Bool = true, at terminal: Terminal? = nil) async throws {
        let words =
            ["up", "--home", home, "--port", "\(port)", "--port-base", "\(portBase)"]
            + arguments
        if let terminal {
            let script = "exec \"$0\" \"$@\" > \(terminal.path) 2>&1"
            up = try Capture(
                "/bin/sh", ["-c", script, jaga] + words, environment: Self.environment)
            return
        }
        let capture = try Capture(jaga, words, environment: Self.environment)
        up = capture
        guard waits else { return }
        let isReady = await eventually(within: 60) {
            capture.text.contains("Jaga is ready at") || capture.process.reap() != nil
        }
        guard isReady, capture.process.exitStatus == nil else {
            throw TestFailure("the suite did not start:\n\(capture.text)")
        }
    }

    /// Stops it like Ctrl-C, and searches the output of its services for personal data.
    /// ``PersonalData/take()`` returns the findings.
    ///
    /// - Returns: the exit status of `jaga up`
    @discardableResult
    public func stop() async -> Int32 {
        guard let up else { return 0 }
        self.up = nil
        let status = await up.stop()
        PersonalData.note(PersonalData(home: home).findings(in: up.text))
        return status
    }

    /// The complete output of `jaga up`.
    public var log: String { up?.text ?? "" }

    // MARK: Its processes

    /// The process id of a service; nil while it is not running.
    public func processID(of service: Service) -> Int32? {
        guard let up else { return nil }
        let pid = up.process.pid
        let path = "/proc/\(pid)/task/\(pid)/children"
        let children = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        let wanted = String("jaga-\(service.rawValue)".prefix(15))
        return children.split(separator: " ").compactMap { Int32($0) }.first { child in
            let name = try? String(contentsOfFile: "/proc/\(child)/comm", encoding: .utf8)
            return name?.trimmingCharacters(in: .newlines) == wanted
        }
    }

    /// Kills a service and waits until `jaga up` has restarted it.
    public func kill(_ service: Service) async throws {
        guard let old = processID(of: service) else {
            throw TestFailure("\(service) does not run")
        }
        Glibc.kill(old, SIGKILL)
        let isBack = await eventually {
            _ = log
            return processID(of: service).map { $0 != old } ?? false
        }
        guard isBack else { throw TestFailure("\(service) did not come back:\n\(log)") }
    }

    /// Waits until a service reports that it is ready.
    public func waitUntilReady(_ service: Service) async throws {
        let number = (Service.allCases.firstIndex(of: service) ?? 0) + 1
        let http = PlainHTTP(port: portBase + number)
        let isReady = await eventually {
            _ = log
            return (try? http.send("GET", "/readyz").status) == 200
        }
        guard isReady else { throw TestFailure("\(service) is not ready:\n\(log)") }
    }

    // MARK: Requests

    /// The public origin, as phones use it.
    public var http: PlainHTTP { PlainHTTP(port: port) }

    /// The operator's token.
    public func operatorToken() throws -> String {
        let file = home + "/secrets/operator.token"
        return try String(contentsOfFile: file, encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The credential of a phone of `jaga demo`, from the file that its `curl` commands read.
    public func tokenOfDemo(_ user: String) throws -> String {
        let text = try String(
            contentsOfFile: "\(home)/phones/demo-\(user).curl", encoding: .utf8)
        guard let token = text.firstMatch(of: /^user = "[^:]*:(.*)"\n$/)?.output.1 else {
            throw TestFailure("no secret of \(user)")
        }
        return String(token)
    }

    /// Runs another `jaga` command against it.
    public func run(_ words: String...) throws -> Capture { try run(words) }

    /// Runs another `jaga` command against it.
    public func run(_ words: [String]) throws -> Capture {
        try Capture(jaga, words, environment: environment)
    }

    /// The environment that a command needs to find it.
    public var environment: [String: String] {
        Self.environment.merging([
            "JAGA_HOME": home, "JAGA_URL": "http://127.0.0.1:\(port)",
            "JAGA_PORT_BASE": "\(portBase)",
        ]) { $1 }
    }

    /// The environment that processes need, without settings of the caller.
    private static var environment: [String: String] {
        let own = ProcessInfo.processInfo.environment
        return own.filter { ["PATH", "HOME", "LD_LIBRARY_PATH", "TZ"].contains($0.key) }
    }
}
