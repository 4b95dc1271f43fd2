import Dialects
import Hashing
import IngestCore
import MQTT
import Model
import Runtime
import Store
import Web

/// How an answer leaves to a phone that publishes.
struct MQTTForm: Sendable {
    var topic: OwnTracks.Topic
    var app: OwnTracks.App
    /// It is encrypted with this one.
    var key: OwnTracks.Key?
}

// What phones publish on the operator's broker. The broker has let them in, and vouches for the
// user in the topic.
extension IngestService {
    /// Takes in what came; it is acknowledged once this turn is on the disk.
    func takeMessages() throws {
        guard let mqtt else { return }
        mqtt.note(isDirectoryFresh: outside.isDirectoryFresh, at: outside.now)
        let messages = mqtt.broker.drain(limit: Limits.messagesPerTurn)
        mqtt.tell(outside.log, at: outside.now)
        for message in messages {
            do {
                try take(message, mqtt)
            } catch {
                let isOfTheStore = (error as? StoreError)?.isOfTheStore ?? false
                if !isOfTheStore { mqtt.noteFailure(of: message) }
                throw error
            }
        }
        if mqtt.pause != nil { mqtt.noteLeft(messages) }
    }

    private func take(_ message: BrokerMessage, _ mqtt: MQTTIntake) throws {
        guard let topic = OwnTracks.Topic(message.topic, below: mqtt.prefix), !topic.isOwn else {
            mqtt.counts[.own, default: 0] += 1
            return
        }
        guard mqtt.failures(of: message) < 2 else {
            guard try !keepCall(message, from: topic) else { return }
            return drop(message, mqtt)
        }
        guard !message.isTooLarge else {
            mqtt.counts[.dropped, default: 0] += 1
            guard mqtt.isFirstTooLarge() else { return }
            return outside.log.error(
                "a message of the MQTT broker is larger than anything a phone sends",
                ["hint": "Set the broker's max_packet_size to \(BrokerMessage.payloadBytesMax)."])
        }
        let known = topics.device(of: topic).flatMap { outside.replica.device($0) }
        guard let device = known else {
            // The device may be new, and the directory behind.
            if !mqtt.isDirectoryAwaited(at: outside.now) {
                return tellUnknown(topic, mqtt)
            }
            return leave(.seconds(Limits.directoryAwaitedSeconds), mqtt)
        }
        guard try brokerSecrets.isCurrent(device.id, in: outside.replica) else {
            guard !mqtt.isDirectoryAwaited(at: outside.now) else {
                return leave(.seconds(Limits.directoryAwaitedSeconds), mqtt)
            }
            return try refuse(message, of: device, mqtt)
        }
        mqtt.noteAccepted(device.id)
        mqtt.note(topic, of: device.id)
        try take(message, from: topic, of: device, mqtt)
    }

    /// The secret with which this was published has been replaced, and the broker has it still. It
    /// may be a stolen phone: nothing of it counts and nothing is told to it, but a call for help.
    private func refuse(
        _ message: BrokerMessage, of device: Device, _ mqtt: MQTTIntake
    ) throws {
        if mqtt.isFirstRefused(device.id) {
            outside.log.warning(
                "a phone publishes with a secret that was replaced; it is refused",
                [
                    "device": device.id,
                    "hint": "Give the broker the new secret, then run 'jaga device topic'.",
                ])
        }
        let reading = read(
            PhonePayload(body: message.payload), of: ClientApp(OwnTracks.App(device.platform)),
            received: outside.now, key: deviceKeys[device.id])
        guard !message.isRetained, !reading.panics.isEmpty,
            brokerSecrets.admitsCall(of: device.id, at: outside.now)
        else { return }
        var news = PhoneNews()
        news.isTagged = reading.news.isTagged
        try take(
            .delivery(
                Delivery(
                    request: mqtt.newRequest(), device: device.id, person: device.person,
                    arrivals: [], panics: Array(reading.panics.prefix(1)),
                    client: ClientApp(OwnTracks.App(device.platform)), news: news,
                    isByFormerSecret: true, trace: Hex.encode(SecureRandom.bytes(8)))))
    }

    /// Stores a call for help that fails each time as it came.
    ///
    /// - Returns: whether the message is one
    private func keepCall(_ message: BrokerMessage, from topic: OwnTracks.Topic) throws -> Bool {
        guard let id = topics.device(of: topic), let device = outside.replica.device(id) else {
            return false
        }
        return try keepCall(
            message.payload, from: device, OwnTracks.App(device.platform),
            because: "the message fails each time")
    }

    private func drop(_ message: BrokerMessage, _ mqtt: MQTTIntake) {
        mqtt.counts[.dropped, default: 0] += 1
        outside.log.error(
            "a message of the MQTT broker fails each time; it is dropped",
            ["bytes": message.payload.count, "hint": "Tell the makers of Jaga; upgrade."])
    }

    private func tellUnknown(_ topic: OwnTracks.Topic, _ mqtt: MQTTIntake) {
        guard mqtt.noteUnknown("\(topic.user)/\(topic.device)") else { return }
        outside.log.warning(
            "something is published under a topic that is no device's; it is dropped",
            [
                "hint":
                    "jaga device topics shows such topics, jaga device topic gives one to a device"
            ])
    }

    /// Nothing of this turn is acknowledged: all comes again. What is behind it at the broker is
    /// read all the same, as far as the broker sends it, for a call for help may be there.
    private func leave(_ pause: Duration, _ mqtt: MQTTIntake) {
        mqtt.counts[.later, default: 0] += 1
        mqtt.pause = pause
    }

    private func take(
        _ message: BrokerMessage, from topic: OwnTracks.Topic, of device: Device,
        _ mqtt: MQTTIntake
    ) throws {
        let app = OwnTracks.App(device.platform)
        let client = ClientApp(app)
        let key = deviceKeys[device.id]
        var reading = read(
            PhonePayload(body: message.payload), of: client, received: outside.now, key: key)
        if mqtt.failures(of: message) > 0 {
            guard !reading.panics.isEmpty else { return drop(message, mqtt) }
            reading.observations = []
            reading.rejections = []
            reading.news = PhoneNews()
        }
        // The broker publishes the one for a phone that is gone; without a payload somebody took
        // away what was retained.
        guard !reading.news.isLastWill, !message.payload.isEmpty else {
            mqtt.counts[.taken, default: 0] += 1
            return
        }
        if message.isRetained {
            guard try keepNew(of: &reading, device.id) else {
                mqtt.counts[.retained, default: 0] += 1
                return
            }
        }
        // What was left with it comes from the broker again, not from the phone.
        let wasKept = message.isRetained || mqtt.wasLeft(message)
        if let refusal = refusal(of: reading) {
            let trace = Hex.encode(SecureRandom.bytes(8))
            if !wasKept {
                try take(.refusal(Visit(device: device.id, person: device.person, trace: trace)))
            }
            return leave(.seconds(Int64(refusal.retryAfterSeconds ?? 30)), mqtt)
        }
        mqtt.counts[.taken, default: 0] += 1
        let brings = !reading.observations.isEmpty
        let request = mqtt.newRequest()
        pending[request] = Pending(
            published: MQTTForm(topic: topic, app: app, key: reading.news.isSealed ? key : nil))
        try take(
            .delivery(
                Delivery(
                    request: request, device: device.id, person: device.person,
                    arrivals: try arrivals(reading.observations, of: device.id),
                    panics: reading.panics, rejections: reading.rejections,
                    payload: reading.rejections.isEmpty ? [] : message.payload,
                    path: topic.part.isEmpty ? "mqtt" : "mqtt/\(topic.part)", client: client,
                    wantsFriends: brings, wantsPolicy: brings, news: reading.news,
                    pressesWithinSeconds: pressesWithinSeconds, ownTracks: app,
                    wasKept: wasKept, trace: Hex.encode(SecureRandom.bytes(8)))))
    }

    /// Leaves of what the broker had kept only what may be new: it comes with every connection.
    ///
    /// - Returns: whether anything is left
    private func keepNew(of reading: inout Reading, _ device: DeviceID) throws -> Bool {
        let now = outside.now
        let newest = core.device(device)?.newest?.time ?? .zero
        let before = reading.observations.count + reading.panics.count
        // One whose clock is ahead is newer than all of its device each time.
        let known = try arrivals(reading.observations, of: device).filter(\.isKnown)
        // A call with an id or a time of its own is known by that.
        if !known.isEmpty { reading.panics.removeAll { $0.content != nil } }
        reading.observations.removeAll { observation in
            observation.fix.time <= newest || known.contains { $0.observation == observation }
        }
        reading.panics.removeAll { panic in
            // A call that does not say when it was made has the time of its receipt.
            let raised = panic.raised < now ? panic.raised : panic.fix?.time ?? now
            return raised <= newest || now - raised > .seconds(Limits.retainedPanicSeconds)
        }
        reading.news.pressed = nil
        return before == 0 || !reading.observations.isEmpty || !reading.panics.isEmpty
    }

    // MARK: Answers

    /// Publishes what an answer says to a phone; it leaves after COMMIT.
    func publish(_ answer: Answer, _ form: MQTTForm) throws {
        guard let mqtt else { return }
        switch answer {
        case .reports(let reports):
            let telling = try telling(reports, to: form.app)
            for (topic, payload) in OwnTracks.messages(telling, to: form.topic) {
                let isFriend = topic.isOwn && topic.part != "event"
                guard !isFriend || mqtt.isNews(payload, on: topic, at: outside.now) else {
                    continue
                }
                mqtt.publish(payload, to: topic, key: form.key)
            }
        case .overloaded:
            mqtt.counts[.taken, default: 0] -= 1
            leave(.seconds(Limits.overloadPauseSeconds), mqtt)
        default: break
        }
    }

    /// Asks a phone where it is, without waiting for it to speak.
    func askAtOnce(_ device: DeviceID) {
        guard let mqtt, let topic = mqtt.topic(of: device),
            (try? brokerSecrets.isCurrent(device, in: outside.replica)) == true
        else { return }
        let telling = OwnTracks.Telling(locates: true)
        for (topic, payload) in OwnTracks.messages(telling, to: topic) {
            mqtt.publish(payload, to: topic, key: deviceKeys[device])
        }
    }
}

extension OwnTracks.App {
    /// Over MQTT no app says which it is.
    init(_ platform: Platform) {
        self =
            switch platform {
            case .android: .android
            case .ios: .iOS
            case .other: .other
            }
    }
}
