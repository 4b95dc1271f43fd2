import Foundation
import Hosting
import TestSupport
import Testing
import Web

@testable import JagaCLI

/// `--cacert FILE`.
@Suite struct `The certificate that a command trusts` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func call(_ words: [String], of syntax: Syntax = Status.syntax) throws -> Call {
        try Call(words, of: syntax, environment: ["JAGA_TOKEN": "secret"])
    }

    private func file(_ name: String, _ text: String) throws -> String {
        let path = folder.file(name)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    @Test func `is an option of every command that uses a suite`() {
        for command in Main.commands {
            let names = command.syntax.options.map(\.name)
            guard names.contains("--url") else { continue }
            #expect(names.contains("--cacert"), "\(command.syntax.name)")
        }
    }

    @Test func `is the system's by default`() throws {
        #expect(try Authorities.file(of: call([])) == nil)
    }

    @Test func `is rejected with the name of the file`() throws {
        let missing = folder.file("missing.pem")
        let key = try file("key.pem", "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n")
        let other = try file("other.der", "0\u{82}")
        for (path, message, hint) in [
            (missing, "there is no file", "PEM file"), (key, "no certificate", "private key"),
            (other, "no certificate", "openssl x509 -inform der"),
        ] {
            let error = try #require(throws: CommandError.self) {
                _ = try API(call(["--cacert", path]))
            }
            #expect(error.message.contains(message) && error.message.contains(path))
            #expect(error.hint.contains(hint), "\(error)")
        }
    }

    @Test func `allows a self-signed suite`() async throws {
        let (key, certificate) = (folder.file("key.pem"), folder.file("own.pem"))
        let made = try Capture(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                "-keyout", key, "-out", certificate,
            ])
        #expect(await eventually { made.process.reap() != nil })
        let port = FreePorts.one()
        let server = try Capture(
            "/usr/bin/openssl",
            [
                "s_server", "-accept", "127.0.0.1:\(port)", "-key", key, "-cert", certificate,
                "-www",
            ])
        #expect(await eventually { server.text.contains("ACCEPT") }, "\(server.text)")
        let url = "https://127.0.0.1:\(port)"

        let page = HTTPCall(.get, url + "/")
        let believing = try API(call(["--url", url, "--cacert", certificate]))
        #expect(try believing.exchange(page).status == 200)
        let refusal = try #require(throws: CommandError.self) {
            _ = try API(call(["--url", url])).exchange(page)
        }
        #expect(refusal.hint.contains("--cacert FILE"), "\(refusal)")

        #expect(try receive(["--url", url, "--cacert", certificate]) == 0)
        let untrusted = try #require(throws: CommandError.self) { try receive(["--url", url]) }
        #expect(untrusted.hint.contains("--cacert FILE"), "\(untrusted)")
    }

    /// Reads all stored events; the server has none.
    ///
    /// - Returns: the number of events
    private func receive(_ words: [String]) throws -> Int {
        let call = try call(words, of: Tail.syntax)
        let listener = try RemoteListener(call, EventFilter(), .stored)
        var count = 0
        try listener.receive(until: { false }, handle: { _ in count += 1 })
        return count
    }
}
