import Model

// Checks who ended an emergency for whom.
extension Oracle {
    /// Other people end an emergency only in circles that they share with the person. If it ended
    /// in all circles, a member of each circle resolved it, or the person confirmed it.
    func checkEnds() throws {
        guard !wasRestored(.notifier), !wasRestored(.ingest) else { return }
        var ended: [EmergencyID: Set<CircleID>] = [:]
        for event in try events(of: .deliveries, at: .notifier) {
            switch event.body {
            case .emergencySnapshot(let snapshot):
                for signal in snapshot.signals { ended[signal.id] = Set(snapshot.endedCircles) }
                ended[snapshot.emergency] = Set(snapshot.endedCircles)
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
