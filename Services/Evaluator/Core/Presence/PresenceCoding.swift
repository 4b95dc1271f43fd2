import Model

// Encodes and decodes fixes and presences.

extension EvaluatedFix: StateCodable {
    static var blank: EvaluatedFix { EvaluatedFix(fix: .blank, device: .blank, report: .blank) }

    mutating func code(_ coder: inout StateCoder) throws(StateError) {
        var (fix, device, report) = (fix, device, report)
        try coder.code(&fix)
        try coder.code(&device)
        try coder.code(&report)
        if coder.isDecoding { self = EvaluatedFix(fix: fix, device: device, report: report) }
    }
}

extension SuspectFix: StateCodable {
    static var blank: SuspectFix { SuspectFix(fix: .blank, since: .blank) }

    mutating func code(_ coder: inout StateCoder) throws(StateError) {
        try coder.code(&fix)
        try coder.code(&since)
    }
}

extension ZonePresence: StateCodable {
    static var blank: ZonePresence {
        ZonePresence(zone: .blank, presence: .outside, since: .blank)
    }

    mutating func code(_ coder: inout StateCoder) throws(StateError) {
        let hasMore = entering != nil || isCoarse
        let flags = try coder.flags(
            presence == .near || isUndecided, presence == .inside || isUndecided, isSuppressed,
            hasDwelled, isClosed, leaving != nil, restsOnOneFix, hasMore)
        let known: [Presence] = flags[1] ? [.inside, .unknown] : [.outside, .near]
        presence = known[flags[0] ? 1 : 0]
        (isSuppressed, hasDwelled, isClosed) = (flags[2], flags[3], flags[4])
        restsOnOneFix = flags[6]
        try coder.code(&since)
        try coder.code(&leaving, if: flags[5])
        if flags[7] {
            let more = try coder.flags(entering != nil, isCoarse)
            try coder.check(more[0] || more[1], "empty flags")
            try coder.code(&entering, if: more[0])
            isCoarse = more[1]
        }
        try coder.check(
            isWorthKeeping && (canBeLeaving || leaving == nil) && (isPresent || !restsOnOneFix)
                && (entering == nil || isSuppressed && presence != .inside)
                && (!isUndecided || !flags[3...].contains(true) && isSuppressed)
                && (!isCoarse || presence == .near),
            "contradictory presence")
    }
}
