import Directory
import Model

/// Forgets, once an hour, ended emergencies and ids of applied events that are too old to matter.
struct MemorySweep: Sendable {
    private var last: Timestamp = .zero

    mutating func run(_ emergencies: inout Emergencies, _ turn: inout Turn<Effect>) {
        guard turn.now - last > .seconds(3600) else { return }
        last = turn.now
        let limit = turn.now - .seconds(Limits.memoryDays * 86_400)
        emergencies.signals.forget(endedBefore: limit, &turn)
        turn.emit(.removeApplied(before: limit))
    }
}
