import Hosting
import Model
import NotifierCore

// What became due while the notifier was away, as the operator sees it.
extension NotifierService {
    var held: [HeldEntry] { core.heldItems.map(HeldEntry.init) }

    func settle(_ entries: [HeldEntry], isAll: Bool, isDropped: Bool) throws {
        let named = Set(entries.map(\.id))
        let items = core.heldItems.map(\.held).filter { isAll || named.contains($0.text) }
        try take(isDropped ? .drop(items) : .release(items))
    }

    var alarms: [String] {
        guard let end = core.holdEnds else { return unacknowledged }
        return unacknowledged + [
            "\(core.heldItems.count) things that were due are held until \(end): see 'jaga release'"
        ]
    }
}

extension HeldEntry {
    fileprivate init(_ item: HeldItem) {
        var kind = "message"
        var emergency = item.emergency
        if case .emergency(let id) = item.held {
            kind = "emergency"
            emergency = id
        }
        self.init(
            id: item.held.text, kind: kind, what: item.what, person: item.person,
            emergency: emergency, recipient: item.recipient, channel: item.channel, due: item.due)
    }
}

extension Held {
    fileprivate var text: String {
        switch self {
        case .emergency(let id): id.description
        case .message(let id): id.description
        }
    }
}
