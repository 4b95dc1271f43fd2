import Model

// Timeline entries, and sweeping of ended state from memory.
extension Notifier {
    /// Appends an entry to the timelines of the circles concerned. Each circle sees only decisions
    /// about its own members.
    ///
    /// - Parameter circle: nil = every circle of the person
    func record(
        _ kind: TimelineKind, _ emergency: Emergency, circle: CircleID? = nil,
        by: PersonID? = nil, tier: Int? = nil, round: Int? = nil,
        decisions: [NotifyDecision] = [], text: String? = nil, _ turn: inout Turn
    ) {
        let circles = circle.map { [$0] } ?? turn.directory.circles(of: emergency.person)
        for id in circles {
            let members = Set(turn.directory.circle(id)?.members.map(\.person) ?? [])
            var record = TimelineRecord(
                circle: id, at: turn.now, kind: kind, person: emergency.person,
                emergency: emergency.id, by: by,
                decisions: decisions.filter { members.contains($0.recipient) },
                trace: turn.trace)
            record.tier = tier
            record.round = round
            record.text = text
            if isSinkOnly, decisions.contains(where: \.reason.sendsMessage) {
                record.isSinkOnly = true
            }
            turn.save(.timeline(record))
        }
    }

    /// Removes ended state from memory; the store keeps it.
    mutating func sweep(_ turn: inout Turn) {
        let now = turn.now
        let over = emergencies.values.filter {
            $0.ended.map { now - $0 > Limits.endedEmergencyKept } ?? false
        }
        for emergency in over {
            emergencies[emergency.id] = nil
            escalations[emergency.id] = nil
        }
        // Messages about an active emergency are kept, as they prevent duplicates.
        notifications = notifications.filter { _, notification in
            notification.isPending
                || now - notification.created <= Limits.settledNotificationsKept
                || notification.emergency.map { emergencies[$0]?.state.isActive == true } ?? false
        }
        for (id, messages) in notificationsOf {
            let kept = messages.filter { notifications[$0] != nil }
            notificationsOf[id] = kept.isEmpty ? nil : kept
        }
        sweepNumbers(&turn)
        let old = signals.values.filter {
            $0.state != .waiting && now - $0.at > Limits.answeredSignalKept
        }
        for signal in old.sorted(by: { $0.id < $1.id }) {
            signals[signal.id] = nil
            turn.effects.append(.remove(.signal(signal.id)))
        }
    }
}
