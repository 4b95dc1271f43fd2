import Directory
import Model

/// A member's command to acknowledge the emergency with a code from one of their messages.
package struct ReferenceCommand: Hashable, Sendable {
    /// Id of the HTTP request, for the answer.
    package var request: UInt64
    package var code: String
    package var principal: Principal
    package var note: String?
    package var trace: String

    package init(
        request: UInt64, code: String, principal: Principal, note: String? = nil, trace: String = ""
    ) {
        self.request = request
        self.code = code
        self.principal = principal
        self.note = note
        self.trace = trace
    }
}

/// Codes in messages about emergencies, with which their recipients acknowledge.
///
/// A code is different for each recipient and counts only from them: from their credential, or from
/// the number that it was sent to. Wrong, foreign and ended codes have the same answer, and few of
/// them are evaluated.
struct ReferenceCodes: Sendable {
    /// Times of wrong codes of members.
    private var wrong: [PersonID: [Timestamp]] = [:]

    /// Handles a member's command.
    mutating func acknowledge(
        _ command: ReferenceCommand, _ escalation: inout Escalation, _ delivery: inout Delivery,
        _ turn: inout Turn
    ) {
        guard let person = command.principal.person else {
            return turn.emit(.answer(request: command.request, .denied(.personOnly)))
        }
        let tries = (wrong[person] ?? []).filter { turn.now - $0 < Limits.wrongCodeWindow }
        wrong[person] = tries.isEmpty ? nil : tries
        if tries.count >= Limits.wrongCodesMax, let oldest = tries.first {
            let wait = oldest + Limits.wrongCodeWindow - turn.now
            return turn.emit(.answer(request: command.request, .tooMany(after: wait)))
        }
        let found = ReferenceCodes.emergency(
            with: command.code, escalation, delivery, turn.directory,
            sentTo: { $0.recipients.contains(person) })
        guard let found, found.state.isActive else {
            wrong[person] = tries + [turn.now]
            return turn.emit(.answer(request: command.request, .unknown))
        }
        escalation.acknowledge(
            Command(
                request: command.request, emergency: found.id, principal: command.principal,
                note: command.note, trace: command.trace), &delivery, &turn)
    }

    /// Forgets old tries.
    mutating func sweep(at now: Timestamp) {
        wrong = wrong.filter { _, tries in
            tries.contains { now - $0 < Limits.wrongCodeWindow }
        }
    }

    /// The newest emergency with a message that contains the code, an active one before others.
    /// What goes on of one that was ended under duress stands for it.
    ///
    /// - Parameter sentTo: whether a message counts
    static func emergency(
        with code: String, _ escalation: Escalation, _ delivery: Delivery, _ directory: Replica,
        sentTo: (Notification) -> Bool
    ) -> Emergency? {
        guard !code.isEmpty else { return nil }
        let matching = escalation.book.all.compactMap { emergency -> Emergency? in
            let messages = delivery.book.about(emergency.id).filter { message in
                message.reference == code && message.attempts > 0
                    && message.recipient != emergency.person && sentTo(message)
            }
            guard !messages.isEmpty else { return nil }
            // Under duress nothing comes from an address that is also the person's.
            let isForeign = messages.contains {
                !escalation.book.isOwn($0.address, of: emergency.person, directory)
            }
            guard isForeign else { return emergency.underDuress == nil ? emergency : nil }
            return escalation.book.continuation(of: emergency) ?? emergency
        }
        let newest = matching.sorted { ($0.raised, $0.id) > ($1.raised, $1.id) }
        return newest.first(where: \.state.isActive) ?? newest.first
    }
}
