import Model

/// The score of a rule on some tracks.
///
/// A reported crossing is *false* if the person was not truly on that side at any moment since the
/// previously reported crossing, nor in the last 45 min.
///
/// A true crossing is *clear* if the person was well inside and is well outside within 5 min, or
/// vice versa, and stays there for 10 min. At least two fixes of 100 m or better must show it, or
/// one within 5 min of the first if the phone dies. "Well" is twice the usual accuracy of the
/// track, at least 30 m, and inside at most half the radius. A clear crossing is *missed* if the
/// rule has the person on the wrong side from then to the next one.
///
/// Delays count from the arrival of the first fix after the true crossing whose own position is
/// beyond the edge, to the report of the crossing.
struct TruthScore {
    private(set) var emitted = 0
    private(set) var clear = 0
    private(set) var missed = 0
    private(set) var falseCount = 0
    private(set) var zoneHours = 0.0
    /// Seconds, and reporting intervals.
    private(set) var enters: [Double] = []
    private(set) var enterIntervals: [Double] = []
    private(set) var exits: [Double] = []

    var falsePer100ZoneHours: Double { zoneHours > 0 ? falseCount.asDouble / zoneHours * 100 : 0 }
    var missedShare: Double { clear > 0 ? missed.asDouble / clear.asDouble : 0 }

    mutating func add(_ other: TruthScore) {
        emitted += other.emitted
        clear += other.clear
        missed += other.missed
        falseCount += other.falseCount
        zoneHours += other.zoneHours
        enters += other.enters
        enterIntervals += other.enterIntervals
        exits += other.exits
    }

    mutating func add(_ track: TruthTrack, _ spells: [TruthSpell], _ emitted: [EmittedCrossing]) {
        self.emitted += emitted.count
        zoneHours += Double(track.duration) / 3600
        countFalse(track, emitted)
        for spell in spells {
            clear += 1
            let start = TruthTrack.time(spell.start - track.interval - 5)
            let end = TruthTrack.time(spell.end)
            let match = emitted.first {
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
                // Before its first report a rule has the person at the first fix.
                let before = emitted.last { $0.time <= start }?.isEnter
                if (before ?? track.startsInside) != spell.isInside { missed += 1 }
            }
        }
    }

    private mutating func countFalse(_ track: TruthTrack, _ emitted: [EmittedCrossing]) {
        var last = 0
        for crossing in emitted {
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

/// The time from a clear crossing to the next one.
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

    /// The spell if it lasts and fixes show it; nil otherwise.
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
    /// The percentile of the values; 0 if there are none.
    func percentile(_ percent: Int) -> Double {
        let sorted = sorted()
        guard !sorted.isEmpty else { return 0 }
        return sorted[Swift.min(sorted.count - 1, sorted.count * percent / 100)]
    }
}

extension Int {
    fileprivate var asDouble: Double { Double(self) }
}
