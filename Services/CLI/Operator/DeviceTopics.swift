import Parsing
import Web

/// Names under which phones publish on the operator's MQTT broker.
enum DeviceTopics {
    /// - Parameter name: user and device without the prefix; `-` = none
    static func set(_ name: String, of device: String, by api: API) throws {
        let path = "/v1/devices/\(API.pathPart(device))/mqtt-topic"
        if name == "-" {
            _ = try api.call(.delete, path)
        } else {
            _ = try api.put(path, ["topic": .string(name)])
        }
    }

    static func show(_ state: JSON, _ call: Call) {
        if call.has("--json") { return Console.print(state.text) }
        for line in lines(of: state) { Console.print(line) }
    }

    static func lines(of state: JSON) -> [String] {
        var connection = "MQTT broker: \(state.cell("state"))"
        if let problem = state["problem"]?.string { connection += ", \(problem.onOneLine)" }
        var lines = [connection]
        let topics = state["topics"]?.array ?? []
        if !topics.isEmpty {
            var table = Table("topic", "device")
            for topic in topics { table.add(topic.cell("topic"), topic.cell("device")) }
            lines += table.lines
        }
        let rejected = (state["rejected"]?.array ?? []).compactMap(\.string)
        if !rejected.isEmpty {
            lines.append(
                "Rejected because the broker has a replaced secret. Configure the broker with the "
                    + "new secret, then run: jaga device topic DEVICE NAME")
            lines += rejected.map { "  " + $0.onOneLine }
        }
        let unknown = (state["unknown"]?.array ?? []).compactMap(\.string)
        if !unknown.isEmpty {
            lines.append("Topics without a phone; to assign one: jaga device topic DEVICE NAME")
            lines += unknown.map { "  " + $0.onOneLine }
        }
        return lines
    }
}
