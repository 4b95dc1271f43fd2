import Model

/// The life of a person's emergency: `countdown → open → acknowledged → resolved`, or `cancelled`.
///
/// A pure state machine. It says which steps were taken; ``PartitionState`` makes events of them.
struct EmergencyLife: Hashable, Sendable {
    /// What was decided.
    enum Step: Hashable {
        /// Told to everybody who follows the emergency.
        case news(EmergencyStep)
        case clockWanted(WantedClock, cause: EmergencyID)
        case clockUnwanted(WantedClock, cause: EmergencyID)
    }

    /// A signal that was answered.
    struct Answered: Hashable {
        var signal: EmergencyID
        var at: Timestamp
    }

    var active: ActiveEmergency?
    /// Oldest first.
    private(set) var answered: [Answered] = []

    init(active: ActiveEmergency? = nil, answered: [Answered] = []) {
        self.active = active
        self.answered = answered
    }

    var isActive: Bool {
        switch active {
        case .none: false
        case .some: true
        }
    }

    /// Whether this signal was answered before: the same one never raises a second emergency.
    func hasAnswered(_ signal: EmergencyID) -> Bool {
        answered.contains { $0.signal == signal }
    }

    /// Remembers an answer and forgets those that are too old to be repeated.
    mutating func remember(_ signal: EmergencyID, at now: Timestamp) {
        let oldest = now - .seconds(EvaluatorLimits.signalsKeptSeconds)
        answered.removeAll { $0.at < oldest && active?.signals.contains($0.signal) != true }
        if answered.count >= EvaluatorLimits.signalsKeptMax { answered.removeFirst() }
        answered.append(Answered(signal: signal, at: now))
    }
}

/// An emergency that has not ended.
struct ActiveEmergency: Hashable, Sendable {
    enum Phase: Hashable, Sendable {
        /// Nobody is told until the clock fires.
        case counting(WantedClock)
        case open
        /// Somebody took it, nil = the operator.
        case acknowledged(by: PersonID?, at: Timestamp)

        var state: EmergencyState {
            switch self {
            case .counting: .countdown
            case .open: .open
            case .acknowledged: .acknowledged
            }
        }
    }

    /// That of its first trigger.
    let id: EmergencyID
    let trigger: EmergencyTrigger
    let raised: Timestamp
    /// Raised long before it arrived.
    let late: Bool
    let note: String?
    var countdownEnds: Timestamp
    var phase: Phase
    /// Newest that a signal brought.
    var fix: Fix?
    var battery: UInt8?
    /// The trigger and all that joined it, in order.
    var signals: [EmergencyID]
    /// When the last of them arrived.
    var signalled: Timestamp

    /// Whether an id is the emergency's own or that of a signal that joined it.
    func isNamed(by id: EmergencyID) -> Bool { signals.contains(id) }
}

extension ActiveEmergency {
    init(_ signal: EmergencySignal, late: Bool, phase: Phase) {
        self.init(
            id: signal.id, trigger: signal.trigger, raised: signal.raised, late: late,
            note: signal.note, countdownEnds: signal.countdownEnds, phase: phase, fix: signal.fix,
            battery: signal.battery, signals: [signal.id], signalled: signal.received)
    }
}

/// One step, with the emergency as it is after it.
struct EmergencyStep: Hashable {
    enum Kind: Hashable { case countdown, opened, joined, cancelled, acknowledged, resolved }

    var kind: Kind
    var emergency: ActiveEmergency
    /// The signal that this step answers.
    var signal: EmergencyID
    /// What that was, where it is not the one that raised the emergency.
    var joined: EmergencySignal?
    var by: PersonID?
    var note: String?
    var reopened = false
    /// When a human answered; part of the step's identity. Of what is open again: when the answer
    /// was given that came to nothing.
    var answeredAt: Timestamp?
}
