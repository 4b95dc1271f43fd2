import Dialects
import Hashing
import IngestCore
import MQTT
import Model
import Runtime
import Store
import Web

/// Accepts messages that phones publish on the operator's broker.
///
/// The broker authenticates the user in the topic.
struct MQTTMessages {
    let runner: CoreRunner
    let reader: PhoneReader
    let batches: BatchRequests
    let deferred: DeferredCallRequests
    let mqtt: MQTTIntake

    private var host: any IngestHost { runner.host }

    /// Handles the broker's messages; they are acknowledged after COMMIT.
    func receive() throws {
        mqtt.recordDirectory(isFresh: host.isDirectoryFresh, at: host.now)
        let messages = mqtt.broker.drain(limit: Limits.messagesPerTurn)
        mqtt.logChanges(to: host.log, at: host.now)
        for message in messages {
            do {
                try receive(message)
            } catch {
                let isStoreFailure = (error as? StoreError)?.isStoreFailure ?? false
                if !isStoreFailure { mqtt.recordFailure(of: message) }
                throw error
            }
        }
        if mqtt.pause != nil { mqtt.recordLeft(messages) }
    }

    private func receive(_ message: BrokerMessage) throws {
        guard let topic = OwnTracks.Topic(message.topic, below: mqtt.prefix), !topic.isOwn else {
            mqtt.counts[.own, default: 0] += 1
            return
        }
        guard mqtt.failures(of: message) < 2 else {
            guard try !deferCall(message, from: topic) else { return }
            return drop(message)
        }
        guard !message.isTooLarge else {
            mqtt.counts[.dropped, default: 0] += 1
            guard mqtt.isFirstTooLarge() else { return }
            return host.log.error(
                "MQTT message too large",
                ["hint": "Set the broker's max_packet_size to \(BrokerMessage.payloadBytesMax)."])
        }
        let known = runner.topics.device(of: topic).flatMap { host.replica.device($0) }
        guard let device = known else {
            // The device may be new, and the directory may lag behind.
            if !mqtt.awaitsDirectory(at: host.now) {
                return reportUnknown(topic)
            }
            return mqtt.leaveMessages(for: .seconds(Limits.directoryWaitSeconds))
        }
        guard try runner.brokerSecrets.isCurrent(device.id, in: host.replica) else {
            guard !mqtt.awaitsDirectory(at: host.now) else {
                return mqtt.leaveMessages(for: .seconds(Limits.directoryWaitSeconds))
            }
            return try reject(message, of: device)
        }
        mqtt.recordAccepted(device.id)
        mqtt.record(topic, of: device.id)
        try accept(message, from: topic, of: device)
    }

    /// Rejects a message published with a replaced secret that the broker still accepts. It may be
    /// a stolen phone: only calls for help count, and nothing is published to it.
    private func reject(
        _ message: BrokerMessage, of device: Device
    ) throws {
        if mqtt.isFirstRejected(device.id) {
            host.log.warning(
                "MQTT message rejected: replaced secret",
                [
                    "device": device.id,
                    "hint": "Give the broker the new secret, then run 'jaga device topic'.",
                ])
        }
        let client = PhoneProtocol.ownTracks(OwnTracks.App(device.platform))
        let reading = client.read(
            PhonePayload(body: message.payload),
            reader.context(received: host.now, key: runner.keys[device.id]))
        guard !message.isRetained, !reading.panics.isEmpty,
            runner.brokerSecrets.admitsCall(of: device.id, at: host.now)
        else { return }
        var status = DeviceStatus()
        status.isTagged = reading.status.isTagged
        try runner.handle(
            .batch(
                IncomingBatch(
                    request: mqtt.newRequest(), device: device.id, person: device.person,
                    arrivals: [], panics: Array(reading.panics.prefix(1)),
                    client: client, status: status,
                    isFromFormerSecret: true, trace: Hex.encode(SecureRandom.bytes(8)))))
    }

    /// Stores a call for help that fails in each attempt.
    ///
    /// - Returns: whether the message is a call for help
    private func deferCall(_ message: BrokerMessage, from topic: OwnTracks.Topic) throws -> Bool {
        guard let id = runner.topics.device(of: topic), let device = host.replica.device(id) else {
            return false
        }
        return try deferred.deferCall(
            message.payload, from: device, OwnTracks.App(device.platform),
            because: "repeated failures")
    }

    private func drop(_ message: BrokerMessage) {
        mqtt.counts[.dropped, default: 0] += 1
        host.log.error(
            "MQTT message dropped after repeated failures",
            [
                "bytes": message.payload.count,
                "hint": "Report this to the Jaga project and upgrade.",
            ])
    }

    private func reportUnknown(_ topic: OwnTracks.Topic) {
        guard mqtt.recordUnknown("\(topic.user)/\(topic.device)") else { return }
        host.log.warning(
            "MQTT message dropped: unknown topic",
            [
                "hint":
                    "List unknown topics with 'jaga device topics'; "
                    + "assign one with 'jaga device topic'."
            ])
    }

    private func accept(
        _ message: BrokerMessage, from topic: OwnTracks.Topic, of device: Device
    ) throws {
        let app = OwnTracks.App(device.platform)
        let client = PhoneProtocol.ownTracks(app)
        let key = runner.keys[device.id]
        var reading = client.read(
            PhonePayload(body: message.payload), reader.context(received: host.now, key: key))
        if mqtt.failures(of: message) > 0 {
            guard !reading.panics.isEmpty else { return drop(message) }
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
        if let rejection = batches.rejection(of: reading) {
            let trace = Hex.encode(SecureRandom.bytes(8))
            if !wasRetained {
                try runner.handle(
                    .rejectedRequest(
                        RejectedRequest(device: device.id, person: device.person, trace: trace)))
            }
            return mqtt.leaveMessages(for: .seconds(Int64(rejection.retryAfterSeconds ?? 30)))
        }
        mqtt.counts[.accepted, default: 0] += 1
        if !wasRetained {
            // The broker has checked it; a device has one, except while it is set up again.
            for credential in host.replica.credentials(of: device.id) {
                host.recordUse(of: credential.id)
            }
        }
        let brings = !reading.observations.isEmpty
        let request = mqtt.newRequest()
        runner.replies.pending[request] = Replies.Form(
            published: MQTTForm(topic: topic, app: app, key: reading.status.isEncrypted ? key : nil)
        )
        try runner.handle(
            .batch(
                IncomingBatch(
                    request: request, device: device.id, person: device.person,
                    arrivals: try batches.arrivals(reading.observations, of: device.id),
                    panics: reading.panics, rejections: reading.rejections,
                    payload: reading.rejections.isEmpty ? [] : message.payload,
                    path: topic.part.isEmpty ? "mqtt" : "mqtt/\(topic.part)", client: client,
                    requestsFriends: brings, requestsPolicy: brings, status: reading.status,
                    pressesWithinSeconds: batches.pressesWithinSeconds, ownTracks: app,
                    wasRetained: wasRetained, trace: Hex.encode(SecureRandom.bytes(8)))))
    }

    /// Removes everything from a retained message that is not new: it arrives with every
    /// connection.
    ///
    /// - Returns: whether anything is left
    private func keepNew(of reading: inout Reading, _ device: DeviceID) throws -> Bool {
        let now = host.now
        let newest = runner.core.reports.devices[device]?.newest?.time ?? .zero
        let before = reading.observations.count + reading.panics.count
        // With a clock ahead of ours it is newer than all others of its device each time.
        let known = try batches.arrivals(reading.observations, of: device).filter(\.isKnown)
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
