import Directory
import Hashing
import Model

// Snapshots of emergencies for ingest and evaluators that may have lost them.
extension Notifier {
    /// Publishes active and recently ended emergencies, so that replayed records do not reopen
    /// ended ones.
    ///
    /// - Parameter partition: nil = all partitions
    mutating func publishSnapshots(of partition: Partition?, _ turn: inout Turn) {
        func isConcerned(_ person: PersonID) -> Bool {
            partition.map { $0 == Partition.of(person) } ?? true
        }
        let known = emergencies.values.filter { isConcerned($0.person) }.sorted { $0.id < $1.id }
        // Nobody else may know of an emergency that opens after its countdown.
        for emergency in known where emergency.state == .countdown {
            turn.trace = emergency.trace
            receiveSignal(signal(emergency.id, of: emergency), &turn)
        }
        let waiting = signals.values.filter { $0.state == .waiting }.compactMap(\.signal)
            .filter { isConcerned($0.person) }
        for signal in waiting.sorted(by: { $0.id < $1.id }) {
            publishSnapshot(ofWaiting: signal, &turn)
        }
        // Renamed emergencies are covered by the snapshot of their new id.
        let renamed = Set(known.flatMap { one in one.joined.filter { $0 != one.id } })
        for var emergency in known where emergency.state != .countdown {
            if emergency.state.isActive {
                emergency.isFallback = true
                save(emergency, &turn)
            } else if renamed.contains(emergency.id) {
                continue
            }
            publishSnapshot(emergency.id, &turn)
        }
    }

    /// Publishes a snapshot of an emergency. Its id is the same as long as the state is.
    mutating func publishSnapshot(_ id: EmergencyID, _ turn: inout Turn) {
        guard let emergency = emergencies[id], let opened = emergency.opened ?? emergency.ended
        else { return }
        let trace = turn.trace
        defer { turn.trace = trace }
        turn.trace = emergency.trace
        let isTaken = emergency.state == .acknowledged
        let answered = isTaken ? emergency.firstAcknowledgement?.at : emergency.ended
        publish(
            EmergencySnapshot(
                emergency: id, person: emergency.person, state: emergency.state,
                by: isTaken ? emergency.firstAcknowledgement?.by : emergency.endedBy,
                at: answered ?? emergency.reopened ?? opened,
                signals: emergency.signals.map { signal($0, of: emergency) },
                told: emergency.recipients.filter { $0 != emergency.person },
                reached: reached(emergency, turn.directory),
                endedCircles: emergency.state.isActive ? emergency.endedCircles : []), &turn)
    }

    private func publishSnapshot(ofWaiting signal: EmergencySignal, _ turn: inout Turn) {
        turn.trace = signal.trace
        publish(
            EmergencySnapshot(
                emergency: signal.id, person: signal.person, state: .countdown,
                at: signal.received, signals: [signal]), &turn)
    }

    private func publish(_ snapshot: EmergencySnapshot, _ turn: inout Turn) {
        let id = DerivedID.event(
            .emergencySnapshot, snapshot.person, .id(snapshot.emergency),
            .text(snapshot.state.rawValue), snapshot.by.map { .id($0) } ?? .none,
            .number(snapshot.at.microseconds), .text(snapshot.reached?.rawValue ?? ""),
            .id(Hash.id(of: snapshot.signals.map { .id($0.id) })),
            .id(Hash.id(of: snapshot.told.map { .id($0) })),
            .id(Hash.id(of: snapshot.endedCircles.map { .id($0) })))
        turn.publish(id, .emergencySnapshot(snapshot))
    }

    /// The signal as received, or built from its emergency.
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

    /// Best delivery state of messages to others since the emergency was last opened.
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
