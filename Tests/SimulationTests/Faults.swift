/// The faults of one seed and their odds. Some seeds have many faults and some have few, so all
/// combinations occur.
struct Faults: CustomStringConvertible {
    // Odds are per mille. For frames between processes:
    var dropped = 0
    var repeated = 0
    var delayed = 0
    var reordered = 0

    // For requests of phones and people:
    var requestsLost = 0
    var responsesLost = 0

    // For each turn of a process:
    var killed = 0
    /// … killed after its COMMIT and before everything has left.
    var mutedAndKilled = 0
    /// … killed within its transaction.
    var killedInTransaction = 0
    var commitFails = 0
    /// Stopped by SIGTERM; evaluators only.
    var ended = 0
    var stopped = 0
    var diskFull = 0
    var cut = 0
    var wallJumps = 0

    /// For restarts: the process finds an older copy of its disk.
    var olderDisk = 0
    /// Services that may find an older copy.
    var olderDiskOf: Set<String> = []

    // For messages at the gateways:
    var gatewayRejects = 0
    var gatewayDefers = 0
    var gatewayUnresponsive = 0
    var gatewayUnreachable = 0
    var receiptsLost = 0
    /// For each turn of the notifier: the gateways are down for a while.
    var gatewaysDown = 0

    /// Shortest time between two turns of a process, milliseconds, including the wait for the
    /// processor.
    var pace = 100
    var evaluators = 1
    /// Number of members that claim to evaluate and do not.
    var rogues = 0

    /// No faults.
    init() {}

    /// The faults of a seed.
    init(_ chance: inout SeededRandom) {
        func sometimes(_ percent: Int, _ range: ClosedRange<Int>, _ chance: inout SeededRandom)
            -> Int
        {
            let odds = chance.in(range)
            return chance.happens(percent * 10) ? odds : 0
        }
        dropped = sometimes(60, 1...200, &chance)
        repeated = sometimes(50, 1...150, &chance)
        delayed = sometimes(50, 1...200, &chance)
        reordered = sometimes(50, 1...200, &chance)
        requestsLost = sometimes(50, 1...300, &chance)
        responsesLost = sometimes(50, 1...300, &chance)
        killed = sometimes(50, 1...8, &chance)
        mutedAndKilled = sometimes(50, 1...8, &chance)
        killedInTransaction = sometimes(40, 1...5, &chance)
        commitFails = sometimes(50, 1...30, &chance)
        ended = sometimes(40, 1...6, &chance)
        stopped = sometimes(40, 1...4, &chance)
        diskFull = sometimes(30, 1...3, &chance)
        cut = sometimes(40, 1...6, &chance)
        wallJumps = sometimes(30, 1...5, &chance)
        olderDisk = sometimes(50, 200...700, &chance)
        for name in ["ingest", "membership", "timer", "notifier"] where chance.happens(500) {
            olderDiskOf.insert(name)
        }
        gatewayRejects = sometimes(40, 10...200, &chance)
        gatewayDefers = sometimes(40, 10...300, &chance)
        gatewayUnresponsive = sometimes(40, 10...200, &chance)
        gatewayUnreachable = sometimes(40, 10...200, &chance)
        receiptsLost = sometimes(50, 10...500, &chance)
        gatewaysDown = sometimes(30, 1...6, &chance)
        pace = chance.pick([10, 60, 120, 200, 300])
        evaluators = chance.pick([1, 2, 2, 3])
        rogues = chance.happens(250) ? 1 : 0
    }

    /// The active faults with their odds.
    var description: String {
        var words: [String] = []
        for child in Mirror(reflecting: self).children {
            guard let name = child.label else { continue }
            if let number = child.value as? Int, number != 0 { words.append("\(name)=\(number)") }
            if let names = child.value as? Set<String>, !names.isEmpty, olderDisk > 0 {
                words.append("\(name)=\(names.sorted().joined(separator: "+"))")
            }
        }
        return words.joined(separator: " ")
    }
}
