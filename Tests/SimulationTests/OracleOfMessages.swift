import Directory
import Model
import NotifierCore
import Store
import Wire

// Checks recipients, rights and repetitions of messages.
extension Oracle {
    func checkMessages() throws {
        let rows = try rows("notifications", as: NotifierCore.Notification.self)
        try checkRights(rows)
        try checkNeverNotified(rows)
        try checkEmergencies()
        try checkRepetitions(rows)
    }

    /// Only recipients with the right are notified.
    private func checkRights(_ rows: [NotifierCore.Notification]) throws {
        for row in rows {
            guard let person = row.person, let recipient = row.recipient, person != recipient,
                !world.household.share(person, recipient)
            else { continue }
            throw Objection(
                "\(recipient) was notified of \(person), with whom they share no circle")
        }
    }

    /// Nobody on a person's never-notify list is notified about them, is a recipient of their
    /// emergencies, or is shown what happened.
    private func checkNeverNotified(_ rows: [NotifierCore.Notification]) throws {
        for row in rows {
            guard let person = row.person else { continue }
            for recipient in row.recipients where world.household.hides(person, from: recipient) {
                throw Objection("\(recipient) was notified of \(person), who excluded them")
            }
        }
        let replica = world.slot(.notifier).life?.host.directory?.replica
        for emergency in try self.rows("emergencies", as: NotifierCore.Emergency.self) {
            for recipient in emergency.recipients
            where world.household.hides(emergency.person, from: recipient) {
                throw Objection("\(recipient) is a recipient of \(emergency.id)")
            }
            guard let replica else { continue }
            for person in world.household.everyone
            where world.household.hides(emergency.person, from: person.id) {
                let decision = replica.decide(
                    .person(person.id), .readEmergency,
                    on: .emergency(of: emergency.person, isRecipient: true, isAcknowledged: true),
                    at: emergency.raised)
                if decision.isAllowed {
                    throw Objection("\(person.name) may read \(emergency.id)")
                }
            }
        }
    }

    /// Every notified emergency was raised by a person.
    private func checkEmergencies() throws {
        let known = Set(world.facts.signals.map(\.id))
        for emergency in try self.rows("emergencies", as: NotifierCore.Emergency.self)
        where emergency.trigger != .watchExpired && !known.contains(emergency.id) {
            // The response may have been lost on its way to the caller.
            let isStored = try database(.ingest).first(
                "SELECT 1 FROM emergency WHERE id = ?", .id(emergency.id)
            ) { $0.int(0) }
            if isStored == nil, !wasRestored(.ingest) {
                throw Objection("nobody raised \(emergency.id)")
            }
        }
    }

    /// No message is sent twice, except after an attempt with an unknown result.
    private func checkRepetitions(_ rows: [NotifierCore.Notification]) throws {
        var tokens: [String: NotificationID] = [:]
        for row in rows { tokens[row.token] = row.id }
        var sendCounts: [NotificationID: Int] = [:]
        for message in world.carrier.messages {
            guard let id = NotificationID(message.name) ?? tokens[message.name] else { continue }
            sendCounts[id, default: 0] += 1
        }
        let doubts = Dictionary(rows.map { ($0.id, $0.unknownOutcomes) }, uniquingKeysWith: { $1 })
        for (id, number) in sendCounts.sorted(by: { $0.key < $1.key }) {
            guard number > 1 + (doubts[id] ?? 0), !wasRestored(.notifier) else { continue }
            throw Objection(
                "\(id) was sent \(number) times without a doubt: \(try attempts(at: id))")
        }
    }

    /// The notifier's attempts to send a message, as text.
    private func attempts(at id: NotificationID) throws -> String {
        try database(.notifier).all(
            "SELECT started, gateway, outcome FROM attempts WHERE notification = ? ORDER BY number",
            .id(id)
        ) { "\($0.time(0)) \($0.text(1)) \($0.optionalText(2) ?? "?")" }.joined(separator: ", ")
    }
}
