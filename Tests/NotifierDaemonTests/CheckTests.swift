import Gateways
import Glibc
import Runtime
import TestSupport
import Testing

@testable import Hosting
@testable import NotifierDaemon

@Suite struct `The check before the notifier starts` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func check(_ environment: [String: String] = [:]) throws {
        let definition = Main.definition
        let configuration = try Configuration(
            settings: CommonSettings.all + definition.settings,
            environment: environment.merging(["JAGA_HOME": folder.path]) { acknowledged, _ in
                acknowledged
            },
            service: "notifier")
        try definition.check(configuration)
    }

    private func file(mode: UInt32) throws -> String {
        let path = folder.file("password")
        try Files.write(Array("https://monitor.example/x\n".utf8), to: path, mode: mode)
        // Independent of the umask.
        try #require(chmod(path, mode) == 0)
        return path
    }

    @Test func `finds an unknown gateway`() throws {
        try check()
        var kannel = ["JAGA_SMS_GATEWAY": "kannel", "JAGA_SMS_URL": "http://127.0.0.1:9"]
        #expect(throws: GatewayError.self, "it has no login") { try check(kannel) }
        kannel["JAGA_SMS_USER"] = "jaga"
        kannel["JAGA_SMS_PASSWORD_FILE"] = try file(mode: 0o600)
        try check(kannel)
        #expect(throws: GatewayError.self) { try check(["JAGA_SMS_GATEWAY": "kanel"]) }
    }

    @Test func `finds passwords, an address and a key that others can read`() throws {
        let path = try file(mode: 0o644)
        let mail = [
            "JAGA_MAIL_URL": "smtp://127.0.0.1:9", "JAGA_MAIL_FROM": "jaga@jaga.example",
            "JAGA_MAIL_USER": "jaga", "JAGA_MAIL_PASSWORD_FILE": path,
        ]
        let monitor = ["JAGA_HEARTBEAT_URL_FILE": path]
        #expect(throws: (any Error).self) { try check(mail) }
        #expect(throws: (any Error).self) { try check(monitor) }
        #expect(chmod(path, 0o600) == 0)
        try check(mail)
        try check(monitor)
        let key = KeyFile.messages(secrets: folder.path + "/secrets")
        _ = try key.loadOrCreate()
        try check()
        #expect(chmod(key.path, 0o644) == 0)
        #expect(throws: OpenSecret.self) { try check() }
        // Membership creates another; in a home of its own the notifier would wait for it forever.
        try Files.write(Array("new\n".utf8), to: key.path, mode: 0o600)
        #expect(throws: UnusableKeyFile.self) { try check() }
        try Files.makeFolder(folder.file("membership"))
        try check()
        try Files.write(Array("old\n".utf8), to: key.path, mode: 0o600)
        #expect(throws: UnusableKeyFile.self) { try check() }
    }
}
