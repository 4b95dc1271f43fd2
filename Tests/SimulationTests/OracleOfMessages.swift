import Model
import NotifierCore
import Store
import Wire

// Checks who was notified of what, and how often.
extension Oracle {
    func judgeTold() throws {
        let rows = try rows("notifications", as: NotifierCore.Notification.self)
        try judgeRights(rows)
        try judgeEmergencies()
        try judgeRepetitions(rows)
    }

    /// Nobody without the right is ever notified.
    private func judgeRights(_ rows: [NotifierCore.Notification]) throws {
        for row in rows {
            guard let person = row.person, let recipient = row.recipient, person != recipient,
                !world.household.share(person, recipient)
            else { continue }
            throw Objection(
                "\(recipient) was notified of \(person), with whom they share no circle")
        }
    }

    /// Every notified emergency was raised by somebody.
    private func judgeEmergencies() throws {
        let known = Set(world.facts.signals.map(\.id))
        for emergency in try self.rows("emergencies", as: NotifierCore.Emergency.self)
        where emergency.trigger != .watchExpired && !known.contains(emergency.id) {
            // The response may have been lost on its way to the caller.
            let isStored = try database(.ingest).first(
                "SELECT 1 FROM emergency WHERE id = ?", .id(emergency.id)
            ) { $0.int(0) }
            if isStored == nil, !wentBack(.ingest) {
                throw Objection("nobody has raised \(emergency.id)")
            }
        }
    }

    /// Nobody is notified twice, except after an attempt with an unknown result.
    private func judgeRepetitions(_ rows: [NotifierCore.Notification]) throws {
        var tokens: [String: NotificationID] = [:]
        for row in rows { tokens[row.token] = row.id }
        var taken: [NotificationID: Int] = [:]
        for message in world.carrier.messages {
            guard let id = NotificationID(message.name) ?? tokens[message.name] else { continue }
            taken[id, default: 0] += 1
        }
        let doubts = Dictionary(rows.map { ($0.id, $0.unknownOutcomes) }, uniquingKeysWith: { $1 })
        for (id, number) in taken.sorted(by: { $0.key < $1.key }) {
            guard number > 1 + (doubts[id] ?? 0), !wentBack(.notifier) else { continue }
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
