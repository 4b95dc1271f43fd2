import Geometry
import Model

/// Tells positions that contradict those before them, for texts, pages and the API.
///
/// Evaluators decide about zones by a finer rule (`docs/evaluation.md`). This one is for positions
/// that reach the notifier without an evaluator: a fix is suspect if its person cannot have come
/// there from the last believed one, until the next fix agrees with it.
package struct FixTrust: Hashable, Sendable {
    /// The last fix that did not contradict those before it; nil = none yet.
    package private(set) var believed: Fix?
    private var suspect: Fix?

    package init(believed: Fix? = nil, suspect: Fix? = nil) {
        self.believed = believed
        self.suspect = suspect
    }

    /// Takes the next fix by time.
    ///
    /// - Returns: whether it is suspect
    package mutating func accept(_ fix: Fix) -> Bool {
        guard let known = believed else {
            believed = fix
            return false
        }
        let agrees = suspect.map { FixTrust.canFollow($0, fix) } ?? false
        guard agrees || FixTrust.canFollow(known, fix) else {
            suspect = fix
            return true
        }
        believed = fix
        suspect = nil
        return false
    }

    /// Marks suspect fixes.
    ///
    /// A fix that the next one confirms is not suspect. A next one that can follow the last
    /// believed one confirms nothing.
    ///
    /// - Parameter fixes: oldest first
    package static func mark(_ fixes: [Fix]) -> [MarkedFix] {
        var trust = FixTrust()
        var marked: [MarkedFix] = []
        marked.reserveCapacity(fixes.count)
        for fix in fixes {
            let (known, before) = (trust.believed, trust.suspect)
            let isSuspect = trust.accept(fix)
            if !isSuspect, let before, let last = marked.indices.last, marked[last].fix == before,
                canFollow(before, fix), known.map({ !canFollow($0, fix) }) ?? false
            {
                marked[last].isSuspect = false
            }
            marked.append(MarkedFix(fix: fix, isSuspect: isSuspect))
        }
        return marked
    }

    /// Whether a person can have moved from one fix to another: at most at
    /// ``Limits/believedSpeedMax``, or as fast as the phone itself says.
    private static func canFollow(_ earlier: Fix, _ later: Fix) -> Bool {
        let metres = EarthPoint(earlier.position).straightMetres(to: EarthPoint(later.position))
        let slack = Double(accuracy(earlier)) / 100 + Double(accuracy(later)) / 100
        let passed = later.time - earlier.time
        let seconds = max(1, Double(passed.milliseconds).magnitude / 1000)
        let reported = max(
            earlier.speedCentimetresPerSecond ?? 0, later.speedCentimetresPerSecond ?? 0)
        let speed = max(
            Limits.believedSpeedMax,
            min(Double(reported) / 100 * 1.25, Limits.believedReportedSpeedMax))
        return metres - slack <= speed * seconds
    }

    private static func accuracy(_ fix: Fix) -> Int32 {
        fix.accuracyCentimetres > 0 ? fix.accuracyCentimetres : Limits.unknownAccuracyCentimetres
    }
}

/// A position, and whether it contradicts the others.
package struct MarkedFix: Hashable, Sendable {
    package var fix: Fix
    package var isSuspect: Bool

    package init(fix: Fix, isSuspect: Bool = false) {
        self.fix = fix
        self.isSuspect = isSuspect
    }
}

/// Positions of a person, for a page or a document.
package struct PersonPositions: Hashable, Sendable {
    package var newest: MarkedFix?
    /// Percent; nil = unknown.
    package var battery: UInt8?
    /// Before ``newest``, newest first.
    package var trail: [MarkedFix]

    package init(newest: MarkedFix?, battery: UInt8?, trail: [MarkedFix] = []) {
        self.newest = newest
        self.battery = battery
        self.trail = trail
    }

    /// The stored positions of a person, oldest first.
    package init(_ rows: [FollowedPositionRow]) {
        let marked = FixTrust.mark(rows.map(\.fix))
        self.init(
            newest: marked.last, battery: rows.last(where: { $0.battery != nil })?.battery,
            trail: marked.dropLast().reversed())
    }

    /// The positions of an emergency.
    ///
    /// - Parameter rows: the stored positions of its person, oldest first. Without ingest there may
    ///   be none.
    package init(of emergency: Emergency, stored rows: [FollowedPositionRow]) {
        self.init(rows)
        battery = battery ?? emergency.battery
        guard let fix = emergency.fix, newest.map({ $0.fix.time <= fix.time }) ?? true else {
            return
        }
        if let newest, newest.fix.time < fix.time { trail.insert(newest, at: 0) }
        newest = MarkedFix(fix: fix, isSuspect: emergency.isSuspect == true)
    }
}
