import API
import Dialects
import Model
import Parsing
import Web

/// The operator's view of the broker. Only the operator may assign topics, because a topic
/// identifies its owner.
struct MQTTRequests {
    let runner: CoreRunner
    /// Nil = there is no broker.
    let mqtt: MQTTIntake?

    private var host: any IngestHost { runner.host }

    func handle(
        _ request: Request, _ operation: MQTTOperation, _ parameters: Parameters,
        by principal: Principal
    ) throws {
        let right = host.replica.decide(principal, .administer, on: .suite, at: host.now)
        guard right.isAllowed else {
            throw Problem.denied(
                "only the operator may manage topics of the broker",
                hint: "use the operator's token")
        }
        switch operation {
        case .read: host.answer(request.id, .json(document.serialized()))
        case .setTopic: try setTopic(request, parameters)
        case .removeTopic:
            try runner.topics.remove(of: try device(of: parameters))
            host.answer(request.id, Response(status: 204))
        }
    }

    private func device(of parameters: Parameters) throws(Problem) -> DeviceID {
        let id = try parameters.id("device", DeviceID.self)
        guard host.replica.device(id) != nil else { throw .notFound("there is no such device") }
        return id
    }

    private func setTopic(_ request: Request, _ parameters: Parameters) throws {
        let device = try device(of: parameters)
        guard let name = try request.json()["topic"]?.string,
            let topic = OwnTracks.Topic(name: name), !topic.isOwn
        else {
            throw Problem.invalid(
                "this is not a topic", field: "topic",
                hint: "send the levels after the prefix, such as anna/pixel8")
        }
        guard try runner.topics.set(topic, of: device, at: host.now) else {
            throw Problem.conflict(
                "another device has this topic", hint: "remove it from that device first")
        }
        // Setting the topic implies that the broker has the current secret.
        try runner.brokerSecrets.confirm(device, in: host.replica)
        mqtt?.forgetUnknown()
        host.answer(request.id, Response(status: 204))
    }

    private var document: JSON {
        [
            "state": .string(mqtt?.broker.state.rawValue ?? "off"),
            "problem": mqtt?.broker.failure.map { .string($0.message) } ?? .null,
            "topics": .array(
                runner.topics.all.map {
                    ["topic": .string($0.name), "device": .string($0.device.description)]
                }),
            "rejected": .array(
                runner.brokerSecrets.refused(in: host.replica).compactMap { device, _ in
                    host.replica.device(device) == nil ? nil : .string(device.description)
                }),
            "unknown": .array((mqtt?.unknown ?? []).map(JSON.string)),
        ]
    }
}
