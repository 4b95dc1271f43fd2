import Model
import NotifierCore
import Parsing
import Store
import Web

/// Those who are told of emergencies, and answer or do not.
final class Helpers {
    private unowned let world: World
    private var chance: Chance
    private var answering: Set<String> = []

    init(_ world: World, _ chance: Chance) {
        self.world = world
        self.chance = chance
    }

    /// A message rings on somebody's phone. In calm times everybody answers.
    func hear(_ message: Carrier.Message) {
        let row = notification(of: message)
        if let row, row.reason == .ownEnded { return confirm(row) }
        guard let row, row.reason.isCallForHelp,
            let emergency = row.emergency, let helper = world.household.someone(row.recipient),
            world.isCalm || chance.comes(300)
        else { return }
        world.after(Int64(chance.in(500...8000))) { [self] in take(emergency, helper) }
    }

    /// The person in danger is asked whether somebody was right to end their emergency.
    private func confirm(_ question: NotifierCore.Notification) {
        guard let emergency = question.emergency,
            let person = world.household.someone(question.recipient), chance.comes(300)
        else { return }
        world.after(Int64(chance.in(500...8000))) { [self] in
            world.errands.begin(
                Errand(
                    .post, "/v1/emergencies/\(emergency)/confirmation", of: .notifier,
                    as: person.token, key: "confirm-\(emergency)-\(world.newNumber())"))
        }
    }

    /// The notifier's row of a message, if it still knows it.
    func notification(of message: Carrier.Message) -> NotifierCore.Notification? {
        guard let database = world.seat(.notifier).disk?.database else { return nil }
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

    private func take(_ emergency: EmergencyID, _ helper: Someone) {
        let key = "take-\(emergency)-\(helper.name)-\(world.newNumber())"
        world.errands.begin(
            Errand(
                .post, "/v1/emergencies/\(emergency)/acknowledgement", of: .notifier,
                as: helper.token, key: key
            ) { [self] response, step in
                guard response.status == 200 else { return }
                world.facts.taken.append(Promise(emergency, step))
                guard chance.comes(600) else { return }
                world.after(Int64(chance.in(500...8000))) { [self] in end(emergency, helper) }
            })
    }

    private func end(_ emergency: EmergencyID, _ helper: Someone) {
        world.errands.begin(
            Errand(
                .post, "/v1/emergencies/\(emergency)/resolution", of: .notifier,
                as: helper.token, key: "end-\(emergency)-\(world.newNumber())"))
    }
}

extension NotifyReason {
    /// A message that asks for help, as opposed to one that tells how it went on.
    var isCallForHelp: Bool {
        switch self {
        case .tier, .exhausted, .pressedAgain, .lateRecord, .holderAsked: true
        default: false
        }
    }
}
