import TestSupport
import Testing

/// Attempts in flight when the notifier was killed: their results are unknown. A message about an
/// emergency is sent again, unchanged; a zone notification is not.
struct UncertainAttempts {
    private struct Box: Hashable {
        let way: NotificationSummary.Way
        let to: String
    }

    /// How often messages about an emergency were sent again.
    private var resent: [Box: Int] = [:]
    /// How many zone notifications may be missing.
    private var dropped: [Box: Int] = [:]
    /// Most repetitions of one message.
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

    /// The part of a difference that these attempts cannot explain.
    func unexplained(_ difference: Difference) -> Difference {
        var resent = resent
        var dropped = dropped
        func explains(
            _ summary: NotificationSummary, _ left: inout [Box: Int], isZoneNotification: Bool
        ) -> Bool {
            let box = Box(way: summary.way, to: summary.to)
            guard summary.isZoneNotification == isZoneNotification, let count = left[box], count > 0
            else { return false }
            left[box] = count - 1
            return true
        }
        return Difference(
            missing: difference.missing.filter {
                !explains($0, &dropped, isZoneNotification: true)
            },
            excess: difference.excess.filter { !explains($0, &resent, isZoneNotification: false) })
    }
}

extension NotificationSummary {
    /// Whether it is a zone notification.
    var isZoneNotification: Bool { what.contains(" entered ") || what.contains(" left ") }
}
