import Foundation
import Runtime
import TestSupport
import Testing
import Web

@testable import Gateways

/// The files of deploy/gateways, loaded like an operator's files.
enum Shipped {
    static let folder = Programs.top.appending(path: "deploy/gateways")

    static var names: [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix(".conf") }.map { String($0.dropLast(5)) }.sorted()
    }

    static func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appending(path: "\(name).conf"), encoding: .utf8)
    }

    /// The driver built from settings with the file's path.
    static func driver(_ name: String, url: String? = nil) throws -> GatewayDriver {
        let home = try TemporaryFolder()
        try Files.write(Array("p&w\n".utf8), to: home.file("password"), mode: 0o600)
        var environment = [
            "JAGA_HOME": home.path, "JAGA_SMS_USER": "jaga", "JAGA_SMS_SENDER": "40404",
            "JAGA_SMS_GATEWAY": folder.appending(path: "\(name).conf").path,
            "JAGA_SMS_PASSWORD_FILE": home.file("password"),
        ]
        environment["JAGA_SMS_URL"] = url
        let configuration = try Configuration(
            settings: GatewaySettings.all, environment: environment, service: "notifier")
        let drivers = try GatewaySettings.drivers(
            configuration, callbackBase: "https://jaga.example.org/")
        return try #require(drivers.first)
    }
}

@Suite struct `A shipped gateway` {
    static let plain = message("Ada left Home @ 10:20 & \"calls\" \\ {x}", segments: 2)
    static let wide = message("Ж 😀", isGSM: false)

    /// The unmasked request on the wire.
    private func request(_ driver: GatewayDriver, _ message: GatewayMessage) throws -> String {
        guard case .transfer(let transfer) = driver.prepare(message, token: 1, lane: .safety),
            case .http(let call) = transfer.call
        else { throw TestFailure("\(driver.name) prepares no HTTP call") }
        return call.wireText()
    }

    @Test(arguments: Shipped.names)
    func `makes exactly the golden request`(name: String) throws {
        let driver = try Shipped.driver(name)
        #expect(driver.name == name)
        let made = try [Self.plain, Self.wide].map { try request(driver, $0) }
        let file = Programs.top.appending(path: "Tests/GatewaysTests/Golden/\(name).txt")
        let golden = try String(contentsOf: file, encoding: .utf8)
        #expect(made.joined(separator: "---\n") == golden)
    }

    @Test(arguments: Shipped.names)
    func `shows what libcurl sends, byte for byte`(name: String) throws {
        let server = RawServer()
        server.onReceive = { connection, _ in
            connection.send("HTTP/1.1 599 x\r\nContent-Length: 0\r\n\r\n")
        }
        let driver = try Shipped.driver(name, url: "http://127.0.0.1:\(server.port)")
        guard case .transfer(let transfer) = driver.prepare(Self.plain, token: 1, lane: .safety)
        else { throw TestFailure("\(name) prepares no transfer") }
        let transfers = Transfers()
        defer { transfers.stop() }
        transfers.start(transfer)
        var results: [TransferResult] = []
        let clock = ContinuousClock()
        let end = clock.now + .seconds(30)
        while results.isEmpty, clock.now < end {
            Loop.wait(on: [transfers], atMost: 5)
            server.advance()
            results += transfers.drain()
        }
        let shown = try request(driver, Self.plain)
        let head = "to http://127.0.0.1:\(server.port)\n\n"
        let sent = server.connections.first?.received.replacing("\r\n", with: "\n") ?? ""
        #expect(shown.hasPrefix(head))
        #expect(shown.dropFirst(head.count) == (sent.hasSuffix("\n") ? sent : sent + "\n"))
    }

    @Test(arguments: Shipped.names)
    func `masks every secret`(name: String) throws {
        let driver = try Shipped.driver(name)
        let shown = try #require(driver.maskedRequest(for: Self.plain))
        let basic = "amFnYTpwJnc="  // jaga:p&w
        for secret in ["p&w", "p%26w", "tok-1", basic] { #expect(!shown.contains(secret)) }
        #expect(shown.contains("MASKED"))
        let length = try request(driver, Self.plain).firstMatch(of: /Content-Length: [0-9]+/)?.0
        #expect(shown.contains(try #require(length)), "the length is that of the unmasked request")
    }

    @Test func `is built in under its name, except the template`() throws {
        #expect(Set(GatewaySettings.shipped.keys) == Set(Shipped.names).subtracting(["template"]))
        for (name, bytes) in GatewaySettings.shipped {
            #expect(text(bytes) == (try Shipped.text(name)))
        }
    }

    @Test func `has a template that explains every placeholder and every key`() throws {
        let template = try Shipped.text("template")
        for placeholder in Template.Placeholder.allCases {
            #expect(template.contains("#   {\(placeholder.rawValue)} "), "\(placeholder)")
        }
        let document = try String(
            contentsOf: Programs.top.appending(path: "docs/gateways.md"), encoding: .utf8)
        let reader = try String(
            contentsOf: Programs.top.appending(path: "Shared/Gateways/GatewayFile.swift"),
            encoding: .utf8)
        let keys = reader.matches(of: /case "([A-Z_]+)":/).map { String($0.1) }
        #expect(keys.count >= 18)
        for key in keys {
            #expect(document.contains("`\(key)`"), "docs/gateways.md: \(key)")
            let isUsed = template.split(separator: "\n").contains {
                $0.hasPrefix("\(key)=")
            }
            #expect(isUsed, "template.conf: \(key)")
        }
    }

    @Test(arguments: [
        ("https://sms.example.org/send", "https://sms.example.org/send"),
        ("https://a:b@sms.example.org/send", "https://MASKED@sms.example.org/send"),
        ("https://sms.example.org?key=abc&x=1", "https://sms.example.org?key=MASKED&x=MASKED"),
    ])
    func `may have secrets in its address, which are masked`(url: String, shown: String) {
        #expect(HTTPGateway.masked(url) == shown)
    }
}
