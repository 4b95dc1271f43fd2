import Hashing
import Model

/// Everything that is decided about the people of one partition, a function of its log alone.
///
/// The same records give the same state and the same outputs, on every machine: time is the
/// record's, ids are hashes of meanings, and nothing depends on the order of a dictionary.
public struct PartitionState: Sendable {
    let logics: EvaluatorLogics
    var people = Slots<PersonKind, PersonState>()
    /// In the same places.
    var calms = Slab<Calm>()
    var zones = KnownZones()
    /// The version of the logic that decides, as the log says.
    public internal(set) var logic = EvaluatorLogics.first {
        didSet { rules = logics.rules(of: logic) ?? rules }
    }
    /// Of ``logic``; those of the one before where this program does not have it.
    private(set) var rules = EvaluatorRules()
    /// The suite suspects itself, because so many devices fell silent: nobody is taken for lost.
    var isHeld = false
    /// Logic asked for by the log that this program does not have; it decides nothing any more.
    public private(set) var unknownLogic: Int?
    /// Zones that judge nobody because their geometry has a format this program does not know.
    public internal(set) var unreadableZones = 0
    /// Whether all that a fix may change is looked at for each, by indices, which changes no
    /// decision.
    package var looksAlways = false
    /// Fixes for which no zone was looked at.
    package internal(set) var quietFixes = 0
    /// Counts what may change what zones say of those who do not move; no part of the state.
    var arrangements: UInt64 = 0
    /// For looking up zones; means nothing between two records.
    var nearZones = JudgedZones.Search()
    /// For looking around; mean nothing between two records.
    var neighbours = NeighbourSearch()
    var survey = ZoneSurvey()
    var alertStays: [AlarmStay] = []
    var changes: [PresenceChange] = []

    /// Before the first record of a log.
    public init(logics: EvaluatorLogics = .current) {
        self.logics = logics
        rules = logics.rules(of: logic) ?? rules
    }

    /// People and circles known.
    public var peopleCount: Int { people.count }
    public var circleCount: Int { zones.circles.count }

    /// Takes one record of `in/p`; what it leads to is appended to `outputs`, in order.
    public mutating func handle(_ event: Event, into outputs: inout [Event]) {
        guard unknownLogic == nil else { return }
        if case .inputReport(let report) = event.body, passes(report, at: event.time) { return }
        if case .inputLogic(let asked) = event.body {
            logic = asked.version
            arrangements += 1
        }
        guard logics.versions.contains(logic) else {
            unknownLogic = logic
            return
        }
        let rules = rules
        switch event.body {
        case .inputReport(let report): judge(report, event, rules, into: &outputs)
        case .inputReports(let batch):
            for report in batch.reports where !passes(report, at: event.time) {
                judge(report, event.alone(report), rules, into: &outputs)
            }
        case .inputClock(let fired)
        where fired.clock.rule == .presence || fired.clock.rule == .contact:
            fire(fired.clock, event, rules, into: &outputs)
        case .inputClock(let fired) where fired.clock.rule == .canary:
            outputs.append(event.answer(toCanary: fired.clock))
        case .inputSignal, .inputCancel, .inputClock, .inputAcknowledgement, .inputResolution,
            .inputAdoption, .inputStanding:
            handleEmergency(event, rules, into: &outputs)
        case .inputArming(let arming): arm(arming, event, rules, into: &outputs)
        case .inputAlarmAnswer(let answer): take(answer, event, rules, into: &outputs)
        case .inputSilenceTerms, .inputContact, .inputWatch, .inputDeafness, .inputSilenceHold,
            .inputBlindness:
            followSilence(event, rules, into: &outputs)
        default: arrange(event, rules, into: &outputs)
        }
    }

    /// Whether a report changes nothing but where its person is; it is then taken.
    @inline(__always)
    private mutating func passes(_ report: borrowing Report, at time: Timestamp) -> Bool {
        guard let place = people.place(of: report.person), place < calms.count,
            calms[place].admits(report, at: time, arrangements, rules)
        else { return false }
        let spot = people[place].neighbourhood.spot(of: report.fix.position)
        guard calms[place].leads(to: report.fix, at: spot, rules) else { return false }
        if !people[place].neighbourhood.isClear(spot) || !calms[place].keepsHint(at: spot) {
            guard
                people[place].isQuiet(report, at: time, spot, &calms[place], zones, rules)
            else { return false }
        }
        calms[place].take(report, at: time, spot, rules)
        quietFixes += 1
        return true
    }
}

extension Event {
    /// A canary is given up by whoever reads it, and so comes back to the notifier.
    fileprivate func answer(toCanary clock: WantedClock) -> Event {
        Event(
            id: Hash.meaning(
                kind: .clockUnwanted, person: clock.person, subject: .id(clock.id), cause: id.raw),
            time: time, trace: trace, body: .clockUnwanted(clock))
    }

    /// The record that one of its reports would have come in alone.
    fileprivate func alone(_ report: Report) -> Event {
        Event(
            id: EventID(report.id.raw), time: time, trace: report.trace,
            body: .inputReport(report))
    }
}
