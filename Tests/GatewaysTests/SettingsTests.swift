import Foundation
import Runtime
import TestSupport
import Testing

@testable import Gateways

@Suite struct `The settings of gateways` {
    private func drivers(_ values: [String: String]) throws -> [GatewayDriver] {
        let folder = try TemporaryFolder()
        var environment = values
        environment["JAGA_HOME"] = folder.path
        try Files.write(Array("s3cret\n".utf8), to: folder.file("password"), mode: 0o600)
        for (name, value) in values where value == "password" {
            environment[name] = folder.file("password")
        }
        let configuration = try Configuration(
            settings: GatewaySettings.all, environment: environment, service: "notifier")
        return try GatewaySettings.drivers(configuration, callbackBase: "http://127.0.0.1:8105/")
    }

    @Test func `without a gateway select the built-in sink, which sends nothing`() throws {
        let drivers = try drivers([:])
        #expect(drivers.map(\.name) == ["sink"])
        #expect(drivers.map(\.stateKind) == [.defaultSink])
        #expect(drivers[0].channels == [.sms, .email])
        guard case .ended(let answer) = drivers[0].prepare(message(), token: 1, lane: .ordinary)
        else {
            Issue.record("the sink starts a transfer")
            return
        }
        #expect(answer.verdict == .sink)
        #expect(answer.detail.contains("nothing was sent"))
    }

    @Test func `make one driver per channel, and no sink`() throws {
        let drivers = try drivers([
            "JAGA_SMS_GATEWAY": "kannel", "JAGA_SMS_USER": "jaga",
            "JAGA_SMS_PASSWORD_FILE": "password", "JAGA_SMS_TIMEOUT": "7",
            "JAGA_MAIL_URL": "smtp://mail.example.org:587",
            "JAGA_MAIL_FROM": "Jaga <jaga@example.org>",
        ])
        #expect(drivers.map(\.name) == ["kannel", "mail"])
        #expect(drivers.map(\.channels) == [[.sms], [.email]])
        guard case .transfer(let transfer) = drivers[0].prepare(message(), token: 5, lane: .safety),
            case .http(let call) = transfer.call
        else {
            Issue.record("Kannel prepares no HTTP call")
            return
        }
        #expect(transfer.token == 5)
        #expect(transfer.lane == .safety)
        #expect(transfer.timeoutMilliseconds == 7000)
        #expect(call.url == "http://127.0.0.1:13013/cgi-bin/sendsms")
        #expect(call.headers["X-Kannel-Password"] == "s3cret")
        #expect(call.headers["X-Kannel-From"] == nil)
        #expect(
            call.headers["X-Kannel-DLR-URL"]
                == "http://127.0.0.1:8105/v1/receipts/tok-1?type=%d&answer=%A&to=%p")
    }

    @Test func `select the sink for channels without a gateway`() throws {
        let alone = try drivers(["JAGA_SMS_GATEWAY": "sink"])
        #expect(alone.map(\.stateKind) == [.chosenSink])
        #expect(alone[0].channels == [.sms, .email])
        let trial = try drivers(["JAGA_NOTIFIER_TRIAL": "on"])
        #expect(trial.map(\.stateKind) == [.chosenSink])
        let beside = try drivers([
            "JAGA_SMS_GATEWAY": "sink", "JAGA_MAIL_URL": "smtp://mail.example.org:587",
            "JAGA_MAIL_FROM": "Jaga <jaga@example.org>",
        ])
        #expect(beside.map(\.stateKind) == [.chosenSink, .external])
        #expect(beside.map(\.channels) == [[.sms], [.email]])
        #expect(beside.map(\.dryRun.stateKind) == [.chosenSink, .chosenSink])
    }

    @Test(arguments: [
        (["JAGA_SMS_URL": "http://127.0.0.1:9"], "JAGA_SMS_GATEWAY"),
        (["JAGA_SMS_USER": "x", "JAGA_SMS_PASSWORD_FILE": "password"], "JAGA_SMS_GATEWAY"),
        (["JAGA_SMS_REPLIES": "on"], "JAGA_SMS_GATEWAY"),
        (["JAGA_MAIL_FROM": "jaga@example.org"], "JAGA_MAIL_URL"),
        (["JAGA_MAIL_USER": "x", "JAGA_MAIL_PASSWORD_FILE": "password"], "JAGA_MAIL_URL"),
    ])
    func `of an incomplete gateway prevent the start`(values: [String: String], missing: String) {
        let error = #expect(throws: GatewayError.self) { try drivers(values) }
        #expect(error?.message.hasPrefix("\(missing): not set, but ") == true)
        #expect(values.keys.allSatisfy { error?.message.contains($0) == true })
        #expect(error?.hint.contains("or remove ") == true)
        #expect(error?.description.contains("\n") == false)
    }

    @Test func `of a gateway together with the sink prevent the start`() throws {
        let error = #expect(throws: GatewayError.self) {
            try drivers(["JAGA_SMS_GATEWAY": "sink", "JAGA_SMS_URL": "http://127.0.0.1:9"])
        }
        #expect(error?.message.contains("JAGA_SMS_URL is set") == true)
        #expect(error?.hint.contains("or remove JAGA_SMS_URL") == true)
    }

    @Test func `suggest a gateway with a similar name`() {
        let near = #expect(throws: GatewayError.self) { try drivers(["JAGA_SMS_GATEWAY": "kanel"]) }
        #expect(near?.hint.hasPrefix("Did you mean kannel? ") == true)
        let far = #expect(throws: GatewayError.self) { try drivers(["JAGA_SMS_GATEWAY": "pigeon"]) }
        #expect(far?.hint.contains("Did you mean") == false)
    }

    @Test(arguments: [
        (["JAGA_SMS_GATEWAY": "kanel"], "kanel"),
        (["JAGA_SMS_GATEWAY": "twilio"], "JAGA_SMS_USER"),
        (["JAGA_SMS_GATEWAY": "kannel"], "JAGA_SMS_USER"),
        (["JAGA_SMS_GATEWAY": "jasmin"], "JAGA_SMS_USER"),
        (["JAGA_SMS_GATEWAY": "vonage"], "JAGA_SMS_USER"),
        (["JAGA_SMS_GATEWAY": "kannel", "JAGA_SMS_USER": "x"], "JAGA_SMS_PASSWORD_FILE"),
        (["JAGA_SMS_GATEWAY": "kannel", "JAGA_SMS_PASSWORD_FILE": "password"], "JAGA_SMS_USER"),
        (["JAGA_MAIL_URL": "smtp://mail.example.org"], "JAGA_MAIL_FROM"),
        (
            ["JAGA_MAIL_URL": "smtp://mail.example.org", "JAGA_MAIL_FROM": "nobody"],
            "JAGA_MAIL_FROM"
        ),
    ])
    func `that are unusable are named in the error`(values: [String: String], name: String) {
        let error = #expect(throws: GatewayError.self) { try drivers(values) }
        #expect(error?.description.contains(name) == true)
        #expect(error?.hint.isEmpty == false)
    }
}
