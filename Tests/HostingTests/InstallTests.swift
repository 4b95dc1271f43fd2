import Foundation
import Runtime
import TestSupport
import Testing

/// An installation by `make install`, with placeholder executables.
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

    /// Values of a key in a unit, one per line.
    func values(_ key: String, of unit: String) throws -> [String] {
        try text("\(units)/\(unit)").split(separator: "\n").filter { $0.hasPrefix("\(key)=") }
            .map { String($0.dropFirst(key.count + 1)) }
    }
}

@Suite struct `The installation` {
    @Test func `has a unit for every program, and a program for every unit`() async throws {
        let installation = try Installation()
        try await installation.install()
        var started: Set<String> = []
        for service in try installation.services {
            let program = try #require(try installation.values("ExecStart", of: service).first)
            #expect(FileManager.default.isExecutableFile(atPath: installation.root + program))
            started.insert(String(program.split(separator: "/").last ?? ""))
            #expect(
                !(try installation.text("\(installation.units)/\(service)").contains("/usr/local")))
            guard service.hasPrefix("jaga-") else { continue }
            #expect(try installation.values("Type", of: service) == ["notify"])
            #expect(
                try installation.values("Environment", of: service).contains("JAGA_STRICT_ENV=on"))
            #expect(try installation.values("User", of: service) == ["jaga"])
            #expect(try installation.values("WatchdogSec", of: service) == ["30"])
            #expect(try installation.values("ProtectSystem", of: service) == ["strict"])
        }
        #expect(
            started
                == Set(Installation.programs).subtracting(["jaga"]).union([
                    "gammu-smsd-http"
                ]))
        let dependencies = try installation.values("Wants", of: "jaga.target").flatMap {
            $0.split(separator: " ")
        }
        let templates = dependencies.map { String($0.replacing(/@.*\./, with: "@.")) }
        #expect(
            Set(templates)
                == Set(try installation.services).subtracting(["gammu-smsd-http.service"]))
    }

    @Test func `has the files that the manuals name`() async throws {
        let installation = try Installation()
        try await installation.install()
        let share = installation.root + "/opt/jaga/share"
        for name in [
            "doc/jaga/subscribe", "doc/jaga/wire.md", "doc/jaga/running.svg",
            "jaga/prometheus/prometheus.yml", "jaga/prometheus/rules/alerts.yml",
        ] {
            #expect(FileManager.default.fileExists(atPath: "\(share)/\(name)"), "\(name)")
        }
    }

    @Test func `keeps changes of the operator`() async throws {
        let installation = try Installation()
        try await installation.install()
        let settings = installation.root + "/etc/jaga/jaga.env"
        #expect(try installation.text(settings).contains("JAGA_SMS_GATEWAY"))
        try "JAGA_PORT_BASE=9100\n".write(toFile: settings, atomically: true, encoding: .utf8)
        try await installation.install()
        #expect(try installation.text(settings) == "JAGA_PORT_BASE=9100\n")
    }

    @Test(
        .enabled(
            if: getuid() == 0 && FileManager.default.isExecutableFile(atPath: Installation.analyzer)
                && FileManager.default.fileExists(atPath: "/lib/systemd/system/sysinit.target"),
            "systemd is not installed, or its files may not be copied"))
    func `passes systemd's checks of syntax and exposure`() async throws {
        let installation = try Installation()
        try await installation.install()
        let own = installation.root + "/etc/systemd"
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        // The units of the system that ours depend on, because --root reads no other folder.
        try FileManager.default.copyItem(
            atPath: "/lib/systemd/system", toPath: own + "/system")
        for unit in try FileManager.default.contentsOfDirectory(atPath: installation.units) {
            try FileManager.default.copyItem(
                atPath: "\(installation.units)/\(unit)", toPath: "\(own)/system/\(unit)")
        }
        let names =
            try installation.services.map { $0.replacing("@.", with: "@8103.") } + ["jaga.target"]
        let verified = try await Installation.run(
            Installation.analyzer, ["verify", "--root=\(installation.root)"] + names)
        #expect(
            !verified.text.contains("jaga") && !verified.text.contains("gammu"),
            "\(verified.text)")
        for name in names where name != "jaga.target" {
            let checked = try await Installation.run(
                Installation.analyzer,
                [
                    "security", "--offline=yes", "--threshold=20", "--no-pager",
                    "--root=\(installation.root)", name,
                ])
            #expect(checked.status == 0, "\(checked.text.suffix(200))")
        }
    }
}
