import Dialects
import IngestCore
import Model

/// The form of a response that is published to a phone.
struct MQTTForm: Sendable {
    var topic: OwnTracks.Topic
    var app: OwnTracks.App
    /// Key that encrypts the response.
    var key: OwnTracks.Key?
}

/// Publishes responses to phones on the operator's broker.
struct MQTTResponses {
    let host: any IngestHost
    let mqtt: MQTTIntake
    let keys: DeviceKeys
    let brokerSecrets: BrokerSecrets
    let phones: PhoneResponses

    /// Publishes a response to a phone after COMMIT.
    func publish(_ answer: Answer, _ form: MQTTForm) throws {
        switch answer {
        case .reports(let reports):
            let content = try phones.content(of: reports, to: form.app)
            for (topic, payload) in OwnTracks.messages(content, to: form.topic) {
                let isFriend = topic.isOwn && topic.part != "event"
                guard !isFriend || mqtt.isChanged(payload, on: topic, at: host.now) else {
                    continue
                }
                mqtt.publish(payload, to: topic, key: form.key)
            }
        case .overloaded:
            mqtt.counts[.accepted, default: 0] -= 1
            mqtt.leaveMessages(for: .seconds(Limits.overloadPauseSeconds))
        default: break
        }
    }

    /// Publishes a location request at once instead of waiting for the phone.
    func requestLocation(of device: DeviceID) {
        guard let topic = mqtt.topic(of: device),
            (try? brokerSecrets.isCurrent(device, in: host.replica)) == true
        else { return }
        let content = OwnTracks.AnswerContent(requestsLocation: true)
        for (topic, payload) in OwnTracks.messages(content, to: topic) {
            mqtt.publish(payload, to: topic, key: keys[device])
        }
    }
}
