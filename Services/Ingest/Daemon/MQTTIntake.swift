import Dialects
import Hashing
import IngestCore
import MQTT
import Model
import Parsing
import Runtime

/// The connection to a broker, as ingest needs it.
protocol Broker: Pollable {
    var state: BrokerLink.State { get }
    var trouble: BrokerTrouble? { get }
    func drain(limit: Int) -> [BrokerMessage]
    func publish(_ payload: [UInt8], to topic: String)
    func flush()
    func cut(for pause: Duration)
    func stop()
    func takeNews() -> [BrokerLink.News]
}

extension BrokerLink: Broker {}

/// What ingest knows of the operator's broker while it runs.
final class MQTTIntake {
    /// What became of messages.
    enum Outcome: String, CaseIterable {
        case taken
        /// Of no device.
        case unknown
        /// Of a device whose secret at the broker has been replaced.
        case replacedSecret = "replaced-secret"
        /// The suite's own, come back.
        case own
        /// Kept by the broker, and heard before.
        case retained
        /// Left with the broker until there is room, or it is known whose it is.
        case later
        /// Failed each time.
        case dropped = "given-up"
    }

    let broker: any Broker
    /// Levels above those of the phones.
    let prefix: String
    var counts: [Outcome: Int] = [:]
    private(set) var published = 0
    private(set) var connections = 0
    /// Some topics that are no device's, for the operator alone.
    private(set) var unknown: [String] = []
    /// Everything of this turn is to come again, after so long.
    var pause: Duration?
    /// Where phones listen, as they last spoke.
    private var topics: [DeviceID: OwnTracks.Topic] = [:]
    /// What phones were told of friends, so that they are told what is new.
    private var told: [String: (payload: ID128, at: Timestamp)] = [:]
    private var failures: [ID128: Int] = [:]
    /// The directory was complete since the start.
    private var wasFresh = false
    private var behindSince: Timestamp?
    /// Messages that were left with the broker and not acknowledged since.
    private var left: Set<ID128> = []
    private var hasToldTooLarge = false
    private var refusedDevices: Set<DeviceID> = []
    private var nextRequest: UInt64 = 1 << 63
    private var downSince: Timestamp?

    init(broker: any Broker, prefix: String) {
        self.broker = broker
        self.prefix = prefix
    }

    /// A number that no request over HTTP has.
    func newRequest() -> UInt64 {
        nextRequest += 1
        return nextRequest
    }

    // MARK: The turn

    /// The turn is on the disk: what it read is acknowledged, and what it said leaves.
    func committed() {
        if let pause {
            self.pause = nil
            forgetTold()
            broker.cut(for: pause)
        } else {
            left.removeAll()
            broker.flush()
        }
    }

    /// The turn was taken back: all that was read comes again.
    func takenBack() {
        pause = nil
        forgetTold()
        broker.cut(for: .seconds(1))
    }

    private func forgetTold() { told.removeAll() }

    // MARK: What fails

    private static func digest(_ message: BrokerMessage) -> ID128 {
        Hash.id(.text(message.topic), .text(Hex.encode(Hash.sha256(message.payload))))
    }

    func noteFailure(of message: BrokerMessage) {
        if failures.count >= Limits.messagesFailedRemembered { failures.removeAll() }
        failures[MQTTIntake.digest(message), default: 0] += 1
    }

    /// How often it has failed, in numbers of tries that are enough: of one that did once, the
    /// calls for help alone are taken; one that did twice is not tried any more.
    func failures(of message: BrokerMessage) -> Int {
        guard !failures.isEmpty else { return 0 }
        return failures[MQTTIntake.digest(message), default: 0] / Limits.messageTriesMax
    }

    // MARK: Topics

    /// Since when the directory is behind is noted; what is not in a complete one does not exist.
    func note(isDirectoryFresh: Bool, at now: Timestamp) {
        if isDirectoryFresh { wasFresh = true }
        behindSince = isDirectoryFresh ? nil : behindSince ?? now
    }

    /// Whether whose topic it is may still be heard of. A directory that was complete once is
    /// waited for a while only, since nothing of the broker is acknowledged meanwhile.
    func isDirectoryAwaited(at now: Timestamp) -> Bool {
        guard let behindSince else { return false }
        return !wasFresh || now - behindSince < .seconds(Limits.directoryBehindSeconds)
    }

    /// Messages of a turn that is left with the broker.
    func noteLeft(_ messages: [BrokerMessage]) {
        if left.count + messages.count > Limits.messagesLeftRemembered { left.removeAll() }
        for message in messages { left.insert(MQTTIntake.digest(message)) }
    }

    /// Whether it was left before.
    func wasLeft(_ message: BrokerMessage) -> Bool {
        !left.isEmpty && left.contains(MQTTIntake.digest(message))
    }

    /// Whether a refused device was not warned of yet since it was last accepted.
    func isFirstRefused(_ device: DeviceID) -> Bool {
        counts[.replacedSecret, default: 0] += 1
        topics[device] = nil
        return refusedDevices.insert(device).inserted
    }

    func noteAccepted(_ device: DeviceID) {
        if !refusedDevices.isEmpty { refusedDevices.remove(device) }
    }

    func isFirstTooLarge() -> Bool {
        defer { hasToldTooLarge = true }
        return !hasToldTooLarge
    }

    func noteUnknown(_ topic: String) -> Bool {
        counts[.unknown, default: 0] += 1
        guard unknown.count < Limits.unknownTopicsShown, !unknown.contains(topic) else {
            return false
        }
        unknown.append(topic)
        return unknown.count == 1
    }

    func forgetUnknown() { unknown.removeAll() }

    func note(_ topic: OwnTracks.Topic, of device: DeviceID) { topics[device] = topic }

    func topic(of device: DeviceID) -> OwnTracks.Topic? { topics[device] }

    // MARK: What is said

    /// - Parameter key: it leaves encrypted with this one
    func publish(_ payload: [UInt8], to topic: OwnTracks.Topic, key: OwnTracks.Key?) {
        var payload = payload
        if let key {
            payload = OwnTracks.seal(
                payload, key: key, nonce: SecureRandom.bytes(SecretBox.nonceBytes))
        }
        published += 1
        broker.publish(payload, to: topic.text(below: prefix))
    }

    /// Whether a phone has not just been told the very same of a friend.
    func isNews(_ payload: [UInt8], on topic: OwnTracks.Topic, at now: Timestamp) -> Bool {
        let name = topic.text(below: "")
        let digest = Hash.blake2b128(payload)
        if let last = told[name], last.payload == digest,
            now - last.at < .seconds(Limits.friendToldAgainSeconds)
        {
            return false
        }
        if told.count >= Limits.friendsToldRemembered { told.removeAll() }
        told[name] = (digest, now)
        return true
    }

    // MARK: How it goes

    /// Writes what happened to the connection into the log.
    func tell(_ log: Log, at now: Timestamp) {
        for news in broker.takeNews() {
            switch news {
            case .online(let isKnown):
                connections += 1
                log.info("connected to the MQTT broker", ["session": isKnown ? "kept" : "new"])
            case .trouble(let trouble): log.error(trouble)
            }
        }
        downSince = broker.state == .online ? nil : downSince ?? now
    }

    /// What the operator should look at, sooner or later.
    var concern: String? {
        guard broker.state != .online, broker.state != .stopped else { return nil }
        return "not connected to the MQTT broker" + (broker.trouble.map { ": \($0.message)" } ?? "")
    }

    /// The same once it has lasted.
    func alarm(at now: Timestamp) -> String? {
        guard let downSince, now - downSince > .seconds(Limits.brokerAwaySeconds) else {
            return nil
        }
        return concern
    }

    func write(to metrics: Metrics) {
        metrics.gauge(
            "jaga_ingest_mqtt_connected", "Whether the operator's MQTT broker is connected, 0 or 1."
        ).set(broker.state == .online ? 1 : 0)
        metrics.counter(
            "jaga_ingest_mqtt_connections_total", "Connections to the MQTT broker that were made."
        ).set(Double(connections))
        let messages = metrics.counter(
            "jaga_ingest_mqtt_messages_total",
            "Messages of the MQTT broker, by what became of them.",
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
                "trouble": broker.trouble.map { .string($0.message) } ?? .null,
            ])
    }
}
