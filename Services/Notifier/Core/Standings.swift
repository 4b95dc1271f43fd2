import Directory
import Hashing
import Model

// How emergencies stand here, told to ingest and evaluators where they may have lost them.
extension Notifier {
    /// Tells of everything that goes on, and of what ended lately, so that nothing heard again
    /// opens it.
    ///
    /// - Parameter partition: nil = everybody's
    mutating func announce(of partition: Partition?, _ turn: inout Turn) {
        func isConcerned(_ person: PersonID) -> Bool {
            partition.map { $0 == Partition.of(person) } ?? true
        }
        let known = emergencies.values.filter { isConcerned($0.person) }.sorted { $0.id < $1.id }
        // Nobody else may know any more of one that was to be opened after its countdown.
        for emergency in known where emergency.state == .countdown {
            turn.trace = emergency.trace
            raised(signal(emergency.id, of: emergency), &turn)
        }
        let waiting = signals.values.filter { $0.state == .waiting }.compactMap(\.signal)
            .filter { isConcerned($0.person) }
        for signal in waiting.sorted(by: { $0.id < $1.id }) { announce(waiting: signal, &turn) }
        // Those that go on under another name are told of by that.
        let renamed = Set(known.flatMap { one in one.joined.filter { $0 != one.id } })
        for var emergency in known where emergency.state != .countdown {
            if emergency.state.isActive {
                emergency.isAdopted = true
                keep(emergency, &turn)
            } else if renamed.contains(emergency.id) {
                continue
            }
            announce(emergency.id, &turn)
        }
    }

    /// Tells how an emergency stands; the same id as long as it stands the same way.
    mutating func announce(_ id: EmergencyID, _ turn: inout Turn) {
        guard let emergency = emergencies[id], let opened = emergency.opened ?? emergency.ended
        else { return }
        let trace = turn.trace
        defer { turn.trace = trace }
        turn.trace = emergency.trace
        let isTaken = emergency.state == .acknowledged
        let answered = isTaken ? emergency.taken?.at : emergency.ended
        publish(
            LadderStanding(
                emergency: id, person: emergency.person, state: emergency.state,
                by: isTaken ? emergency.taken?.by : emergency.endedBy,
                at: answered ?? emergency.reopened ?? opened,
                signals: emergency.signals.map { signal($0, of: emergency) },
                told: emergency.told.filter { $0 != emergency.person },
                reached: reached(emergency, turn.directory),
                endedCircles: emergency.state.isActive ? emergency.endedCircles : []), &turn)
    }

    private func announce(waiting signal: EmergencySignal, _ turn: inout Turn) {
        turn.trace = signal.trace
        publish(
            LadderStanding(
                emergency: signal.id, person: signal.person, state: .countdown,
                at: signal.received, signals: [signal]), &turn)
    }

    private func publish(_ standing: LadderStanding, _ turn: inout Turn) {
        let id = Meaning.event(
            .ladderStanding, standing.person, .id(standing.emergency),
            .text(standing.state.rawValue), standing.by.map { .id($0) } ?? .none,
            .number(standing.at.microseconds), .text(standing.reached?.rawValue ?? ""),
            .id(Hash.id(of: standing.signals.map { .id($0.id) })),
            .id(Hash.id(of: standing.told.map { .id($0) })),
            .id(Hash.id(of: standing.endedCircles.map { .id($0) })))
        turn.publish(id, .ladderStanding(standing))
    }

    /// A signal as it was heard; made from its emergency where only that was.
    private func signal(_ id: EmergencyID, of emergency: Emergency) -> EmergencySignal {
        let arrived = emergency.isLate ? emergency.opened ?? emergency.raised : emergency.raised
        var signal =
            signals[id]?.signal
            ?? EmergencySignal(
                id: id, person: emergency.person, trigger: emergency.trigger,
                raised: emergency.raised, received: arrived, countdownEnds: arrived,
                note: emergency.note, trace: emergency.trace)
        if id == emergency.id {
            signal.fix = emergency.fix ?? signal.fix
            signal.battery = emergency.battery ?? signal.battery
        }
        return signal
    }

    /// How far a message to others has come since the emergency was last opened.
    private func reached(_ emergency: Emergency, _ directory: Replica) -> NotificationState? {
        let since = emergency.notifiedSince ?? emergency.reopened ?? emergency.raised
        let states = notificationsOf[emergency.id, default: []].compactMap { notifications[$0] }
            .filter { message in
                message.recipient != emergency.person && message.created >= since
                    && message.recipient.map { emergency.goesOn(for: $0, in: directory) } ?? true
                    && (message.state == .delivered || numbers[message.address]?.problem == nil)
            }
            .map(\.state)
        return [.delivered, .accepted, .sink].first(where: states.contains)
    }
}
