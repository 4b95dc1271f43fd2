import Dialects
import Foundation
import MQTT
import Runtime
import TestSupport
import Testing

/// Tests the connection against Debian's mosquitto.
@Suite(.enabled(if: BrokerKit.isInstalled, "needs mosquitto"), .serialized) struct LinkTests {
    private func login(
        _ broker: BrokerKit, password: String = BrokerKit.password,
        id: String = "jaga", topics: [String] = ["owntracks/+/+"]
    ) throws -> BrokerLogin {
        BrokerLogin(
            address: try #require(BrokerAddress(broker.url)), password: password,
            authoritiesFile: broker.authoritiesFile,
            clientID: id, subscriptions: topics)
    }

    /// Runs turns until a condition holds, for at most 30 s. It blocks its thread, because a link
    /// without turns considers its broker lost.
    @discardableResult
    private func turns(
        _ link: BrokerLink, acknowledging: Bool = true, until holds: ([String]) -> Bool
    ) -> [String] {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(30)
        var texts: [String] = []
        while !holds(texts), clock.now < end {
            texts += link.drain().map { String(decoding: $0.payload, as: UTF8.self) }
            if acknowledging || !link.isOnline { link.flush() }
            usleep(1000)
        }
        return texts
    }

    private func started(isEncrypted: Bool = false) async throws -> BrokerKit {
        let broker = try BrokerKit(isEncrypted: isEncrypted)
        try await broker.start()
        return broker
    }

    @Test(arguments: [false, true])
    func `published messages arrive, with a password, with and without TLS`(isEncrypted: Bool)
        async throws
    {
        let broker = try await started(isEncrypted: isEncrypted)
        let link = BrokerLink(try login(broker))
        #expect(turns(link) { _ in link.isOnline }.isEmpty)
        #expect(link.isOnline, "\(link.drainNotices()) \(broker.log)")
        link.publish(Array("hello".utf8), to: "owntracks/anna/phone")
        link.publish(Array("not to us".utf8), to: "owntracks/anna/phone/cmd")
        link.publish(Array("again".utf8), to: "owntracks/anna/phone")
        #expect(turns(link) { $0.count >= 2 } == ["hello", "again"])
        #expect(link.drainNotices() == [.online(hasSession: false)])
        link.stop()
        await broker.stop()
    }

    @Test func `unacknowledged messages arrive again`() async throws {
        let broker = try await started()
        let link = BrokerLink(try login(broker))
        turns(link) { _ in link.isOnline }
        let phone = BrokerLink(try login(broker, id: "phone", topics: ["owntracks/x/y"]))
        turns(phone) { _ in phone.isOnline }
        phone.publish(Array("once".utf8), to: "owntracks/anna/phone")
        turns(phone) { _ in broker.log.contains("Sending PUBACK to phone") }
        #expect(turns(link, acknowledging: false) { !$0.isEmpty } == ["once"])
        // Time in which an acknowledgement would have arrived.
        try await Task.sleep(for: .milliseconds(300))
        #expect(!broker.log.contains("Received PUBACK from jaga"))
        link.disconnect(for: .zero)
        #expect(turns(link) { !$0.isEmpty } == ["once"])
        let isAcknowledged = await eventually { broker.log.contains("Received PUBACK from jaga") }
        #expect(isAcknowledged)
        link.disconnect(for: .zero)
        turns(link) { _ in link.isOnline }
        #expect(link.drain().isEmpty)
        link.stop()
        phone.stop()
        await broker.stop()
    }

    @Test func `a wrong password is reported once, with a hint`() async throws {
        let broker = try await started()
        let link = BrokerLink(try login(broker, password: "wrong"))
        var tries = 0
        turns(link) { _ in
            tries = broker.log.count(of: "disconnected, not authorised")
            return tries >= 2
        }
        #expect(tries >= 2)
        let notices = link.drainNotices()
        guard case .failed(let failure) = notices.first else {
            Issue.record("no failure was reported: \(notices)")
            return
        }
        #expect(notices.count == 1 && failure.code == "credentials")
        #expect(failure.hint.contains("JAGA_INGEST_MQTT_PASSWORD_FILE"))
        await broker.stop()
    }

    @Test func `the link reconnects to a restarted broker, and the session is kept`() async throws {
        let broker = try await started()
        let link = BrokerLink(try login(broker))
        turns(link) { _ in link.isOnline }
        await broker.stop()
        turns(link) { _ in !link.isOnline }
        #expect(link.failure != nil)
        try await broker.start()
        turns(link) { _ in link.isOnline }
        #expect(link.drainNotices().last == .online(hasSession: true))
        link.stop()
        await broker.stop()
    }

    @Test func `a broker with an untrusted certificate is rejected`() async throws {
        let broker = try await started(isEncrypted: true)
        var login = try login(broker)
        login.authoritiesFile = nil
        let link = BrokerLink(login)
        turns(link) { _ in link.failure != nil }
        #expect(link.failure?.code == "tls", "\(String(describing: link.failure))")
        await broker.stop()
    }

    @Test func `an unknown host name is reported`() async throws {
        let nowhere = BrokerLink(
            BrokerLogin(
                address: try #require(BrokerAddress("mqtt://broker.invalid:1")), clientID: "a",
                subscriptions: ["a"]))
        turns(nowhere) { _ in nowhere.failure != nil }
        #expect(nowhere.failure?.code == "unknown-host")
    }
}

extension String {
    /// How often a text occurs.
    fileprivate func count(of text: String) -> Int { ranges(of: text).count }
}
