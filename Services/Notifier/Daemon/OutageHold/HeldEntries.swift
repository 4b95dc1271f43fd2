import Hosting
import Model
import NotifierCore

extension HeldEntry {
    init(_ item: HeldSummary) {
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
    /// As in the API.
    var text: String {
        switch self {
        case .emergency(let id): id.description
        case .message(let id): id.description
        }
    }
}
