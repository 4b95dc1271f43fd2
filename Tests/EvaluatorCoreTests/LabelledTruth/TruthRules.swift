import EvaluatorCore
import Model

/// A crossing that a rule reports.
struct ToldCrossing: Equatable {
    var time: Timestamp
    var isEnter: Bool
}

/// The rules that are compared on the same tracks.
enum TruthRule: CaseIterable {
    case current, old, containment, traccar

    var name: String {
        switch self {
        case .current: "Jaga"
        case .old: "old rule"
        case .containment: "containment"
        case .traccar: "Traccar"
        }
    }

    func told(_ track: TruthTrack, _ kind: ZoneKind) -> [ToldCrossing] {
        switch self {
        case .current: CurrentRule.told(track, kind)
        case .old: OldRule.told(track, kind)
        case .containment: Containment.told(track, accuracyMax: .infinity, speedMax: .infinity)
        // An event whenever a position is on the other side than the one before. Its filters get
        // strict values: `filter.accuracy` = 200 m and `filter.maxSpeed` = 270 knots (139 m/s),
        // where its configuration keys advise to start with 25,000 knots.
        case .traccar: Containment.told(track, accuracyMax: 200, speedMax: 139)
        }
    }
}

/// Inside or not, fix by fix.
enum Containment {
    static func told(
        _ track: TruthTrack, accuracyMax: Double, speedMax: Double
    ) -> [ToldCrossing] {
        var told: [ToldCrossing] = []
        var last: (sample: TruthTrack.Sample, isInside: Bool)?
        for sample in track.samples where sample.accuracy <= accuracyMax {
            let isInside = track.beyond(sample) <= 0
            if let last {
                let metres = last.sample.spot.metres(to: sample.spot)
                if metres > speedMax * Double(sample.second - last.sample.second) { continue }
                if isInside != last.isInside {
                    told.append(ToldCrossing(time: sample.received, isEnter: isInside))
                }
            }
            last = (sample, isInside)
        }
        return told
    }
}

/// What this program decides, with its clocks.
enum CurrentRule {
    static func told(_ track: TruthTrack, _ kind: ZoneKind) -> [ToldCrossing] {
        var state = PartitionState()
        var clocks: [WantedClock] = []
        var told: [ToldCrossing] = []
        var number: UInt64 = 0
        func handle(_ body: EventBody, at time: Timestamp) {
            number += 1
            var outputs: [Event] = []
            let event = Event(id: EventID(ID128(high: 9, low: number)), time: time, body: body)
            state.handle(event, into: &outputs)
            for output in outputs {
                switch output.body {
                case .zoneEntered: told.append(ToldCrossing(time: time, isEnter: true))
                case .zoneExited: told.append(ToldCrossing(time: time, isEnter: false))
                case .clockWanted(let clock): clocks.append(clock)
                case .clockUnwanted(let clock): clocks.removeAll { $0 == clock }
                default: break
                }
            }
        }
        func pass(to end: Timestamp) {
            while let clock = clocks.min(by: { $0.due < $1.due }), clock.due <= end {
                clocks.removeAll { $0 == clock }
                handle(.inputClock(FiredClock(clock: clock, fired: clock.due)), at: clock.due)
            }
        }
        let start = TruthTrack.start
        let zone = PlacedZone.round(radius: Int32(track.radius), kind: kind)
        handle(.inputCircle(PlacedCircle(circle: World.circle, zones: [zone])), at: start)
        let person = PlacedPerson(
            person: World.person, leadingDevice: nil, circles: [World.circle], zones: [])
        handle(.inputPerson(person), at: start)
        for sample in track.samples {
            pass(to: sample.received)
            let report = Report(
                id: ReportID(ID128(high: 8, low: number)), person: World.person,
                device: World.phone, fix: sample.fix, received: sample.received)
            handle(.inputReport(report), at: sample.received)
        }
        pass(to: TruthTrack.time(track.duration))
        return told
    }
}
