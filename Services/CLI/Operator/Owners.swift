import Model
import Parsing

/// Renders the owners of partitions.
struct Owners {
    private let assignments: [JSON]
    private let members: [JSON]

    /// - Parameter ingest: details of ingest's status
    init(_ ingest: JSON) {
        assignments = ingest["partitions"]?.array ?? []
        members = ingest["members"]?.array ?? []
    }

    /// Number of evaluators.
    var count: Int { members.count }

    /// Whether every partition is evaluated up to its last record.
    var areReady: Bool { !assignments.isEmpty && liveCount == assignments.count }

    /// Number of partitions that are evaluated up to their last record.
    var liveCount: Int { assignments.count { $0["state"]?.string == "live" } }

    /// One line for all partitions, then one per evaluator.
    var lines: [String] {
        let unowned = assignments.filter { $0["owner"]?.string == nil }.count
        let owners = members.count == 1 ? "1 evaluator" : "\(members.count) evaluators"
        var line = "partitions \(Partition.count), \(owners)"
        if unowned > 0 {
            let count = unowned == Partition.count ? "all" : "\(unowned)"
            line += ", " + Console.paint("\(count) unowned", .red)
        }
        return [line] + members.map(text)
    }

    /// A line such as `evaluator 3f2a6c…: 22 partitions, live`.
    private func text(of member: JSON) -> String {
        let id = member["member"]?.string ?? ""
        let count = member["partitions"]?.array?.count ?? 0
        let live = member["live"]?.int ?? 0
        var parts = [count == 1 ? "1 partition" : "\(count) partitions"]
        if member["fit"]?.bool == false {
            parts = ["does not support the logs' logic version"]
        } else if count > 0 {
            parts.append(live == count ? "live" : "\(live) live")
        }
        let coming = assignments.filter { $0["successor"]?.string == id }.count
        if coming > 0 { parts.append("\(coming) being assigned") }
        return "evaluator \(id.prefix(6))…: \(parts.joined(separator: ", "))"
    }
}
