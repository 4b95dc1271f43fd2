import Model

// Checks who ended an emergency for whom.
extension Oracle {
    /// Others end an emergency only in the circles that they share with the person. If it ended for
    /// all, somebody of each circle resolved it, or the person confirmed it.
    func judgeEnds() throws {
        guard !wentBack(.notifier), !wentBack(.ingest) else { return }
        var ended: [EmergencyID: Set<CircleID>] = [:]
        for event in try events(of: .deliveries, at: .notifier) {
            switch event.body {
            case .emergencySnapshot(let standing):
                for signal in standing.signals { ended[signal.id] = Set(standing.endedCircles) }
                ended[standing.emergency] = Set(standing.endedCircles)
            case .resolutionCommitted(let answer):
                guard let resolver = answer.by, resolver != answer.person else { continue }
                let own = world.household.circles(of: answer.person)
                let theirs = world.household.circles(of: resolver)
                let before = answer.signals.reduce(into: ended[answer.emergency] ?? []) {
                    $0.formUnion(ended[$1] ?? [])
                }
                let left = own.subtracting(theirs).subtracting(before)
                guard left.isEmpty else {
                    throw Objection(
                        "\(resolver) ended \(answer.emergency) in \(left.count) circles of others")
                }
            default: continue
            }
        }
    }
}
