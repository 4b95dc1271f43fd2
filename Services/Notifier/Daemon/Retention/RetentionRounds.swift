import Hosting
import Model
import NotifierCore

/// Deletes old rows and removed people, in portions.
final class RetentionRounds {
    private let host: any NotifierHost
    private let runner: CoreRunner
    private let idempotencyStore: IdempotencyStore
    private var pruning: Pruning
    private var erasures: Erasures
    private var nextPrune = Timestamp.zero

    /// - Parameter emergencyDays: retention of ended emergencies
    init(_ runner: CoreRunner, emergencyDays: Int) {
        self.runner = runner
        host = runner.host
        idempotencyStore = IdempotencyStore(runner.store.database)
        pruning = Pruning(store: runner.store, emergencyDays: emergencyDays)
        erasures = Erasures(store: runner.store)
    }

    func load() throws {
        try pruning.load()
        try erasures.load()
    }

    /// Begins a round of the timer.
    func begin(_ round: RetentionRound) throws {
        try pruning.begin(round)
        try erasures.beginRound(round)
    }

    /// Begins to erase a person who is being removed from the directory.
    func directoryWillChange(_ event: Event) throws {
        guard case .personRemoved(let removal) = event.body,
            let person = host.replica.person(removal.person)
        else { return }
        try erasures.begin(person, at: host.now)
    }

    /// Deletes one portion.
    func tick() throws {
        if nextPrune <= host.now {
            nextPrune = host.now + Limits.pruneInterval
            runner.pruneTransfers()
            if try pruning.step(in: host.replica) {
                nextPrune = host.now + Limits.pruneRepeatInterval
            }
            try idempotencyStore.prune(at: host.now)
        }
        if erasures.isActive, try erasures.step(in: host.replica) { try runner.load() }
    }

    var nextDeadline: Timestamp { erasures.isActive ? host.now : nextPrune }
}
