import Hashing
import Model

/// What a person ends by confirming that they are safe: a watch, a check-in, or its schedule.
struct SafetyQuestion: Hashable, Sendable {
    var person: PersonID
    /// Id of what ends.
    var subject: ID128
    var trigger = EmergencyTrigger.watchExpired
    var note: String?
    /// The only people to notify; nil = everyone.
    var recipients: [PersonID]?
    var trace: String

    /// The signal of somebody who was forced to end it; always with the same id.
    ///
    /// It opens an emergency at once that its person never sees. For them the end is a true one.
    func signalUnderDuress(at now: Timestamp) -> EmergencySignal {
        EmergencySignal(
            id: EmergencyID(Hash.derivedID(kind: "under-duress", person: person, cause: subject)),
            person: person, trigger: trigger, raised: now, received: now, countdownEnds: now,
            note: note, recipients: recipients, trace: trace,
            underDuress: EmergencyID(
                Hash.derivedID(
                    kind: EmergencyTrigger.watchExpired.rawValue, person: person, cause: subject)))
    }
}

extension SafetyQuestion {
    init(_ watch: Watch) {
        self.init(
            person: watch.person, subject: watch.id.raw, note: watch.note,
            recipients: watch.recipients, trace: watch.trace)
    }

    /// A schedule, with its open check-in if there is one.
    init(_ row: ScheduledCheckIn) {
        let schedule = row.schedule
        self.init(
            person: schedule.person,
            subject: row.open?.id.raw
                ?? Hash.id("schedule", .id(schedule.id), .number(schedule.version)),
            note: schedule.name.isEmpty ? nil : schedule.name, recipients: schedule.recipients,
            trace: row.open?.trace ?? "")
    }

    /// A question of another service, such as that about a silent phone.
    init(_ answer: SafetyAnswer) {
        self.init(
            person: answer.person,
            subject: Hash.id("answer", .id(answer.person), .number(answer.at.microseconds)),
            trigger: .lostContact, trace: answer.trace)
    }
}

/// The PIN that comes with a request to end something early.
public enum PINEntry: Hashable, Sendable {
    /// Somebody else acts who may, such as the guardian of a ward.
    case notNeeded
    /// By the person; nil = no PIN was entered.
    case entered(String?)
}

/// Why a PIN was rejected.
public enum PINRejection: Hashable, Sendable {
    case needed
    case wrong
    /// After five wrong PINs.
    case wait(seconds: Int)
}
