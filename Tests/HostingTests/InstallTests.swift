import Foundation
import Runtime
import TestSupport
import Testing

/// What `make install` puts down, with programs that do nothing in place of those that were built.
private struct Installation {
    static let programs = [
        "jaga", "jaga-ingest", "jaga-membership", "jaga-evaluator", "jaga-timer", "jaga-notifier",
    ]
    static let analyzer = Programs.installed("systemd-analyze")

    let folder: TemporaryFolder
    var root: String { folder.file("root") }
    var units: String { root + "/opt/jaga/lib/systemd/system" }

    init() throws {
        folder = try TemporaryFolder()
        let built = folder.file("built")
        try FileManager.default.createDirectory(atPath: built, withIntermediateDirectories: true)
        for program in Self.programs {
            try FileManager.default.copyItem(
                atPath: Programs.installed("true"), toPath: "\(built)/\(program)")
        }
    }

    func install() async throws {
        let script = Programs.top.appending(path: "scripts/install-files").path
        let ended = try await Self.run(
            script, [root, "/opt/jaga", folder.file("built")] + Self.programs)
        guard ended.status == 0 else { throw TestFailure(ended.text) }
    }

    static func run(
        _ program: String, _ arguments: [String]
    ) async throws -> (status: Int32?, text: String) {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let capture = try Capture(program, arguments, environment: ["PATH": path])
        _ = await eventually { capture.process.reap() != nil && capture.text.count >= 0 }
        return (capture.process.exitStatus, capture.text)
    }

    func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    var services: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: units)
                .filter { $0.hasSuffix(".service") }.sorted()
        }
    }

    /// What a unit says of a key, one value a line of it.
    func values(_ key: String, of unit: String) throws -> [String] {
        try text("\(units)/\(unit)").split(separator: "\n").filter { $0.hasPrefix("\(key)=") }
            .map { String($0.dropFirst(key.count + 1)) }
    }
}

@Suite struct `What is installed` {
    @Test func `has a unit for every program, and every unit its program`() async throws {
        let there = try Installation()
        try await there.install()
        var started: Set<String> = []
        for service in try there.services {
            let program = try #require(try there.values("ExecStart", of: service).first)
            #expect(FileManager.default.isExecutableFile(atPath: there.root + program))
            started.insert(String(program.split(separator: "/").last ?? ""))
            #expect(!(try there.text("\(there.units)/\(service)").contains("/usr/local")))
            guard service.hasPrefix("jaga-") else { continue }
            #expect(try there.values("Type", of: service) == ["notify"])
            #expect(try there.values("Environment", of: service).contains("JAGA_STRICT=on"))
            #expect(try there.values("User", of: service) == ["jaga"])
            #expect(try there.values("WatchdogSec", of: service) == ["30"])
            #expect(try there.values("ProtectSystem", of: service) == ["strict"])
        }
        #expect(
            started
                == Set(Installation.programs).subtracting(["jaga"]).union([
                    "gammu-smsd-http"
                ]))
        let wanted = try there.values("Wants", of: "jaga.target").flatMap {
            $0.split(separator: " ")
        }
        let templates = wanted.map { String($0.replacing(/@.*\./, with: "@.")) }
        #expect(Set(templates) == Set(try there.services).subtracting(["gammu-smsd-http.service"]))
    }

    @Test func `has what its manuals name`() async throws {
        let there = try Installation()
        try await there.install()
        let share = there.root + "/opt/jaga/share"
        for name in [
            "doc/jaga/subscribe", "doc/jaga/wire.md", "doc/jaga/running.svg",
            "jaga/prometheus/prometheus.yml", "jaga/prometheus/rules/alerts.yml",
        ] {
            #expect(FileManager.default.fileExists(atPath: "\(share)/\(name)"), "\(name)")
        }
    }

    @Test func `leaves what an operator has changed`() async throws {
        let there = try Installation()
        try await there.install()
        let settings = there.root + "/etc/jaga/jaga.env"
        #expect(try there.text(settings).contains("JAGA_SMS_GATEWAY"))
        try "JAGA_PORT_BASE=9100\n".write(toFile: settings, atomically: true, encoding: .utf8)
        try await there.install()
        #expect(try there.text(settings) == "JAGA_PORT_BASE=9100\n")
    }

    @Test(
        .enabled(
            if: getuid() == 0 && FileManager.default.isExecutableFile(atPath: Installation.analyzer)
                && FileManager.default.fileExists(atPath: "/lib/systemd/system/sysinit.target"),
            "systemd is not installed, or its files may not be copied"))
    func `is what systemd understands and finds little exposed`() async throws {
        let there = try Installation()
        try await there.install()
        let own = there.root + "/etc/systemd"
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        // Those of the system that ours name; --root looks nowhere else.
        try FileManager.default.copyItem(
            atPath: "/lib/systemd/system", toPath: own + "/system")
        for unit in try FileManager.default.contentsOfDirectory(atPath: there.units) {
            try FileManager.default.copyItem(
                atPath: "\(there.units)/\(unit)", toPath: "\(own)/system/\(unit)")
        }
        let names = try there.services.map { $0.replacing("@.", with: "@8103.") } + ["jaga.target"]
        let said = try await Installation.run(
            Installation.analyzer, ["verify", "--root=\(there.root)"] + names)
        #expect(!said.text.contains("jaga") && !said.text.contains("gammu"), "\(said.text)")
        for name in names where name != "jaga.target" {
            let judged = try await Installation.run(
                Installation.analyzer,
                [
                    "security", "--offline=yes", "--threshold=20", "--no-pager",
                    "--root=\(there.root)", name,
                ])
            #expect(judged.status == 0, "\(judged.text.suffix(200))")
        }
    }
}
