import Model
import Parsing

/// Who owns which partitions, in words for people.
enum Owners {
    /// One line for all partitions, then one an evaluator.
    ///
    /// - Parameter ingest: the details of ingest's status
    static func lines(_ ingest: JSON) -> [String] {
        let seats = ingest["partitions"]?.array ?? []
        let members = ingest["members"]?.array ?? []
        let unowned = seats.filter { $0["owner"]?.string == nil }.count
        let owners = members.count == 1 ? "1 evaluator" : "\(members.count) evaluators"
        var line = "partitions \(Partition.count), \(owners)"
        if unowned > 0 { line += ", \(unowned == Partition.count ? "all" : "\(unowned)") unowned" }
        return [line] + members.map { text(of: $0, seats) }
    }

    /// `evaluator 3f2a6c…: 22 partitions, live`.
    private static func text(of member: JSON, _ seats: [JSON]) -> String {
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
