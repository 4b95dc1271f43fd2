import Model
import Parsing

/// Who owns which partitions, in words for people.
struct Owners {
    private let seats: [JSON]
    private let members: [JSON]

    /// - Parameter ingest: the details of ingest's status
    init(_ ingest: JSON) {
        seats = ingest["partitions"]?.array ?? []
        members = ingest["members"]?.array ?? []
    }

    /// Evaluators that are there.
    var count: Int { members.count }

    /// Whether every partition is evaluated, up to its last record.
    var areReady: Bool { !seats.isEmpty && liveCount == seats.count }

    /// Partitions that are evaluated up to their last record.
    var liveCount: Int { seats.count { $0["state"]?.string == "live" } }

    /// One line for all partitions, then one an evaluator.
    var lines: [String] {
        let unowned = seats.filter { $0["owner"]?.string == nil }.count
        let owners = members.count == 1 ? "1 evaluator" : "\(members.count) evaluators"
        var line = "partitions \(Partition.count), \(owners)"
        if unowned > 0 {
            let count = unowned == Partition.count ? "all" : "\(unowned)"
            line += ", " + Console.paint("\(count) unowned", .red)
        }
        return [line] + members.map(text)
    }

    /// `evaluator 3f2a6c…: 22 partitions, live`.
    private func text(of member: JSON) -> String {
        let id = member["member"]?.string ?? ""
        let count = member["partitions"]?.array?.count ?? 0
        let live = member["live"]?.int ?? 0
        var parts = [count == 1 ? "1 partition" : "\(count) partitions"]
        if member["fit"]?.bool == false {
            parts = ["cannot run the logic of the logs"]
        } else if count > 0 {
            parts.append(live == count ? "live" : "\(live) live")
        }
        let coming = seats.filter { $0["successor"]?.string == id }.count
        if coming > 0 { parts.append("\(coming) on the way to it") }
        return "evaluator \(id.prefix(6))…: \(parts.joined(separator: ", "))"
    }
}
