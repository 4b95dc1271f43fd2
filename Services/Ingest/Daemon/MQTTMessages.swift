import Dialects
import Hashing
import IngestCore
import MQTT
import Model
import Runtime
import Store
import Web

/// The form of a response that is published to a phone.
struct MQTTForm: Sendable {
    var topic: OwnTracks.Topic
    var app: OwnTracks.App
    /// Key that encrypts the response.
    var key: OwnTracks.Key?
}

// Messages that phones publish on the operator's broker, which authenticates the user in the topic.
extension IngestService {
    /// Handles the broker's messages; they are acknowledged after COMMIT.
    func receiveMessages() throws {
        guard let mqtt else { return }
        mqtt.recordDirectory(isFresh: host.isDirectoryFresh, at: host.now)
        let messages = mqtt.broker.drain(limit: Limits.messagesPerTurn)
        mqtt.logChanges(to: host.log, at: host.now)
        for message in messages {
            do {
                try receive(message, mqtt)
            } catch {
                let isStoreFailure = (error as? StoreError)?.isStoreFailure ?? false
                if !isStoreFailure { mqtt.recordFailure(of: message) }
                throw error
            }
        }
        if mqtt.pause != nil { mqtt.recordLeft(messages) }
    }

    private func receive(_ message: BrokerMessage, _ mqtt: MQTTIntake) throws {
        guard let topic = OwnTracks.Topic(message.topic, below: mqtt.prefix), !topic.isOwn else {
            mqtt.counts[.own, default: 0] += 1
            return
        }
        guard mqtt.failures(of: message) < 2 else {
            guard try !deferCall(message, from: topic) else { return }
            return drop(message, mqtt)
        }
        guard !message.isTooLarge else {
            mqtt.counts[.dropped, default: 0] += 1
            guard mqtt.isFirstTooLarge() else { return }
            return host.log.error(
                "MQTT message too large",
                ["hint": "Set the broker's max_packet_size to \(BrokerMessage.payloadBytesMax)."])
        }
        let known = topics.device(of: topic).flatMap { host.replica.device($0) }
        guard let device = known else {
            // The device may be new, and the directory may lag behind.
            if !mqtt.awaitsDirectory(at: host.now) {
                return reportUnknown(topic, mqtt)
            }
            return leaveMessages(for: .seconds(Limits.directoryWaitSeconds), mqtt)
        }
        guard try brokerSecrets.isCurrent(device.id, in: host.replica) else {
            guard !mqtt.awaitsDirectory(at: host.now) else {
                return leaveMessages(for: .seconds(Limits.directoryWaitSeconds), mqtt)
            }
            return try reject(message, of: device, mqtt)
        }
        mqtt.recordAccepted(device.id)
        mqtt.record(topic, of: device.id)
        try accept(message, from: topic, of: device, mqtt)
    }

    /// Rejects a message published with a replaced secret that the broker still accepts. It may be
    /// a stolen phone: only calls for help count, and nothing is published to it.
    private func reject(
        _ message: BrokerMessage, of device: Device, _ mqtt: MQTTIntake
    ) throws {
        if mqtt.isFirstRejected(device.id) {
            host.log.warning(
                "MQTT message rejected: replaced secret",
                [
                    "device": device.id,
                    "hint": "Give the broker the new secret, then run 'jaga device topic'.",
                ])
        }
        let reading = read(
            PhonePayload(body: message.payload), of: ClientApp(OwnTracks.App(device.platform)),
            received: host.now, key: deviceKeys[device.id])
        guard !message.isRetained, !reading.panics.isEmpty,
            brokerSecrets.admitsCall(of: device.id, at: host.now)
        else { return }
        var status = DeviceStatus()
        status.isTagged = reading.status.isTagged
        try handle(
            .batch(
                IncomingBatch(
                    request: mqtt.newRequest(), device: device.id, person: device.person,
                    arrivals: [], panics: Array(reading.panics.prefix(1)),
                    client: ClientApp(OwnTracks.App(device.platform)), status: status,
                    isFromFormerSecret: true, trace: Hex.encode(SecureRandom.bytes(8)))))
    }

    /// Stores a call for help that fails in each attempt.
    ///
    /// - Returns: whether the message is a call for help
    private func deferCall(_ message: BrokerMessage, from topic: OwnTracks.Topic) throws -> Bool {
        guard let id = topics.device(of: topic), let device = host.replica.device(id) else {
            return false
        }
        return try deferCall(
            message.payload, from: device, OwnTracks.App(device.platform),
            because: "repeated failures")
    }

    private func drop(_ message: BrokerMessage, _ mqtt: MQTTIntake) {
        mqtt.counts[.dropped, default: 0] += 1
        host.log.error(
            "MQTT message dropped after repeated failures",
            [
                "bytes": message.payload.count,
                "hint": "Report this to the Jaga project and upgrade.",
            ])
    }

    private func reportUnknown(_ topic: OwnTracks.Topic, _ mqtt: MQTTIntake) {
        guard mqtt.recordUnknown("\(topic.user)/\(topic.device)") else { return }
        host.log.warning(
            "MQTT message dropped: unknown topic",
            [
                "hint":
                    "List unknown topics with 'jaga device topics'; "
                    + "assign one with 'jaga device topic'."
            ])
    }

    /// Leaves all messages of this turn with the broker, which sends them again. The rest of its
    /// queue is still read, because there may be a call for help.
    private func leaveMessages(for pause: Duration, _ mqtt: MQTTIntake) {
        mqtt.counts[.later, default: 0] += 1
        mqtt.pause = pause
    }

    private func accept(
        _ message: BrokerMessage, from topic: OwnTracks.Topic, of device: Device,
        _ mqtt: MQTTIntake
    ) throws {
        let app = OwnTracks.App(device.platform)
        let client = ClientApp(app)
        let key = deviceKeys[device.id]
        var reading = read(
            PhonePayload(body: message.payload), of: client, received: host.now, key: key)
        if mqtt.failures(of: message) > 0 {
            guard !reading.panics.isEmpty else { return drop(message, mqtt) }
            reading.observations = []
            reading.rejections = []
            reading.status = DeviceStatus()
        }
        // The broker publishes the last will of a disconnected phone. An empty payload deletes a
        // retained message.
        guard !reading.status.isLastWill, !message.payload.isEmpty else {
            mqtt.counts[.accepted, default: 0] += 1
            return
        }
        if message.isRetained {
            guard try keepNew(of: &reading, device.id) else {
                mqtt.counts[.retained, default: 0] += 1
                return
            }
        }
        // Messages left before come again from the broker, not from the phone.
        let wasRetained = message.isRetained || mqtt.wasLeft(message)
        if let rejection = rejection(of: reading) {
            let trace = Hex.encode(SecureRandom.bytes(8))
            if !wasRetained {
                try handle(
                    .rejectedRequest(
                        RejectedRequest(device: device.id, person: device.person, trace: trace)))
            }
            return leaveMessages(for: .seconds(Int64(rejection.retryAfterSeconds ?? 30)), mqtt)
        }
        mqtt.counts[.accepted, default: 0] += 1
        let brings = !reading.observations.isEmpty
        let request = mqtt.newRequest()
        pending[request] = Pending(
            published: MQTTForm(topic: topic, app: app, key: reading.status.isEncrypted ? key : nil)
        )
        try handle(
            .batch(
                IncomingBatch(
                    request: request, device: device.id, person: device.person,
                    arrivals: try arrivals(reading.observations, of: device.id),
                    panics: reading.panics, rejections: reading.rejections,
                    payload: reading.rejections.isEmpty ? [] : message.payload,
                    path: topic.part.isEmpty ? "mqtt" : "mqtt/\(topic.part)", client: client,
                    requestsFriends: brings, requestsPolicy: brings, status: reading.status,
                    pressesWithinSeconds: pressesWithinSeconds, ownTracks: app,
                    wasRetained: wasRetained, trace: Hex.encode(SecureRandom.bytes(8)))))
    }

    /// Removes everything from a retained message that is not new: it arrives with every
    /// connection.
    ///
    /// - Returns: whether anything is left
    private func keepNew(of reading: inout Reading, _ device: DeviceID) throws -> Bool {
        let now = host.now
        let newest = core.device(device)?.newest?.time ?? .zero
        let before = reading.observations.count + reading.panics.count
        // With a clock ahead of ours it is newer than all others of its device each time.
        let known = try arrivals(reading.observations, of: device).filter(\.isKnown)
        // A call with its own id or time is deduplicated by that.
        if !known.isEmpty { reading.panics.removeAll { $0.content != nil } }
        reading.observations.removeAll { observation in
            observation.fix.time <= newest || known.contains { $0.observation == observation }
        }
        reading.panics.removeAll { panic in
            // A call without a time has the time of its receipt.
            let raised = panic.raised < now ? panic.raised : panic.fix?.time ?? now
            return raised <= newest || now - raised > .seconds(Limits.retainedPanicSeconds)
        }
        reading.status.pressed = nil
        return before == 0 || !reading.observations.isEmpty || !reading.panics.isEmpty
    }

    // MARK: Answers

    /// Publishes a response to a phone after COMMIT.
    func publish(_ answer: Answer, _ form: MQTTForm) throws {
        guard let mqtt else { return }
        switch answer {
        case .reports(let reports):
            let content = try ownTracksContent(of: reports, to: form.app)
            for (topic, payload) in OwnTracks.messages(content, to: form.topic) {
                let isFriend = topic.isOwn && topic.part != "event"
                guard !isFriend || mqtt.isChanged(payload, on: topic, at: host.now) else {
                    continue
                }
                mqtt.publish(payload, to: topic, key: form.key)
            }
        case .overloaded:
            mqtt.counts[.accepted, default: 0] -= 1
            leaveMessages(for: .seconds(Limits.overloadPauseSeconds), mqtt)
        default: break
        }
    }

    /// Publishes a location request at once instead of waiting for the phone.
    func requestLocationAtOnce(_ device: DeviceID) {
        guard let mqtt, let topic = mqtt.topic(of: device),
            (try? brokerSecrets.isCurrent(device, in: host.replica)) == true
        else { return }
        let content = OwnTracks.AnswerContent(requestsLocation: true)
        for (topic, payload) in OwnTracks.messages(content, to: topic) {
            mqtt.publish(payload, to: topic, key: deviceKeys[device])
        }
    }
}

extension OwnTracks.App {
    /// Over MQTT no app identifies itself.
    init(_ platform: Platform) {
        self =
            switch platform {
            case .android: .android
            case .ios: .iOS
            case .other: .other
            }
    }
}
