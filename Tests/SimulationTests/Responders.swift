import Model
import NotifierCore
import Parsing
import Store
import Web

/// People who are notified of emergencies and may acknowledge them.
final class Responders {
    private unowned let world: World
    private var chance: SeededRandom
    private var answering: Set<String> = []

    init(_ world: World, _ chance: SeededRandom) {
        self.world = world
        self.chance = chance
    }

    /// A message arrives on a person's phone. Without faults all acknowledge.
    func receive(_ message: Carrier.Message) {
        let row = notification(of: message)
        if let row, row.reason == .ownEnded { return confirm(row) }
        guard let row, row.reason.isCallForHelp,
            let emergency = row.emergency,
            let helper = world.household.person(withID: row.recipient),
            world.isQuiet || chance.happens(300)
        else { return }
        world.after(Int64(chance.in(500...8000))) { [self] in acknowledge(emergency, helper) }
    }

    /// Asks the person in danger to confirm that their emergency is over.
    private func confirm(_ notification: NotifierCore.Notification) {
        guard let emergency = notification.emergency,
            let person = world.household.person(withID: notification.recipient), chance.happens(300)
        else { return }
        world.after(Int64(chance.in(500...8000))) { [self] in
            world.clientRequests.begin(
                ClientRequest(
                    .post, "/v1/emergencies/\(emergency)/confirmation", of: .notifier,
                    as: person.token, key: "confirm-\(emergency)-\(world.newNumber())"))
        }
    }

    /// The notifier's row of a message, if it still exists.
    func notification(of message: Carrier.Message) -> NotifierCore.Notification? {
        guard let database = world.slot(.notifier).disk?.database else { return nil }
        let text: String?
        if let id = NotificationID(message.name) {
            text = try? database.first(
                "SELECT body FROM notifications WHERE id = ?", .id(id)
            ) { $0.text(0) }
        } else {
            text = try? database.first(
                "SELECT body FROM notifications WHERE token = ?", .text(message.name)
            ) { $0.text(0) }
        }
        return text.flatMap { try? JSON.parse($0).decode(NotifierCore.Notification.self) }
    }

    private func acknowledge(_ emergency: EmergencyID, _ helper: SimulatedPerson) {
        let key = "acknowledge-\(emergency)-\(helper.name)-\(world.newNumber())"
        world.clientRequests.begin(
            ClientRequest(
                .post, "/v1/emergencies/\(emergency)/acknowledgement", of: .notifier,
                as: helper.token, key: key
            ) { [self] response, step in
                guard response.status == 200 else { return }
                world.facts.acknowledged.append(Confirmed(emergency, step))
                guard chance.happens(600) else { return }
                world.after(Int64(chance.in(500...8000))) { [self] in end(emergency, helper) }
            })
    }

    private func end(_ emergency: EmergencyID, _ helper: SimulatedPerson) {
        world.clientRequests.begin(
            ClientRequest(
                .post, "/v1/emergencies/\(emergency)/resolution", of: .notifier,
                as: helper.token, key: "end-\(emergency)-\(world.newNumber())"))
    }
}

extension NotifyReason {
    /// A message about an emergency, as opposed to one about its outcome.
    var isCallForHelp: Bool {
        switch self {
        case .tier, .exhausted, .pressedAgain, .lateRecord, .acknowledgementReminder: true
        default: false
        }
    }
}
