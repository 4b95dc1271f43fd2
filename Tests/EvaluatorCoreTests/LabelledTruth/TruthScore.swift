import Model

/// How well a rule did on some tracks.
///
/// A reported crossing is *false* if the person was not truly on that side at any moment since the
/// crossing reported before it, nor in the last 45 min.
///
/// A true crossing is *clear* if the person was well inside and is well outside within 5 min of
/// crossing the edge, or the other way round, and stays there for 10 min, and at least two fixes of
/// 100 m or better show it (one, within 5 min of the first, where the phone dies). Well is twice
/// the usual accuracy of the track, at least 30 m, at most half the radius inside. A clear crossing
/// is *missed* if the rule has the person on the wrong side from then to the next one.
///
/// Delays are counted from the arrival of the first fix taken after the true crossing whose own
/// position is beyond the edge, to the report of the crossing.
struct TruthScore {
    private(set) var told = 0
    private(set) var clear = 0
    private(set) var missed = 0
    private(set) var falseCount = 0
    private(set) var zoneHours = 0.0
    /// Seconds, and in reporting intervals.
    private(set) var enters: [Double] = []
    private(set) var enterIntervals: [Double] = []
    private(set) var exits: [Double] = []

    var falsePer100ZoneHours: Double { zoneHours > 0 ? falseCount.asDouble / zoneHours * 100 : 0 }
    var missedShare: Double { clear > 0 ? missed.asDouble / clear.asDouble : 0 }

    mutating func add(_ other: TruthScore) {
        told += other.told
        clear += other.clear
        missed += other.missed
        falseCount += other.falseCount
        zoneHours += other.zoneHours
        enters += other.enters
        enterIntervals += other.enterIntervals
        exits += other.exits
    }

    mutating func add(_ track: TruthTrack, _ spells: [TruthSpell], _ told: [ToldCrossing]) {
        self.told += told.count
        zoneHours += Double(track.duration) / 3600
        countFalse(track, told)
        for spell in spells {
            clear += 1
            let start = TruthTrack.time(spell.start - track.interval - 5)
            let end = TruthTrack.time(spell.end)
            let match = told.first {
                $0.isEnter == spell.isInside && $0.time > start && $0.time <= end
            }
            if let match {
                let delay = Double(max(0, (match.time - spell.seen).microseconds)) / 1e6
                if spell.isInside {
                    enters.append(delay)
                    enterIntervals.append(delay / Double(track.interval))
                } else {
                    exits.append(delay)
                }
            } else {
                // Before its first report a rule has the person where the first fix is.
                let before = told.last { $0.time <= start }?.isEnter
                if (before ?? track.startsInside) != spell.isInside { missed += 1 }
            }
        }
    }

    private mutating func countFalse(_ track: TruthTrack, _ told: [ToldCrossing]) {
        var last = 0
        for crossing in told {
            let passed = (crossing.time - TruthTrack.start).microseconds / 1_000_000
            let now = min(Int(passed), track.duration - 1)
            let from = min(max(last, now - 2700, 0), now)
            let isTrue = (from...now).contains {
                (track.way.beyond(at: $0) <= 0) == crossing.isEnter
            }
            if !isTrue { falseCount += 1 }
            last = now
        }
    }
}

/// The time after a clear crossing, until the next one.
struct TruthSpell {
    /// When the person truly crossed the edge, seconds of the track.
    var start: Int
    var end: Int
    var isInside: Bool
    /// When the person was well beyond.
    var cleared: Int
    /// When the first fix arrived that shows it.
    var seen: Timestamp

    static func all(of track: TruthTrack) -> [TruthSpell] {
        let fine = track.samples.map(\.accuracy).filter { $0 <= 100 }.sorted()
        guard !fine.isEmpty else { return [] }
        let well = max(30, 2 * fine[fine.count / 2])
        let depth = min(well, track.radius / 2)
        var spells: [TruthSpell] = []
        var side: Bool?
        var crossed = 0
        var wasInside = track.way.beyond(at: 0) <= 0
        for second in 0..<track.duration {
            let beyond = track.way.beyond(at: second)
            if (beyond <= 0) != wasInside { crossed = second }
            wasInside = beyond <= 0
            guard beyond <= -depth || beyond >= well, side != wasInside else { continue }
            if side != nil {
                if let last = spells.indices.last { spells[last].end = crossed }
                spells.append(
                    TruthSpell(
                        start: crossed, end: track.duration, isInside: wasInside, cleared: second,
                        seen: .zero))
            }
            side = wasInside
        }
        return spells.compactMap { $0.shown(by: track, well: well, depth: depth) }
    }

    /// The spell, if it lasts and fixes show it.
    private func shown(by track: TruthTrack, well: Double, depth: Double) -> TruthSpell? {
        func isWell(_ beyond: Double) -> Bool { isInside ? beyond <= -depth : beyond >= well }
        let seconds = (start..<end).count { isWell(track.way.beyond(at: $0)) }
        guard seconds >= 600, cleared <= start + 300 else { return nil }
        let inSpell = track.samples.filter { $0.second >= start && $0.second < end }
        let showing = inSpell.filter { (track.beyond($0) <= 0) == isInside }
        let clear = showing.filter {
            $0.accuracy <= 100 && isWell(track.way.beyond(at: $0.second))
        }
        guard let first = showing.first else { return nil }
        if track.kind == .dying, !isInside {
            guard clear.contains(where: { $0.second <= first.second + 300 }) else { return nil }
        } else {
            guard clear.count >= 2 else { return nil }
        }
        var spell = self
        spell.seen = first.received
        return spell
    }
}

extension [Double] {
    /// The value that so many percent do not exceed; 0 of none.
    func percentile(_ percent: Int) -> Double {
        let sorted = sorted()
        guard !sorted.isEmpty else { return 0 }
        return sorted[Swift.min(sorted.count - 1, sorted.count * percent / 100)]
    }
}

extension Int {
    fileprivate var asDouble: Double { Double(self) }
}
