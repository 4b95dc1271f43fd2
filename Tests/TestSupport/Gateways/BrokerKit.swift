import Foundation
import Runtime

/// Debian's mosquitto on loopback, with its own passwords and access list.
public final class BrokerKit {
    public static let isInstalled =
        ["mosquitto", "mosquitto_passwd", "openssl"].allSatisfy {
            Programs.installed($0).hasPrefix("/")
        }
    /// The user and password of the suite, with access to all topics.
    public static let user = "jaga"
    public static let password = "s3cret"

    public let port: Int
    public let isEncrypted: Bool
    public let folder: TemporaryFolder
    private var capture: Capture?
    /// Its output before the last restart.
    private var before = ""

    /// - Parameter isEncrypted: use TLS, with a certificate for `localhost` of an own CA
    public init(isEncrypted: Bool = false) throws {
        self.isEncrypted = isEncrypted
        // Clients may write to a closed connection, as services do, which ignore the signal.
        signal(SIGPIPE, SIG_IGN)
        port = FreePorts.one()
        folder = try TemporaryFolder()
        if isEncrypted { try makeCertificates() }
        try Data().write(to: URL(filePath: folder.file("passwords")))
        try add(BrokerKit.user, password: BrokerKit.password)
        let rules = """
            user \(BrokerKit.user)
            topic readwrite owntracks/#
            pattern readwrite owntracks/%u/#

            """
        try Data(rules.utf8).write(to: URL(filePath: folder.file("rules")))
        try Data(settings.utf8).write(to: URL(filePath: folder.file("mosquitto.conf")))
        for file in ["passwords", "rules"] {
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: folder.file(file))
        }
    }

    private var settings: String {
        let tls =
            isEncrypted
            ? """
            cafile \(folder.file("authority.pem"))
            certfile \(folder.file("server.pem"))
            keyfile \(folder.file("server.key"))
            """ : ""
        let user = getuid() == 0 ? "user root" : ""
        return """
            pid_file \(folder.file("mosquitto.pid"))
            listener \(port) 127.0.0.1
            \(tls)
            \(user)
            allow_anonymous false
            password_file \(folder.file("passwords"))
            acl_file \(folder.file("rules"))
            persistence true
            persistence_location \(folder.path)/
            autosave_on_changes true
            autosave_interval 1
            max_queued_messages 100000
            log_dest stderr
            log_type all

            """
    }

    private func makeCertificates() throws {
        func openssl(_ arguments: String) throws {
            try run("openssl", arguments.split(separator: " ").map(String.init))
        }
        let (key, file) = ("-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes", folder.file)
        try openssl(
            "req -x509 \(key) -subj /CN=Authority -days 2 -keyout \(file("authority.key"))"
                + " -out \(file("authority.pem"))")
        try openssl(
            "req -x509 \(key) -subj /CN=localhost -days 2 -CA \(file("authority.pem"))"
                + " -CAkey \(file("authority.key")) -addext subjectAltName=DNS:localhost"
                + " -addext basicConstraints=critical,CA:FALSE"
                + " -keyout \(file("server.key")) -out \(file("server.pem"))")
    }

    private func run(_ program: String, _ arguments: [String]) throws {
        let capture = try Capture(Programs.installed(program), arguments)
        var text = ""
        for _ in 0..<3000 where capture.process.reap() == nil {
            text = capture.text
            usleep(10_000)
        }
        guard capture.process.exitStatus == 0 else {
            throw TestFailure("\(program) failed: \(text)\(capture.text)")
        }
    }

    /// Adds a user with access below their own name; also while it runs.
    public func add(_ user: String, password: String) throws {
        try run("mosquitto_passwd", ["-b", folder.file("passwords"), user, password])
        capture?.process.send(SIGHUP)
    }

    /// Starts it and waits until it accepts connections.
    public func start() async throws {
        before += capture?.text ?? ""
        let capture = try Capture(
            Programs.installed("mosquitto"), ["-c", folder.file("mosquitto.conf")])
        self.capture = capture
        guard await eventually({ capture.text.contains(" running") }) else {
            throw TestFailure("mosquitto does not start: \(capture.text)")
        }
    }

    public func stop(_ signal: Int32 = SIGTERM) async { await capture?.stop(signal) }

    /// Its complete output.
    public var log: String { before + (capture?.text ?? "") }

    public var url: String {
        isEncrypted
            ? "mqtts://\(BrokerKit.user)@localhost:\(port)"
            : "mqtt://\(BrokerKit.user)@127.0.0.1:\(port)"
    }
    public var authoritiesFile: String? { isEncrypted ? folder.file("authority.pem") : nil }
}
