import IngestCore
import Model
import NotifierCore
import Store
import Wire

// Checks that promises to people are kept.
extension Oracle {
    /// No acknowledged report and no emergency request is lost.
    func judgePromises() throws {
        var reports: Set<ReportID> = []
        var signals: Set<EmergencyID> = []
        // After a restore, snapshots of the notifier recover what the stream lost.
        var standing: Set<EmergencyID> = []
        for partition in Partition.all {
            for event in try events(of: .input(partition), at: .ingest) {
                switch event.body {
                case .inputReport, .inputReports:
                    for report in event.body.reports where !reports.insert(report.id).inserted {
                        throw Objection("\(report.id) is in in/\(partition) twice")
                    }
                case .inputSignal(let signal): signals.insert(signal.id)
                case .inputEmergencySnapshot(let told): standing.formUnion(told.signals.map(\.id))
                default: break
                }
            }
        }
        for promise in world.facts.reports where !isExcused(promise.step, at: .ingest) {
            if !reports.contains(promise.value) {
                throw Objection(
                    "\(promise.value), acknowledged in step \(promise.step), is lost")
            }
        }
        var raised: Set<EmergencyID> = []
        for event in try events(of: .sos, at: .ingest) {
            if case .sosRaised(let signal) = event.body { raised.insert(signal.id) }
        }
        var joined = try joinedCalls()
        for signal in world.facts.signals where !isExcused(signal.step, at: .ingest) {
            let isInStreams = raised.contains(signal.id) && signals.contains(signal.id)
            if !isInStreams, !standing.contains(signal.id) {
                guard joined[signal.person, default: 0] > 0 else {
                    throw Objection("\(signal.id), acknowledged in step \(signal.step), is lost")
                }
                joined[signal.person, default: 0] -= 1
                continue
            }
            try judgeOutcome(of: signal.id)
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
    private func judgeOutcome(of signal: EmergencyID) throws {
        let all = try rows("emergencies", as: NotifierCore.Emergency.self)
        guard let emergency = all.first(where: { $0.id == signal || $0.joined.contains(signal) })
        else {
            let isCancelled = try isRolledBack(signal)
            guard isCancelled else {
                throw Objection("the notifier knows nothing of \(signal)")
            }
            return
        }
        if emergency.state == .cancelled || emergency.isRecordOnly { return }
        let isAlone =
            world.slot(.notifier).life?.host.directory?.replica
            .circles(of: emergency.person).isEmpty ?? true
        if emergency.recipients.isEmpty, !isAlone {
            throw Objection("nobody was notified of \(signal)")
        }
    }

    private func isRolledBack(_ signal: EmergencyID) throws -> Bool {
        for event in try events(of: .sos, at: .ingest) {
            if case .sosCancelled(let cancel) = event.body, cancel.emergency == signal {
                return true
            }
        }
        return false
    }

    /// A watch that expired has expired once, whatever was down.
    func judgeWatches() throws {
        var expired: [String: Int] = [:]
        for event in try events(of: .deadlines, at: .timer) {
            if case .watchChanged(let watch) = event.body, watch.state == .expired {
                expired["\(watch.id)", default: 0] += 1
            }
        }
        if let twice = expired.first(where: { $0.value > 1 }) {
            throw Objection("\(twice.key) expired \(twice.value) times")
        }
        for (id, promise) in world.facts.watches where !isExcused(promise.step, at: .timer) {
            let ended = world.facts.ended[id]
            let hasExpired = expired["\(id)"] != nil
            if let ended {
                if hasExpired, !isExcused(ended, at: .timer) {
                    throw Objection("\(id) expired although it was ended")
                }
            } else if !hasExpired, try isOpen(id) {
                throw Objection("\(id) should have expired at \(promise.value.expiry)")
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
