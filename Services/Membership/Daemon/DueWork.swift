import Hosting
import MembershipCore
import Model
import Runtime
import Timing

/// What time alone causes: expired rows and reminders. The timer waits for the ends of trials and
/// guardianships.
final class DueWork {
    private let runner: CoreRunner
    private let timeZones: TimeZoneFolder
    private var nextPrune = Timestamp.zero

    private static let pruningInterval: Duration = .seconds(600)

    init(_ runner: CoreRunner, _ timeZones: TimeZoneFolder) {
        self.runner = runner
        self.timeZones = timeZones
    }

    private var now: Timestamp { runner.host.now }

    /// - Parameter prune: prunes tables of other features
    func prune(_ prune: () throws -> Void) throws {
        guard now >= nextPrune else { return }
        try runner.submit(.removeExpired)
        try runner.store.prune(at: now)
        try prune()
        try runner.submit(.removeOld)
        nextPrune = now + DueWork.pruningInterval
    }

    func tick() throws {
        if isDue(runner.core.reminders.nextDue) {
            // One person per turn is asked to verify their contact points.
            let clocks = ZoneClocks(timeZones, now: now)
            try runner.submit(.remind { clocks.hour(in: $0) })
        }
    }

    /// Handles what became due while this service was down, or had no end in an older store.
    func endOverdue() throws {
        while isDue(runner.core.nextTrialEnd) { try runner.submit(.trials) }
        try runner.submit(.wards)
    }

    var nextDeadline: Timestamp? { runner.core.reminders.nextDue }

    private func isDue(_ time: Timestamp?) -> Bool { time.map { $0 <= now } ?? false }
}
