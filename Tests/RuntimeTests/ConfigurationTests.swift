import Glibc
import TestSupport
import Testing

@testable import Runtime

@Suite struct `The configuration` {
    private let settings = [
        Setting(
            "JAGA_TIMER_GRACE", .integer(10...600), default: "120", unit: "seconds",
            help: "Wait after a deadline."),
        Setting("JAGA_TIMER_ALARM_URL", .url(["https", "http"]), help: "Called in an alarm."),
        Setting("JAGA_TIMER_NOISY", .flag, default: "off", help: "More lines."),
        Setting("JAGA_TIMER_KEY", .secret, help: "A secret."),
        Setting("JAGA_TIMER_KEY_FILE", .secretFile, help: "A secret's file."),
    ]

    private func configuration(
        _ environment: [String: String] = [:], file: String? = nil, arguments: [String] = []
    ) throws(ConfigurationError) -> Configuration {
        try Configuration(
            settings: settings, environment: environment, file: file, arguments: arguments,
            service: "timer")
    }

    private func file(_ text: String, in folder: TemporaryFolder) throws -> String {
        let path = folder.file("jaga.conf")
        try Files.write(Array(text.utf8), to: path)
        return path
    }

    private func failure(_ body: () throws -> Void) -> ConfigurationError? {
        do { try body() } catch { return error as? ConfigurationError }
        return nil
    }

    @Test func `paths of the file are relative to the home, those of the environment are not`()
        throws
    {
        let folder = try TemporaryFolder()
        let path = try file("JAGA_TIMER_KEY_FILE=secrets/key\n", in: folder)
        let read = try configuration(arguments: ["--home", folder.path])
        #expect(read.file == path)
        #expect(read.optional("JAGA_TIMER_KEY_FILE") == folder.path + "/secrets/key")
        let absolute = try file("JAGA_TIMER_KEY_FILE=/etc/key\n", in: folder)
        #expect(try configuration(file: absolute).optional("JAGA_TIMER_KEY_FILE") == "/etc/key")
        let own = try configuration(["JAGA_TIMER_KEY_FILE": "secrets/key"])
        #expect(own.optional("JAGA_TIMER_KEY_FILE") == "secrets/key")
        let gateway = Setting("JAGA_SMS_GATEWAY", .nameOrPath, help: "A gateway.")
        #expect(gateway.resolved("kannel", in: "/srv") == "kannel")
        #expect(gateway.resolved("own/my.conf", in: "/srv") == "/srv/own/my.conf")
        #expect(gateway.resolved("my.conf", in: "/srv") == "/srv/my.conf")
    }

    @Test func `uses the default if nothing is set`() throws {
        let configuration = try configuration()
        #expect(configuration.int("JAGA_TIMER_GRACE") == 120)
        #expect(configuration.optional("JAGA_TIMER_ALARM_URL") == nil)
        #expect(!configuration.flag("JAGA_TIMER_NOISY"))
        #expect(configuration.action == .run)
    }

    @Test func `arguments override the environment, which overrides the file and the defaults`()
        throws
    {
        let folder = try TemporaryFolder()
        let path = try file(
            "# shared\n\nJAGA_PORT_BASE = 9000\nJAGA_TIMER_GRACE=\"60\"\nJAGA_LOG_LEVEL=debug\n",
            in: folder)
        let configuration = try configuration(
            ["JAGA_TIMER_GRACE": "30", "JAGA_PORT_BASE": "9100"], file: path,
            arguments: ["--port-base=9200"])
        #expect(configuration.text("JAGA_LOG_LEVEL") == "debug")
        #expect(configuration.int("JAGA_TIMER_GRACE") == 30)
        #expect(configuration.int("JAGA_PORT_BASE") == 9200)
    }

    @Test func `finds jaga.conf in the home folder`() throws {
        let folder = try TemporaryFolder()
        let path = try file("JAGA_TIMER_GRACE=61\n", in: folder)
        let configuration = try configuration(arguments: ["--home", folder.path])
        #expect(configuration.int("JAGA_TIMER_GRACE") == 61)
        #expect(configuration.file == path)
    }

    @Test(arguments: [
        ("JAGA_TIMER_GRACE", "abc", "an integer from 10 to 600 (seconds)"),
        ("JAGA_TIMER_GRACE", "9", "an integer from 10 to 600 (seconds)"),
        ("JAGA_TIMER_ALARM_URL", "ftp://host", "https://host/path"),
        ("JAGA_TIMER_ALARM_URL", "https://", "https://host/path"),
        ("JAGA_TIMER_NOISY", "maybe", "on or off"),
        ("JAGA_LOG_LEVEL", "loud", "debug, info, warning, error"),
    ])
    func `an invalid value is reported with what is allowed`(
        name: String, value: String, allowed: String
    ) throws {
        let error = try #require(failure { _ = try configuration([name: value]) })
        #expect(error.code == "setting-invalid")
        #expect(error.message.contains(name))
        #expect(error.message.contains(value))
        #expect(error.message.contains("environment"))
        #expect(error.hint.contains(allowed))
    }

    @Test func `an unknown name in the file is an error with a suggestion`() throws {
        let folder = try TemporaryFolder()
        let path = try file("\nJAGA_TIMER_GRAZE=5\n", in: folder)
        let error = try #require(failure { _ = try configuration(file: path) })
        #expect(error.code == "setting-unknown")
        #expect(error.message.contains("\(path) line 2"))
        #expect(error.hint.contains("JAGA_TIMER_GRACE"))
    }

    @Test func `settings of other services in the shared file are ignored`() throws {
        let folder = try TemporaryFolder()
        let path = try file(
            "JAGA_NOTIFIER_ANYTHING=5\nJAGA_SMS_URL=x\nJAGA_SOS_WORD=x\nJAGA_TIMER_GRACE=99\n",
            in: folder)
        #expect(try configuration(file: path).int("JAGA_TIMER_GRACE") == 99)
    }

    @Test func `a name in the environment that resembles no setting is only logged`() throws {
        let configuration = try configuration([
            "JAGA_TIMER_GRIDS": "1", "JAGA_FOO": "1", "JAGA_TOKEN": "x", "PATH": "/bin",
            "JAGA_SMS_GATWAY": "x", "JAGA_MQTT_PREFIX": "x", "OTHER_TIMER_GRACE": "1",
        ])
        #expect(configuration.unknownVariables == ["JAGA_FOO", "JAGA_TIMER_GRIDS"])
    }

    @Test(arguments: [
        ("JAGA_TIMER_GRAZE", "JAGA_TIMER_GRACE"), ("JAGA_TIMR_GRACE", "JAGA_TIMER_GRACE"),
        ("JAGA_HOEM", "JAGA_HOME"), ("JAGA_SOS_WRD", "JAGA_SOS_WORD"),
        ("JAGA_TIMER_NOISY_", "JAGA_TIMER_NOISY"), ("JAGA_BNID", "JAGA_BIND"),
        ("JAGA_TOKENS", "JAGA_TOKEN"), ("JAGA_STIRCT_ENV", "JAGA_STRICT_ENV"),
    ])
    func `a name in the environment that resembles a setting prevents the start`(
        name: String, meant: String
    ) throws {
        let error = try #require(failure { _ = try configuration([name: "on"]) })
        #expect(error.code == "setting-unknown")
        #expect(error.message == "\(name) is not a setting of this program (from environment)")
        #expect(error.hint.hasPrefix("Did you mean \(meant)?"))
    }

    @Test(arguments: [
        "HOST", "NAME", "NODE", "MODE", "ROLE", "ZONE", "UID", "GID", "PID", "BUILD", "UI", "SRC",
        "UP", "CORE", "BROKEN",
    ])
    func `a short name that others may use is only logged`(name: String) throws {
        let configuration = try configuration(["JAGA_\(name)": "1"])
        #expect(configuration.unknownVariables == ["JAGA_\(name)"])
    }

    @Test func `so is one that differs from a setting in a short word`() throws {
        let map = [Setting("JAGA_MAP_URL", .text, help: "Link to a map.")]
        func read(_ name: String) throws -> [String] {
            try Configuration(settings: map, environment: [name: "x"]).unknownVariables
        }
        for name in ["JAGA_API_URL", "JAGA_APP_URL", "JAGA_APP_URI"] {
            #expect(try read(name) == [name])
        }
        for name in ["JAGA_MPA_URL", "JAGA_MAP_ULR", "JAGA_MAPURL", "JAGA_MAPP_URLS"] {
            #expect(throws: ConfigurationError.self) { try read(name) }
        }
    }

    @Test func `a misspelled name of several programs' settings is detected`() throws {
        let own = [Setting("JAGA_MQTT_PREFIX", .text, help: "Levels of topics.")]
        func error(_ name: String) -> ConfigurationError? {
            failure {
                _ = try Configuration(
                    settings: own, environment: [name: "x"], service: "ingest")
            }
        }
        #expect(error("JAGA_MQTT_PHONES_URL") == nil)
        #expect(error("JAGA_MQTT_PREFX")?.hint.hasPrefix("Did you mean JAGA_MQTT_PREFIX?") == true)
    }

    @Test func `an unknown name in the environment prevents the start if configured`() throws {
        let environment = ["JAGA_STRICT_ENV": "on", "JAGA_SMS_URL": "x", "PATH": "/bin"]
        #expect(try configuration(environment).flag("JAGA_STRICT_ENV"))
        let error = try #require(
            failure { _ = try configuration(environment.merging(["JAGA_FOO": "1"]) { $1 }) })
        #expect(error.code == "setting-unknown")
        #expect(error.message.contains("JAGA_FOO"))
        #expect(error.hint == "List all settings with --print-configuration.")
    }

    @Test(arguments: ["300.1.1.1", "localhost", "", "10.0.0"])
    func `an invalid address is reported with its setting`(text: String) throws {
        let bind = [Setting("JAGA_BIND", .address, default: "127.0.0.1", help: "Address.")]
        let error = try #require(
            failure { _ = try Configuration(settings: bind, environment: ["JAGA_BIND": text]) })
        #expect(error.message == "JAGA_BIND: \"\(text)\" is not an IPv4 address (from environment)")
        #expect(try Configuration(settings: bind).text("JAGA_BIND") == "127.0.0.1")
    }

    @Test(arguments: ["JAGA_TIMER_GRACE 5", "JAGA_PORT_BASE=9000\nJAGA_PORT_BASE=9000"])
    func `a malformed or duplicate line prevents the start`(text: String) throws {
        let folder = try TemporaryFolder()
        let path = try file(text, in: folder)
        #expect(throws: ConfigurationError.self) { _ = try configuration(file: path) }
    }

    @Test func `a file given by argument must exist`() throws {
        let error = try #require(failure { _ = try configuration(file: "/nowhere/jaga.conf") })
        #expect(error.code == "file-unreadable")
        #expect(error.description.contains("/nowhere/jaga.conf"))
    }

    @Test(arguments: [["--colour"], ["--home"], ["watch"]])
    func `invalid arguments are rejected`(arguments: [String]) {
        #expect(throws: ConfigurationError.self) { _ = try configuration(arguments: arguments) }
    }

    @Test func `arguments select what the process does`() throws {
        #expect(try configuration(arguments: ["--version"]).action == .version)
        #expect(try configuration(arguments: ["-h"]).action == .help)
        let print = ["--print-configuration", "--home", "/tmp"]
        #expect(try configuration(arguments: print).action == .printConfiguration)
    }

    @Test func `the printed form masks secrets and can be read as a file`() throws {
        let first = try configuration(["JAGA_TIMER_KEY": "hush", "JAGA_TIMER_GRACE": "77"])
        let text = first.printed()
        #expect(!text.contains("hush"))
        #expect(text.contains("default: 120"))
        #expect(text.contains("from environment"))
        let folder = try TemporaryFolder()
        let again = try configuration(file: try file(text, in: folder))
        #expect(again.int("JAGA_TIMER_GRACE") == 77)
    }

    @Test func `a secret is the first line of its file`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("key")
        try Files.write(Array("open sesame\r\nmore\n".utf8), to: path, mode: 0o600)
        let configuration = try configuration(["JAGA_TIMER_KEY_FILE": path])
        #expect(try configuration.secret("JAGA_TIMER_KEY_FILE") == "open sesame")
        #expect(try configuration.secret("JAGA_TIMER_KEY") == nil)
        try Files.write([], to: path, mode: 0o600)
        let empty = failure { _ = try configuration.secret("JAGA_TIMER_KEY_FILE") }
        #expect(empty?.code == "secret-empty")
    }

    @Test(arguments: [0o604, 0o640, 0o620, 0o600] as [UInt32])
    func `rejects a secret that is accessible to others`(mode: UInt32) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("key")
        try Files.write(Array("open sesame\n".utf8), to: path)
        #expect(chmod(path, mode) == 0)
        let configuration = try configuration(["JAGA_TIMER_KEY_FILE": path])
        let error = failure { _ = try configuration.secret("JAGA_TIMER_KEY_FILE") }
        guard mode & 0o027 != 0 else {
            #expect(error == nil)
            return
        }
        #expect(error?.code == "secret-open")
        #expect(error?.message.contains("JAGA_TIMER_KEY_FILE: \(path)") == true)
        #expect(error?.message.contains("(mode \(String(mode, radix: 8)))") == true)
        #expect(error?.hint.hasPrefix("chmod 600 \(path);") == true)
    }

    @Test func `explains what to do if the path of a secret is a folder`() throws {
        let folder = try TemporaryFolder()
        try Files.makeFolder(folder.file("key"), mode: 0o755)
        let configuration = try configuration(["JAGA_TIMER_KEY_FILE": folder.file("key")])
        let error = failure { _ = try configuration.secret("JAGA_TIMER_KEY_FILE") }
        #expect(error?.code == "secret-unreadable", "changing the folder's mode would not help")
        #expect(error?.message.contains("JAGA_TIMER_KEY_FILE") == true)
        #expect(error?.hint.contains("path of a file") == true)
    }
}
