import Dialects
import Model
import Parsing
import Web

// What the operator sets and sees of the broker. Whose a topic is nobody else can say: whoever
// could claim one would be taken for its owner.
extension IngestService {
    func handleMQTT(
        _ request: Request, _ route: Endpoint, _ parameters: Parameters, by principal: Principal
    ) throws {
        guard principal == .operator else {
            throw Problem.denied(
                "topics of the broker are the operator's", hint: "use the operator's token")
        }
        switch route {
        case .setTopic: try setTopic(request, parameters)
        case .dropTopic:
            try topics.remove(of: try device(of: parameters))
            outside.answer(request.id, Response(status: 204))
        default: outside.answer(request.id, .json(mqttDocument.serialized()))
        }
    }

    private func device(of parameters: Parameters) throws(Problem) -> DeviceID {
        let id = try parameters.id("device", DeviceID.self)
        guard outside.replica.device(id) != nil else { throw .notFound("there is no such device") }
        return id
    }

    private func setTopic(_ request: Request, _ parameters: Parameters) throws {
        let device = try device(of: parameters)
        guard let name = try request.json()["topic"]?.string,
            let topic = OwnTracks.Topic(name: name), !topic.isOwn
        else {
            throw Problem.invalid(
                "this is no name of a topic", field: "topic",
                hint: "send what stands behind the prefix, such as anna/pixel8")
        }
        guard try topics.set(topic, of: device, at: outside.now) else {
            throw Problem.conflict(
                "another device has this topic", hint: "take it from that one first")
        }
        // Whoever sets the topic says that the broker has the current secret.
        try brokerSecrets.confirm(device, in: outside.replica)
        mqtt?.forgetUnknown()
        outside.answer(request.id, Response(status: 204))
    }

    private var mqttDocument: JSON {
        [
            "state": .string(mqtt?.broker.state.rawValue ?? "off"),
            "trouble": mqtt?.broker.trouble.map { .string($0.message) } ?? .null,
            "topics": .array(
                topics.all.map {
                    ["topic": .string($0.name), "device": .string($0.device.description)]
                }),
            "refused": .array(
                brokerSecrets.refused(in: outside.replica).compactMap { device, _ in
                    outside.replica.device(device) == nil ? nil : .string(device.description)
                }),
            "unknown": .array((mqtt?.unknown ?? []).map(JSON.string)),
        ]
    }
}
