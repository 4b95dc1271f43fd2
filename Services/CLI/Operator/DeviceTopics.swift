import Parsing
import Web

/// Names under which phones publish on the operator's MQTT broker.
enum DeviceTopics {
    /// - Parameter name: user and device without the prefix; `-` for none
    static func set(_ name: String, of device: String, by api: API) throws {
        let path = "/v1/devices/\(Holder.part(device))/mqtt-topic"
        if name == "-" {
            _ = try api.call(.delete, path)
        } else {
            _ = try api.put(path, ["topic": .string(name)])
        }
    }

    static func show(_ state: JSON, _ call: Call) {
        if call.has("--json") { return Console.say(state.text) }
        for line in lines(of: state) { Console.say(line) }
    }

    static func lines(of state: JSON) -> [String] {
        var connection = "MQTT broker: \(state.cell("state"))"
        if let trouble = state["trouble"]?.string { connection += ", \(trouble.onOneLine)" }
        var lines = [connection]
        let topics = state["topics"]?.array ?? []
        if !topics.isEmpty {
            var table = Table("topic", "device")
            for topic in topics { table.add(topic.cell("topic"), topic.cell("device")) }
            lines += table.lines
        }
        let refused = (state["refused"]?.array ?? []).compactMap(\.string)
        if !refused.isEmpty {
            lines.append(
                "Refused, because the broker has a secret that was replaced. Give the broker the "
                    + "new secret, then: jaga device topic DEVICE NAME")
            lines += refused.map { "  " + $0.onOneLine }
        }
        let unknown = (state["unknown"]?.array ?? []).compactMap(\.string)
        if !unknown.isEmpty {
            lines.append("Published under, and no phone's: jaga device topic DEVICE NAME")
            lines += unknown.map { "  " + $0.onOneLine }
        }
        return lines
    }
}
