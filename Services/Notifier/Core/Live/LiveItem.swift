import Model

/// Something whose changes a person's live stream carries.
///
/// Items have an order, in which a stream sends those that changed by the same record.
package enum LiveItem: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The person's own data.
    case person(PersonID)
    case circle(CircleID)
    case credential(CredentialID)
    /// Requests for the consent of the person, or of a ward of theirs.
    case consents(PersonID)

    private static let consentsPrefix = "consents:"

    /// Parses the output of ``description``.
    package init?(_ text: String) {
        if let id = PersonID(text) {
            self = .person(id)
        } else if let id = CircleID(text) {
            self = .circle(id)
        } else if let id = CredentialID(text) {
            self = .credential(id)
        } else if text.hasPrefix(LiveItem.consentsPrefix),
            let id = PersonID(String(text.dropFirst(LiveItem.consentsPrefix.count)))
        {
            self = .consents(id)
        } else {
            return nil
        }
    }

    package var description: String {
        switch self {
        case .person(let id): id.description
        case .circle(let id): id.description
        case .credential(let id): id.description
        case .consents(let id): LiveItem.consentsPrefix + id.description
        }
    }
}

/// A record of the directory, as far as positions need it.
package struct LiveMark: Hashable, Sendable {
    package var sequence: UInt64
    /// The last 16 bits of the chain hash.
    package var check: UInt16
    /// When membership made the change: the version of the circle lists that show it.
    package var time: Timestamp

    package init(sequence: UInt64, check: UInt16, time: Timestamp) {
        self.sequence = sequence
        self.check = check
        self.time = time
    }
}

/// A position between two events of a person's stream.
package struct LivePoint: Hashable, Sendable, Comparable {
    package var sequence: UInt64
    /// The last item of the record that was sent; nil = all of them.
    package var item: LiveItem?

    package init(sequence: UInt64, item: LiveItem? = nil) {
        self.sequence = sequence
        self.item = item
    }

    /// A point after a whole record is later than those within it.
    package static func < (left: LivePoint, right: LivePoint) -> Bool {
        if left.sequence != right.sequence { return left.sequence < right.sequence }
        guard let item = left.item else { return false }
        return right.item.map { item < $0 } ?? true
    }
}

/// An event of a person's stream: an item as it is now, or that the person no longer has it.
package struct LiveEvent: Hashable, Sendable {
    package var item: LiveItem
    package var isGone: Bool
    /// The record that changed it last.
    package var mark: LiveMark

    package init(item: LiveItem, isGone: Bool, mark: LiveMark) {
        self.item = item
        self.isGone = isGone
        self.mark = mark
    }

    /// The position after the event.
    package var point: LivePoint { LivePoint(sequence: mark.sequence, item: item) }
}
