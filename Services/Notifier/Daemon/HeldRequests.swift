import Hosting
import Model
import NotifierCore

// Held items for the operator.
extension NotifierService {
    var heldEntries: [HeldEntry] { core.heldSummaries.map(HeldEntry.init) }

    func settleHeld(_ entries: [HeldEntry], isAll: Bool, isDropped: Bool) throws {
        let named = Set(entries.map(\.id))
        let items = core.heldSummaries.map(\.item).filter { isAll || named.contains($0.text) }
        try submit(isDropped ? .drop(items) : .release(items))
    }

    var alarms: [String] {
        guard let end = core.holdEnds else { return unacknowledged }
        return unacknowledged + [
            "\(core.heldSummaries.count) overdue items are held until \(end); run jaga held list"
        ]
    }
}

extension HeldEntry {
    fileprivate init(_ item: HeldSummary) {
        var kind = "message"
        var emergency = item.emergency
        if case .emergency(let id) = item.item {
            kind = "emergency"
            emergency = id
        }
        self.init(
            id: item.item.text, kind: kind, what: item.reason, person: item.person,
            emergency: emergency, recipient: item.recipient, channel: item.channel, due: item.due)
    }
}

extension HeldItem {
    fileprivate var text: String {
        switch self {
        case .emergency(let id): id.description
        case .message(let id): id.description
        }
    }
}
