import IngestCore
import Model
import NotifierCore
import Store
import Wire

// Checks that everything confirmed in responses is kept.
extension Oracle {
    /// No acknowledged report and no emergency request is lost.
    func checkConfirmations() throws {
        var reports: Set<ReportID> = []
        var signals: Set<EmergencyID> = []
        // After a restore, snapshots of the notifier recover lost records of the stream.
        var inSnapshots: Set<EmergencyID> = []
        for partition in Partition.all {
            for event in try events(of: .input(partition), at: .ingest) {
                switch event.body {
                case .inputReport, .inputReports:
                    for report in event.body.reports where !reports.insert(report.id).inserted {
                        throw Objection("\(report.id) is in in/\(partition) twice")
                    }
                case .inputSignal(let signal): signals.insert(signal.id)
                case .inputEmergencySnapshot(let snapshot):
                    inSnapshots.formUnion(snapshot.signals.map(\.id))
                default: break
                }
            }
        }
        for fact in world.facts.reports where !isExcused(fact.step, at: .ingest) {
            if !reports.contains(fact.value) {
                throw Objection(
                    "\(fact.value), acknowledged in step \(fact.step), is lost")
            }
        }
        var raised: Set<EmergencyID> = []
        for event in try events(of: .sos, at: .ingest) {
            if case .sosRaised(let signal) = event.body { raised.insert(signal.id) }
        }
        var joined = try joinedCalls()
        for signal in world.facts.signals where !isExcused(signal.step, at: .ingest) {
            let isInStreams = raised.contains(signal.id) && signals.contains(signal.id)
            if !isInStreams, !inSnapshots.contains(signal.id) {
                guard joined[signal.person, default: 0] > 0 else {
                    throw Objection("\(signal.id), acknowledged in step \(signal.step), is lost")
                }
                joined[signal.person, default: 0] -= 1
                continue
            }
            try checkOutcome(of: signal.id)
        }
    }

    /// How many further requests of each person joined an emergency as a count. Requests are
    /// counted only after the first ones were stored. They may belong to another emergency by now:
    /// if the first of them was cancelled, the others continue without it.
    private func joinedCalls() throws -> [PersonID: Int] {
        let rows = try database(.ingest).all(
            "SELECT id, person, joined_calls FROM emergency"
        ) { (id: EmergencyID($0.id(0)), person: PersonID($0.id(1)), count: $0.int(2)) }
        var joined: [PersonID: Int] = [:]
        for row in rows where row.count > 0 {
            let stored = rows.count { $0.person == row.person }
            if stored < IngestCore.Limits.callsAlwaysStored {
                throw Objection("\(row.id) counts calls, but only \(stored) are stored")
            }
            joined[row.person, default: 0] += row.count
        }
        return joined
    }

    /// An emergency request had an effect at the notifier: people were notified, or it was
    /// cancelled or joined another one.
    private func checkOutcome(of signal: EmergencyID) throws {
        let all = try rows("emergencies", as: NotifierCore.Emergency.self)
        guard let emergency = all.first(where: { $0.id == signal || $0.joined.contains(signal) })
        else {
            let isCancelled = try wasCancelled(signal)
            guard isCancelled else {
                throw Objection("the notifier lacks \(signal)")
            }
            return
        }
        if emergency.state == .cancelled || emergency.isRecordOnly { return }
        let isAlone =
            world.slot(.notifier).life?.host.directory?.replica
            .circles(of: emergency.person).isEmpty ?? true
        // A first tier of people on the never-notify list is waited for like any other, so that
        // nobody can infer the list. Its person may end the emergency before the next tier.
        let endedInTime =
            emergency.endedBy == emergency.person && emergency.withheld?.isEmpty == false
        if emergency.recipients.isEmpty, !isAlone, !endedInTime {
            throw Objection("nobody was notified of \(signal)")
        }
    }

    private func wasCancelled(_ signal: EmergencyID) throws -> Bool {
        for event in try events(of: .sos, at: .ingest) {
            if case .sosCancelled(let cancel) = event.body, cancel.emergency == signal {
                return true
            }
        }
        return false
    }

    /// A watch expires at most once, despite all faults.
    func checkWatches() throws {
        var expired: [String: Int] = [:]
        for event in try events(of: .deadlines, at: .timer) {
            if case .watchChanged(let watch) = event.body, watch.state == .expired {
                expired["\(watch.id)", default: 0] += 1
            }
        }
        if let twice = expired.first(where: { $0.value > 1 }) {
            throw Objection("\(twice.key) expired \(twice.value) times")
        }
        for (id, fact) in world.facts.watches where !isExcused(fact.step, at: .timer) {
            let ended = world.facts.ended[id]
            let hasExpired = expired["\(id)"] != nil
            if let ended {
                if hasExpired, !isExcused(ended, at: .timer) {
                    throw Objection("\(id) expired although it was ended")
                }
            } else if !hasExpired, try isOpen(id) {
                throw Objection("\(id) should have expired at \(fact.value.expiry)")
            }
        }
    }

    private func isOpen(_ watch: WatchID) throws -> Bool {
        let state = try database(.timer).first(
            "SELECT state FROM watch WHERE id = ?", .id(watch)
        ) { $0.text(0) }
        return state != "ended" && state != "cancelled"
    }
}
