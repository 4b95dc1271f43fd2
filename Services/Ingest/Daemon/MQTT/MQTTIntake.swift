import Dialects
import Hashing
import IngestCore
import MQTT
import Model
import Parsing
import Runtime

/// Ingest's port to the MQTT broker.
protocol Broker: Pollable {
    var state: BrokerLink.State { get }
    var failure: BrokerFailure? { get }
    func drain(limit: Int) -> [BrokerMessage]
    func publish(_ payload: [UInt8], to topic: String)
    func flush()
    func disconnect(for pause: Duration)
    func stop()
    func drainNotices() -> [BrokerLink.Notice]
}

extension BrokerLink: Broker {}

/// State of the connection to the operator's broker.
final class MQTTIntake {
    /// The outcome of a message.
    enum Outcome: String, CaseIterable {
        case accepted
        /// The topic belongs to no device.
        case unknown
        /// The device's secret at the broker has been replaced.
        case replacedSecret = "replaced-secret"
        /// Published by the suite itself.
        case own
        /// Retained by the broker, and received before.
        case retained
        /// Left with the broker until there is room or the owner is known.
        case later
        /// Failed in each attempt.
        case dropped
    }

    let broker: any Broker
    /// Topic levels above those of the phones.
    let prefix: String
    var counts: [Outcome: Int] = [:]
    private(set) var published = 0
    private(set) var connections = 0
    /// Some unknown topics, for the operator only.
    private(set) var unknown: [String] = []
    /// Pause after which the broker sends all messages of this turn again.
    private(set) var pause: Duration?
    /// The topic on which each phone listens, as last seen.
    private var topics: [DeviceID: OwnTracks.Topic] = [:]
    /// Data of friends that phones got last, so that only changes are sent.
    private var sentFriends: [String: (payload: ID128, at: Timestamp)] = [:]
    private var failures: [ID128: Int] = [:]
    /// The directory has been complete since the start.
    private var wasFresh = false
    private var behindSince: Timestamp?
    /// Unacknowledged messages that were left with the broker.
    private var left: Set<ID128> = []
    private var hasReportedTooLarge = false
    private var rejectedDevices: Set<DeviceID> = []
    private var nextRequest: UInt64 = 1 << 63
    private var downSince: Timestamp?

    init(broker: any Broker, prefix: String) {
        self.broker = broker
        self.prefix = prefix
    }

    /// A request number that no HTTP request has.
    func newRequest() -> UInt64 {
        nextRequest += 1
        return nextRequest
    }

    // MARK: The turn

    /// Acknowledges the messages of the committed turn and publishes its output.
    func committed() {
        if let pause {
            self.pause = nil
            forgetSent()
            broker.disconnect(for: pause)
        } else {
            left.removeAll()
            broker.flush()
        }
    }

    /// After a rollback all messages of the turn are sent again.
    func rolledBack() {
        pause = nil
        forgetSent()
        broker.disconnect(for: .seconds(1))
    }

    private func forgetSent() { sentFriends.removeAll() }

    // MARK: Failures

    private static func digest(_ message: BrokerMessage) -> ID128 {
        Hash.id(.text(message.topic), .text(Hex.encode(Hash.sha256(message.payload))))
    }

    func recordFailure(of message: BrokerMessage) {
        if failures.count >= Limits.messagesFailedMax { failures.removeAll() }
        failures[MQTTIntake.digest(message), default: 0] += 1
    }

    /// How often a message has failed: after one failure only its calls for help are accepted;
    /// after two it is not tried again.
    func failures(of message: BrokerMessage) -> Int {
        guard !failures.isEmpty else { return 0 }
        return failures[MQTTIntake.digest(message), default: 0] / Limits.messageTriesMax
    }

    // MARK: Topics

    /// Records whether the directory is complete; only then is an unknown device known not to
    /// exist.
    func recordDirectory(isFresh: Bool, at now: Timestamp) {
        if isFresh { wasFresh = true }
        behindSince = isFresh ? nil : behindSince ?? now
    }

    /// Whether the owner of an unknown topic may still arrive. A directory that was complete before
    /// is awaited for a limited time, because no message is acknowledged meanwhile.
    func awaitsDirectory(at now: Timestamp) -> Bool {
        guard let behindSince else { return false }
        return !wasFresh || now - behindSince < .seconds(Limits.directoryBehindSeconds)
    }

    /// Leaves all messages of this turn with the broker, which sends them again. The rest of its
    /// queue is still read, because there may be a call for help.
    func leaveMessages(for pause: Duration) {
        counts[.later, default: 0] += 1
        self.pause = pause
    }

    /// Remembers the messages of a turn that is left with the broker.
    func recordLeft(_ messages: [BrokerMessage]) {
        if left.count + messages.count > Limits.messagesLeftMax { left.removeAll() }
        for message in messages { left.insert(MQTTIntake.digest(message)) }
    }

    /// Whether the message was left with the broker before.
    func wasLeft(_ message: BrokerMessage) -> Bool {
        !left.isEmpty && left.contains(MQTTIntake.digest(message))
    }

    /// Whether a rejected device has not been warned about since it was last accepted.
    func isFirstRejected(_ device: DeviceID) -> Bool {
        counts[.replacedSecret, default: 0] += 1
        topics[device] = nil
        return rejectedDevices.insert(device).inserted
    }

    func recordAccepted(_ device: DeviceID) {
        if !rejectedDevices.isEmpty { rejectedDevices.remove(device) }
    }

    func isFirstTooLarge() -> Bool {
        defer { hasReportedTooLarge = true }
        return !hasReportedTooLarge
    }

    func recordUnknown(_ topic: String) -> Bool {
        counts[.unknown, default: 0] += 1
        guard unknown.count < Limits.unknownTopicsShown, !unknown.contains(topic) else {
            return false
        }
        unknown.append(topic)
        return unknown.count == 1
    }

    func forgetUnknown() { unknown.removeAll() }

    func record(_ topic: OwnTracks.Topic, of device: DeviceID) { topics[device] = topic }

    func topic(of device: DeviceID) -> OwnTracks.Topic? { topics[device] }

    // MARK: Publishing

    /// - Parameter key: encrypts the payload; nil = not encrypted
    func publish(_ payload: [UInt8], to topic: OwnTracks.Topic, key: OwnTracks.Key?) {
        var payload = payload
        if let key {
            payload = OwnTracks.seal(
                payload, key: key, nonce: SecureRandom.bytes(SecretBox.nonceBytes))
        }
        published += 1
        broker.publish(payload, to: topic.text(below: prefix))
    }

    /// Whether a phone has not just received the same data of a friend.
    func isChanged(_ payload: [UInt8], on topic: OwnTracks.Topic, at now: Timestamp) -> Bool {
        let name = topic.text(below: "")
        let digest = Hash.blake2b128(payload)
        if let last = sentFriends[name], last.payload == digest,
            now - last.at < .seconds(Limits.friendRepeatSeconds)
        {
            return false
        }
        if sentFriends.count >= Limits.friendsSentRemembered { sentFriends.removeAll() }
        sentFriends[name] = (digest, now)
        return true
    }

    // MARK: Status

    /// Logs changes of the connection.
    func logChanges(to log: Log, at now: Timestamp) {
        for change in broker.drainNotices() {
            switch change {
            case .online(let hasSession):
                connections += 1
                log.info("MQTT broker connected", ["session": hasSession ? "kept" : "new"])
            case .failed(let failure): log.error(failure)
            }
        }
        downSince = broker.state == .online ? nil : downSince ?? now
    }

    /// Whether the connection is down; needs attention if it lasts.
    var concern: String? {
        guard broker.state != .online, broker.state != .stopped else { return nil }
        return "not connected to the MQTT broker" + (broker.failure.map { ": \($0.message)" } ?? "")
    }

    /// The concern once it has lasted.
    func alarm(at now: Timestamp) -> String? {
        guard let downSince, now - downSince > .seconds(Limits.brokerAwaySeconds) else {
            return nil
        }
        return concern
    }

    func write(to metrics: Metrics) {
        metrics.gauge(
            "jaga_ingest_mqtt_connected",
            "1 while connected to the operator's MQTT broker, otherwise 0."
        ).set(broker.state == .online ? 1 : 0)
        metrics.counter(
            "jaga_ingest_mqtt_connections_total", "Connections made to the MQTT broker."
        ).set(Double(connections))
        let messages = metrics.counter(
            "jaga_ingest_mqtt_messages_total",
            "Messages of the MQTT broker, by outcome.",
            "outcome")
        for outcome in Outcome.allCases {
            messages.set(Double(counts[outcome] ?? 0), outcome.rawValue)
        }
        metrics.counter(
            "jaga_ingest_mqtt_published_total", "Messages published for phones."
        ).set(Double(published))
    }

    var statusMember: JSON.Member {
        .init(
            "mqtt",
            [
                "state": .string(broker.state.rawValue),
                "problem": broker.failure.map { .string($0.message) } ?? .null,
            ])
    }
}
