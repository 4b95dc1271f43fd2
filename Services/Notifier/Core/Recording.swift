import Model

// The timeline, and forgetting what is over.
extension Notifier {
    /// Writes a line into the timelines of the circles concerned. Circles are sealed from each
    /// other: each sees the decisions about its own people only.
    ///
    /// - Parameter circle: nil = every circle of the person.
    func record(
        _ kind: TimelineKind, _ emergency: Emergency, circle: CircleID? = nil,
        by: PersonID? = nil, tier: Int? = nil, round: Int? = nil,
        decisions: [NotifyDecision] = [], words: String? = nil, _ turn: inout Turn
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
            record.words = words
            if isSinkOnly, decisions.contains(where: \.reason.isTold) { record.isSinkOnly = true }
            turn.save(.timeline(record))
        }
    }

    /// Forgets what is over: the store keeps it.
    mutating func sweep(_ turn: inout Turn) {
        let now = turn.now
        let over = emergencies.values.filter {
            $0.ended.map { now - $0 > Limits.endedEmergencyKept } ?? false
        }
        for emergency in over {
            emergencies[emergency.id] = nil
            ladders[emergency.id] = nil
        }
        // What was told of an emergency that goes on is not told again, however long it does.
        notifications = notifications.filter { _, notification in
            notification.isPending
                || now - notification.created <= Limits.settledNotificationKept
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
