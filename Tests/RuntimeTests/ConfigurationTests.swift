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

    @Test func `paths of the file start at the home, those of the environment do not`() throws {
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
        #expect(gateway.placed("kannel", in: "/srv") == "kannel")
        #expect(gateway.placed("own/my.conf", in: "/srv") == "/srv/own/my.conf")
    }

    @Test func `takes the default where nothing is said`() throws {
        let configuration = try configuration()
        #expect(configuration.int("JAGA_TIMER_GRACE") == 120)
        #expect(configuration.optional("JAGA_TIMER_ALARM_URL") == nil)
        #expect(!configuration.flag("JAGA_TIMER_NOISY"))
        #expect(configuration.action == .run)
    }

    @Test func `arguments beat the environment, that beats the file, that beats the default`()
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
        ("JAGA_TIMER_GRACE", "abc", "a whole number from 10 to 600 (seconds)"),
        ("JAGA_TIMER_GRACE", "9", "a whole number from 10 to 600 (seconds)"),
        ("JAGA_TIMER_ALARM_URL", "ftp://host", "https://host/path"),
        ("JAGA_TIMER_ALARM_URL", "https://", "https://host/path"),
        ("JAGA_TIMER_NOISY", "maybe", "on or off"),
        ("JAGA_LOG_LEVEL", "loud", "debug, info, warning, error"),
    ])
    func `a wrong value is named together with what is allowed`(
        name: String, value: String, allowed: String
    ) throws {
        let error = try #require(failure { _ = try configuration([name: value]) })
        #expect(error.code == "setting-invalid")
        #expect(error.message.contains(name))
        #expect(error.message.contains(value))
        #expect(error.message.contains("environment"))
        #expect(error.hint.contains(allowed))
    }

    @Test func `an unknown name in the file is an error with a guess`() throws {
        let folder = try TemporaryFolder()
        let path = try file("\nJAGA_TIMER_GRAZE=5\n", in: folder)
        let error = try #require(failure { _ = try configuration(file: path) })
        #expect(error.code == "setting-unknown")
        #expect(error.message.contains("\(path) line 2"))
        #expect(error.hint.contains("JAGA_TIMER_GRACE"))
    }

    @Test func `settings of other services in the shared file are passed over`() throws {
        let folder = try TemporaryFolder()
        let path = try file(
            "JAGA_NOTIFIER_ANYTHING=5\nJAGA_SMS_URL=x\nJAGA_SOS_WORD=x\nJAGA_TIMER_GRACE=99\n",
            in: folder)
        #expect(try configuration(file: path).int("JAGA_TIMER_GRACE") == 99)
    }

    @Test func `a name in the environment that is like no setting is only told`() throws {
        let configuration = try configuration([
            "JAGA_TIMER_GRIDS": "1", "JAGA_FOO": "1", "JAGA_TOKEN": "x", "PATH": "/bin",
            "JAGA_SMS_GATWAY": "x", "JAGA_MQTT_PREFIX": "x", "OTHER_TIMER_GRACE": "1",
        ])
        #expect(configuration.unknownInEnvironment == ["JAGA_FOO", "JAGA_TIMER_GRIDS"])
    }

    @Test(arguments: [
        ("JAGA_TIMER_GRAZE", "JAGA_TIMER_GRACE"), ("JAGA_TIMR_GRACE", "JAGA_TIMER_GRACE"),
        ("JAGA_HOEM", "JAGA_HOME"), ("JAGA_SOS_WRD", "JAGA_SOS_WORD"),
        ("JAGA_TIMER_NOISY_", "JAGA_TIMER_NOISY"), ("JAGA_BNID", "JAGA_BIND"),
        ("JAGA_TOKENS", "JAGA_TOKEN"), ("JAGA_STIKCT", "JAGA_STRICT"),
    ])
    func `a name in the environment that is nearly a setting stops the start`(
        name: String, meant: String
    ) throws {
        let error = try #require(failure { _ = try configuration([name: "on"]) })
        #expect(error.code == "setting-unknown")
        #expect(error.message == "\(name) is no setting of this program (from environment)")
        #expect(error.hint.hasPrefix("Did you mean \(meant)?"))
    }

    @Test(arguments: [
        "HOST", "NAME", "NODE", "MODE", "ROLE", "ZONE", "UID", "GID", "PID", "BUILD", "UI", "SRC",
        "UP", "CORE", "BROKEN",
    ])
    func `a short name that others may have is only told`(name: String) throws {
        let configuration = try configuration(["JAGA_\(name)": "1"])
        #expect(configuration.unknownInEnvironment == ["JAGA_\(name)"])
    }

    @Test func `so is one that is like a setting but for a short word`() throws {
        let map = [Setting("JAGA_MAP_URL", .text, help: "Link to a map.")]
        func read(_ name: String) throws -> [String] {
            try Configuration(settings: map, environment: [name: "x"]).unknownInEnvironment
        }
        for name in ["JAGA_API_URL", "JAGA_APP_URL", "JAGA_APP_URI"] {
            #expect(try read(name) == [name])
        }
        for name in ["JAGA_MPA_URL", "JAGA_MAP_ULR", "JAGA_MAPURL", "JAGA_MAPP_URLS"] {
            #expect(throws: ConfigurationError.self) { try read(name) }
        }
    }

    @Test func `a name of several programs is told from what is nearly it`() throws {
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

    @Test func `an unknown name in the environment stops the start where that is wanted`() throws {
        let environment = ["JAGA_STRICT": "on", "JAGA_SMS_URL": "x", "PATH": "/bin"]
        #expect(try configuration(environment).flag("JAGA_STRICT"))
        let error = try #require(
            failure { _ = try configuration(environment.merging(["JAGA_FOO": "1"]) { $1 }) })
        #expect(error.code == "setting-unknown")
        #expect(error.message.contains("JAGA_FOO"))
        #expect(error.hint == "--print-configuration lists all settings.")
    }

    @Test(arguments: ["300.1.1.1", "localhost", "", "10.0.0"])
    func `an address that is none is refused by its name`(text: String) throws {
        let bind = [Setting("JAGA_BIND", .address, default: "127.0.0.1", help: "Address.")]
        let error = try #require(
            failure { _ = try Configuration(settings: bind, environment: ["JAGA_BIND": text]) })
        #expect(error.message == "JAGA_BIND: \"\(text)\" is no IPv4 address (from environment)")
        #expect(try Configuration(settings: bind).text("JAGA_BIND") == "127.0.0.1")
    }

    @Test(arguments: ["JAGA_TIMER_GRACE 5", "JAGA_PORT_BASE=9000\nJAGA_PORT_BASE=9000"])
    func `a line that is none, or one said twice, stops the start`(text: String) throws {
        let folder = try TemporaryFolder()
        let path = try file(text, in: folder)
        #expect(throws: ConfigurationError.self) { _ = try configuration(file: path) }
    }

    @Test func `a file that was asked for must be there`() throws {
        let error = try #require(failure { _ = try configuration(file: "/nowhere/jaga.conf") })
        #expect(error.code == "file-unreadable")
        #expect(error.description.contains("/nowhere/jaga.conf"))
    }

    @Test(arguments: [["--colour"], ["--home"], ["watch"]])
    func `wrong arguments are refused`(arguments: [String]) {
        #expect(throws: ConfigurationError.self) { _ = try configuration(arguments: arguments) }
    }

    @Test func `flags choose what the process does`() throws {
        #expect(try configuration(arguments: ["--version"]).action == .version)
        #expect(try configuration(arguments: ["-h"]).action == .help)
        let print = ["--print-configuration", "--home", "/tmp"]
        #expect(try configuration(arguments: print).action == .printConfiguration)
    }

    @Test func `the printed form masks secrets and reads back as a file`() throws {
        let first = try configuration(["JAGA_TIMER_KEY": "hush", "JAGA_TIMER_GRACE": "77"])
        let text = first.printed()
        #expect(!text.contains("hush"))
        #expect(text.contains("default: 120"))
        #expect(text.contains("from environment"))
        let folder = try TemporaryFolder()
        let again = try configuration(file: try file(text, in: folder))
        #expect(again.int("JAGA_TIMER_GRACE") == 77)
    }

    @Test func `a secret comes from the first line of its file`() throws {
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
    func `takes no secret that others can read or change`(mode: UInt32) throws {
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

    @Test func `says what to do where a folder stands in for a secret`() throws {
        let folder = try TemporaryFolder()
        try Files.makeFolder(folder.file("key"), mode: 0o755)
        let configuration = try configuration(["JAGA_TIMER_KEY_FILE": folder.file("key")])
        let error = failure { _ = try configuration.secret("JAGA_TIMER_KEY_FILE") }
        #expect(error?.code == "secret-unreadable", "closing a folder would mend nothing")
        #expect(error?.message.contains("JAGA_TIMER_KEY_FILE") == true)
        #expect(error?.hint.contains("path of a file") == true)
    }
}
