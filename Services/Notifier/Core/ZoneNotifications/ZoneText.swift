import Model

package enum DraftTag: IdentifierKind { package static let prefix = "drf" }
/// BLAKE2b-128 of (event, number, mode).
package typealias DraftID = Identifier<DraftTag>

/// One text to one number, after zones fired: a draft, or what happened to it.
package struct ZoneText: Hashable, Sendable, Codable {
    package enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// Waits for the person to send it.
        case draft
        case sent
        /// Not sent; see the reason.
        case suppressed
    }

    package var id: DraftID
    package var person: PersonID
    /// E.164.
    package var number: String
    /// How the text addresses the recipient; empty = by no name.
    package var recipientName: String
    /// The merged zone messages, ascending.
    package var messages: [MessageID]
    package var zoneNames: [String]
    package var text: String
    package var state: State
    package var reason: NotifyReason
    package var created: Timestamp
    /// Do not send after this time.
    package var expires: Timestamp
    /// The message it was sent as.
    package var notification: NotificationID?
}

/// A person's command to send a draft.
package struct SendCommand: Sendable {
    /// Id of the HTTP request, for the answer.
    package var request: UInt64
    package var principal: Principal
    /// The stored draft.
    package var text: ZoneText
    package var trace: String

    package init(request: UInt64, principal: Principal, text: ZoneText, trace: String = "") {
        self.request = request
        self.principal = principal
        self.text = text
        self.trace = trace
    }
}
