import Foundation
import Runtime

/// A gateway of `Tests/Gateways`, or a program of another folder of kits.
///
/// It runs on loopback with its own ports and folder until this object or the test program ends.
public class GatewayKit {
    /// The folder with its files.
    public let folder: TemporaryFolder
    private let name: String
    private let kits: String
    private let ports: [String: Int]
    var settings: [String: String]
    private var running: Capture?

    /// - Parameters:
    ///   - kits: the folder of its folder, in `Tests`
    ///   - ports: names of the ports for its `run` script
    init(
        _ name: String, in kits: String = "Gateways", ports: [String],
        settings: [String: String] = [:]
    ) throws {
        self.name = name
        self.kits = kits
        self.settings = settings
        folder = try TemporaryFolder()
        let base = FreePorts.base(of: Array(ports.indices))
        self.ports = Dictionary(
            uniqueKeysWithValues: ports.enumerated().map { ($1, base + $0) })
    }

    /// Its script must stop its children before it is killed.
    deinit { running?.end() }

    func port(_ name: String) -> Int { ports[name] ?? 0 }

    /// Starts it and waits until it is ready.
    public func start() async throws {
        let script = Programs.top.appending(path: "Tests/\(kits)/\(name)/run").path
        var environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "RUN": folder.path + "/kit"]
        if let path = ProcessInfo.processInfo.environment["PATH"] {
            environment["PATH"] = path + ":/usr/sbin:/sbin"
        }
        for (name, port) in ports { environment[name] = String(port) }
        environment.merge(settings) { $1 }
        let capture = try Capture(script, [], environment: environment)
        running = capture
        let isReady = await eventually(within: 60) {
            capture.lines.contains("ready") || capture.process.reap() != nil
        }
        guard isReady, capture.process.exitStatus == nil else {
            throw TestFailure("\(name) did not start:\n\(capture.text)")
        }
    }

    /// Stops it with all its processes.
    public func stop() async {
        await running?.stop()
        running = nil
    }

    /// The content of a file in its folder; empty if it does not exist.
    func text(of file: String) -> String {
        let path = folder.file("kit/" + file)
        return FileManager.default.contents(atPath: path).map {
            String(decoding: $0, as: UTF8.self)
        } ?? ""
    }

    /// Sends a signal to one of its processes.
    func send(_ signal: Int32, to program: String) {
        let text = text(of: program + ".pid").trimmingCharacters(in: .whitespacesAndNewlines)
        if let pid = Int32(text) { kill(pid, signal) }
    }

    static func isInstalled(_ programs: String...) -> Bool {
        programs.allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
