import TestSupport
import Testing

/// Attempts that were on their way when the notifier was killed: nobody knows how they ended. A
/// message about an emergency is then sent again, the same; zone news is not.
struct Doubts {
    private struct Box: Hashable {
        let way: Told.Way
        let to: String
    }

    /// How often a message about an emergency was sent again.
    private var resent: [Box: Int] = [:]
    /// How much zone news may not have arrived.
    private var dropped: [Box: Int] = [:]
    /// The most of one message.
    private(set) var most = 0

    init(about home: Household) throws {
        for item in try home.admin.list("/v1/notifications") {
            let message = try home.admin.call(
                "GET", "/v1/notifications/\(item.text("id"))")
            let attempts = message["attempts"]?.array ?? []
            let count = attempts.filter { $0["outcome"] == "unknown" }.count
            guard count > 0 else { continue }
            let recipient = home.people.first { $0.id == message["recipient"]?.string }
            let box = Box(
                way: message["channel"] == "sms" ? .sms : .mail, to: recipient?.name ?? "?")
            most = max(most, count)
            if message["severity"] == "safety" {
                resent[box, default: 0] += count
            } else {
                dropped[box, default: 0] += count
            }
        }
    }

    /// What of a difference is left when these attempts are taken for the reason of as much as they
    /// can be.
    func unexplained(_ difference: Difference) -> Difference {
        var resent = resent
        var dropped = dropped
        func explains(_ told: Told, _ left: inout [Box: Int], isNews: Bool) -> Bool {
            let box = Box(way: told.way, to: told.to)
            guard told.isNews == isNews, let count = left[box], count > 0 else { return false }
            left[box] = count - 1
            return true
        }
        return Difference(
            missing: difference.missing.filter { !explains($0, &dropped, isNews: true) },
            excess: difference.excess.filter { !explains($0, &resent, isNews: false) })
    }
}

extension Told {
    /// Whether it is of a zone.
    var isNews: Bool { what.contains(" entered ") || what.contains(" left ") }
}
