import Model

/// A person's emergency: `countdown → open → acknowledged → resolved`, or `cancelled`.
///
/// A pure state machine. Transitions return steps, which ``PartitionState`` turns into events.
struct EmergencyMachine: Hashable, Sendable {
    /// The result of a transition.
    enum Step: Hashable {
        /// Reported to everyone who follows the emergency.
        case transition(EmergencyStep)
        case deadlineScheduled(Deadline, cause: EmergencyID)
        case deadlineCancelled(Deadline, cause: EmergencyID)
    }

    /// A signal that was handled.
    struct HandledSignal: Hashable {
        var signal: EmergencyID
        var at: Timestamp
    }

    var active: ActiveEmergency?
    /// Oldest first.
    private(set) var handled: [HandledSignal] = []

    init(active: ActiveEmergency? = nil, handled: [HandledSignal] = []) {
        self.active = active
        self.handled = handled
    }

    var isActive: Bool {
        switch active {
        case .none: false
        case .some: true
        }
    }

    /// Whether this signal was handled before. A repeated signal never raises a second emergency.
    func hasHandled(_ signal: EmergencyID) -> Bool {
        handled.contains { $0.signal == signal }
    }

    /// Records a handled signal and drops those that are too old to be repeated.
    mutating func remember(_ signal: EmergencyID, at now: Timestamp) {
        let oldest = now - .seconds(EvaluatorLimits.signalsKeptSeconds)
        handled.removeAll { $0.at < oldest && active?.signals.contains($0.signal) != true }
        if handled.count >= EvaluatorLimits.signalsKeptMax { handled.removeFirst() }
        handled.append(HandledSignal(signal: signal, at: now))
    }
}

/// An emergency that has not ended.
struct ActiveEmergency: Hashable, Sendable {
    enum Phase: Hashable, Sendable {
        /// Nobody is notified until the deadline expires.
        case counting(Deadline)
        case open
        /// Somebody acknowledged it; nil = the operator.
        case acknowledged(by: PersonID?, at: Timestamp)

        var state: EmergencyState {
            switch self {
            case .counting: .countdown
            case .open: .open
            case .acknowledged: .acknowledged
            }
        }
    }

    /// The id of its first signal.
    let id: EmergencyID
    let trigger: EmergencyTrigger
    let raised: Timestamp
    /// Whether the signal arrived long after it was raised.
    let late: Bool
    let note: String?
    var countdownEnds: Timestamp
    var phase: Phase
    /// The newest fix of all signals.
    var fix: Fix?
    var battery: UInt8?
    /// The first signal and all that joined, in order.
    var signals: [EmergencyID]
    /// When the last signal arrived.
    var signalled: Timestamp

    /// Whether an id is the emergency's own or that of a joined signal.
    func includes(_ id: EmergencyID) -> Bool { signals.contains(id) }
}

extension ActiveEmergency {
    init(_ signal: EmergencySignal, late: Bool, phase: Phase) {
        self.init(
            id: signal.id, trigger: signal.trigger, raised: signal.raised, late: late,
            note: signal.note, countdownEnds: signal.countdownEnds, phase: phase, fix: signal.fix,
            battery: signal.battery, signals: [signal.id], signalled: signal.received)
    }
}

/// One transition, with the emergency's state after it.
struct EmergencyStep: Hashable {
    enum Kind: Hashable { case countdown, opened, joined, cancelled, acknowledged, resolved }

    var kind: Kind
    var emergency: ActiveEmergency
    /// The signal that caused this step.
    var signal: EmergencyID
    /// The joined signal; nil for the one that raised the emergency.
    var joined: EmergencySignal?
    var by: PersonID?
    var note: String?
    var reopened = false
    /// When a person answered; part of the step's identity. For a reopened emergency: when the
    /// acknowledgement was given that no longer counts.
    var answeredAt: Timestamp?
}
