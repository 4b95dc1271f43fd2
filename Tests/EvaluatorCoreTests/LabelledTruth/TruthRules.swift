import EvaluatorCore
import Model

/// A crossing that a rule reports.
struct EmittedCrossing: Equatable {
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

    func emitted(_ track: TruthTrack, _ kind: ZoneKind) -> [EmittedCrossing] {
        switch self {
        case .current: CurrentRule.run(track, kind).emitted
        case .old: OldRule.emitted(track, kind)
        case .containment: Containment.emitted(track, accuracyMax: .infinity, speedMax: .infinity)
        // An event whenever a position is on the other side than the previous one. Its filters get
        // strict values: `filter.accuracy` = 200 m and `filter.maxSpeed` = 270 knots (139 m/s); its
        // documentation suggests to start with 25,000 knots.
        case .traccar: Containment.emitted(track, accuracyMax: 200, speedMax: 139)
        }
    }
}

/// Inside or outside, fix by fix.
enum Containment {
    static func emitted(
        _ track: TruthTrack, accuracyMax: Double, speedMax: Double
    ) -> [EmittedCrossing] {
        var emitted: [EmittedCrossing] = []
        var last: (sample: TruthTrack.Sample, isInside: Bool)?
        for sample in track.samples where sample.accuracy <= accuracyMax {
            let isInside = track.beyond(sample) <= 0
            if let last {
                let metres = last.sample.localPoint.metres(to: sample.localPoint)
                if metres > speedMax * Double(sample.second - last.sample.second) { continue }
                if isInside != last.isInside {
                    emitted.append(EmittedCrossing(time: sample.received, isEnter: isInside))
                }
            }
            last = (sample, isInside)
        }
        return emitted
    }
}

/// The rule of this program, with deadlines.
enum CurrentRule {
    /// The crossings, and the records that led to them.
    static func run(
        _ track: TruthTrack, _ kind: ZoneKind
    ) -> (emitted: [EmittedCrossing], log: [Event]) {
        var state = PartitionState()
        var log: [Event] = []
        var deadlines: [Deadline] = []
        var emitted: [EmittedCrossing] = []
        var number: UInt64 = 0
        func handle(_ body: EventBody, at time: Timestamp) {
            number += 1
            var outputs: [Event] = []
            let event = Event(id: EventID(ID128(high: 9, low: number)), time: time, body: body)
            state.handle(event, into: &outputs)
            log.append(event)
            for output in outputs {
                switch output.body {
                case .zoneEntered: emitted.append(EmittedCrossing(time: time, isEnter: true))
                case .zoneExited: emitted.append(EmittedCrossing(time: time, isEnter: false))
                case .deadlineScheduled(let deadline): deadlines.append(deadline)
                case .deadlineCancelled(let deadline): deadlines.removeAll { $0 == deadline }
                default: break
                }
            }
        }
        func pass(to end: Timestamp) {
            while let deadline = deadlines.min(by: { $0.due < $1.due }), deadline.due <= end {
                deadlines.removeAll { $0 == deadline }
                handle(
                    .inputDeadline(ExpiredDeadline(deadline: deadline, expired: deadline.due)),
                    at: deadline.due
                )
            }
        }
        let start = TruthTrack.start
        let zone = ConfiguredZone.round(radius: Int32(track.radius), kind: kind)
        handle(.inputCircle(ConfiguredCircle(circle: World.circle, zones: [zone])), at: start)
        let person = ConfiguredPerson(
            person: World.person, primaryDevice: nil, circles: [World.circle], zones: [])
        handle(.inputPerson(person), at: start)
        for sample in track.samples {
            pass(to: sample.received)
            let report = Report(
                id: ReportID(ID128(high: 8, low: number)), person: World.person,
                device: World.phone, fix: sample.fix, received: sample.received)
            handle(.inputReport(report), at: sample.received)
        }
        pass(to: TruthTrack.time(track.duration))
        return (emitted, log)
    }
}
