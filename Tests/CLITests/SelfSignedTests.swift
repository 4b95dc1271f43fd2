import Foundation
import Hosting
import Runtime
import TestSupport
import Testing

@testable import JagaCLI

@Suite struct `The certificate of jaga up --self-signed` {
    private static let environment = ["PATH": "/usr/bin:/bin"]

    private func make(_ address: String, in home: TemporaryFolder) throws -> SelfSigned {
        try SelfSigned(home: home.path, address: address, environment: Self.environment)
    }

    @Test
    func
        `is valid for the address, readable by its owner only, and kept until the address changes`()
        throws
    {
        let home = try TemporaryFolder()
        let first = try make("192.168.1.5", in: home)
        #expect(first.fingerprint.matches(of: #/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/#).count == 1)
        #expect(try Files.mode(of: first.key) == 0o600)
        #expect(try Files.mode(of: home.path + "/tls") == 0o700)
        #expect(try make("192.168.1.5", in: home).fingerprint == first.fingerprint)
        #expect(try make("192.168.1.6", in: home).fingerprint != first.fingerprint)
    }

    @Test func `serves phones by TLS while loopback stays without`() async throws {
        let home = try TemporaryFolder()
        let made = try make("127.0.0.2", in: home)
        let base = FreePorts.base(of: [400])
        let port = base + 400
        var configuration = NginxConfiguration(
            folder: home.path, listen: ["127.0.0.2:\(port)", "127.0.0.1:\(port)"],
            ports: Ports(Topology(portBase: base)), isRoot: geteuid() == 0)
        configuration.tls = (["127.0.0.2:\(port)"], made.certificate, made.key)
        try configuration.text.write(
            toFile: home.path + "/nginx.conf", atomically: true, encoding: .utf8)
        let nginx = try Capture(
            "/usr/sbin/nginx", ["-p", home.path, "-c", "nginx.conf", "-e", "stderr"])
        defer { nginx.end() }
        let isThere = await eventually {
            (try? PlainHTTP(port: port).send("GET", "/nothing"))?.status == 404
        }
        #expect(isThere, "\(nginx.text)")
        let curl = try Capture(
            "/usr/bin/curl",
            [
                "-sS", "--cacert", made.certificate, "-o", "/dev/null", "-w", "%{http_code}",
                "https://127.0.0.2:\(port)/nothing",
            ])
        _ = await eventually { curl.process.reap() != nil }
        #expect(curl.text.hasPrefix("404"), "\(curl.text)")
        // Only modern ciphers, and browsers keep to TLS.
        let address = "https://127.0.0.2:\(port)/nothing"
        let old = ["--tls-max", "1.2", "--ciphers", "AES128-SHA:ECDHE-ECDSA-AES128-SHA256"]
        let new = ["--tls-max", "1.2", "--ciphers", "ECDHE-ECDSA-AES128-GCM-SHA256"]
        for (options, isServed) in [(old, false), (new, true)] {
            let curl = try Capture(
                "/usr/bin/curl",
                ["-sS", "--cacert", made.certificate, "-o", "/dev/null", "-D", "-"] + options
                    + [address])
            _ = await eventually { curl.process.reap() != nil }
            #expect((curl.process.exitStatus == 0) == isServed, "\(options) \(curl.text)")
            if isServed { #expect(curl.text.contains("Strict-Transport-Security: max-age=")) }
        }
    }

    @Test func `has the protocols and ciphers of the edge, which has none of its own`() throws {
        let deploy = Programs.top.appending(path: "deploy")
        let edge = try String(
            contentsOf: deploy.appending(path: "edge/nginx.conf"), encoding: .utf8)
        #expect(edge.contains("include /etc/nginx/jaga/tls.conf;"))
        #expect(!edge.contains("ssl_ciphers") && !edge.contains("ssl_protocols"))
        let docker = try String(contentsOf: deploy.appending(path: "Dockerfile"), encoding: .utf8)
        #expect(docker.contains("jaga nginx tls >/routes/tls.conf"))
        #expect(NginxConfiguration.transportSecurity.contains("ECDHE+AESGCM"))
    }
}
