import Hashing
import Model

// Phones that are not heard, and what becomes of it.
extension PartitionState {
    /// The leading device reported.
    mutating func hear(_ report: Report, _ place: Int, _ turn: inout Turn) {
        if people[place].silence.terms?.device == report.device {
            let now = turn.now
            if people[place].silence.phase == .heard {
                people[place].silence.heard = now
            } else {
                change(place, &turn) { silence, _ in silence.hear(at: now) }
            }
        }
        guard !report.late, let battery = report.battery else { return }
        let rules = turn.rules.silence
        guard
            battery <= rules.batteryGood || people[place].batteryNotice.told != nil
        else { return }
        // What a phone brings of long ago says nothing of its battery now.
        guard turn.now - report.fix.time <= .seconds(turn.rules.contactSeconds) else { return }
        note(
            battery, isCharging: report.charging == true, report.device, of: report.person, place,
            &turn)
    }

    /// The leading device says how full its battery is now.
    private mutating func note(
        _ battery: UInt8, isCharging: Bool, _ device: DeviceID, of person: PersonID, _ place: Int,
        _ turn: inout Turn
    ) {
        let mark = people[place].batteryNotice.note(
            battery, isCharging: isCharging, turn.rules.silence)
        guard let mark else { return }
        let news = BatteryNews(person: person, device: device, battery: battery, mark: mark)
        turn.tell(.batteryLow(news), of: person, subject: .id(device), cause: turn.id.raw)
    }

    /// A cry for help from the leading device is a sign of life, too.
    mutating func hear(_ body: EventBody, _ place: Int, _ turn: inout Turn) {
        guard case .inputSignal(let signal) = body, let device = signal.device,
            people[place].leader == device, people[place].silence.terms?.device == device
        else { return }
        let now = turn.now
        change(place, &turn) { silence, _ in silence.hear(at: now) }
    }

    /// The person did something, from whichever device.
    mutating func answer(_ place: Int, _ turn: inout Turn) {
        let now = turn.now
        change(place, &turn) { silence, _ in silence.answer(at: now) }
    }

    /// What is said of how phones report, and of when nothing can be said of them.
    mutating func followSilence(
        _ event: Event, _ rules: EvaluatorRules, into outputs: inout [Event]
    ) {
        switch event.body {
        case .inputSilenceTerms(let terms):
            turn(terms.person, event, rules, into: &outputs) { state, place, turn in
                let now = turn.now
                let known = terms.maxSilenceSeconds.map { seconds in
                    Silence.Terms(
                        device: terms.device,
                        maxSilenceSeconds: min(max(1, seconds), rules.silence.maxSilenceSecondsMax))
                }
                state.change(place, &turn) { silence, leader in
                    silence.take(known, leads: leader == terms.device, at: now)
                }
            }
        case .inputContact(let contact):
            turn(contact.person, event, rules, into: &outputs) { state, place, turn in
                guard contact.kind == .heard else { return state.answer(place, &turn) }
                let now = turn.now
                state.change(place, &turn) { silence, leader in
                    silence.terms?.device == leader ? silence.hear(at: now) : nil
                }
                guard let battery = contact.battery, let leader = state.people[place].leader
                else { return }
                state.people[place].battery = battery
                state.note(
                    battery, isCharging: contact.charging == true, leader, of: contact.person,
                    place, &turn)
            }
        case .inputWatch(let span):
            turn(span.person, event, rules, into: &outputs) { state, place, turn in
                let now = turn.now
                state.change(place, &turn) { silence, leader in
                    silence.follow(span, leads: silence.terms?.device == leader, at: now)
                }
            }
        case .inputDeafness(let deafness): skip(deafness, event, rules, into: &outputs)
        case .inputSilenceHold(let hold): self.hold(hold, event, rules, into: &outputs)
        case .inputBlindness(let blindness):
            // That it is told once is ingest's business: who watches is to hear it in this order.
            turn(blindness.person, event, rules, into: &outputs) { _, _, turn in
                turn.tell(
                    .phoneBlind(blindness), of: blindness.person, subject: .id(blindness.device),
                    cause: turn.id.raw)
            }
        default: break
        }
    }

    /// Time in which nothing could be received is taken off before anything comes of it.
    private mutating func skip(
        _ deafness: Deafness, _ event: Event, _ rules: EvaluatorRules, into outputs: inout [Event]
    ) {
        for person in people.keys(where: { $0.silence.terms != nil }) {
            let place = awake(person)
            people[place].silence.skip(deafness)
            people[place].isWakeStale = true
            turn(person, event, rules, into: &outputs) { state, place, turn in
                state.followClock(place, &turn)
            }
        }
    }

    private mutating func hold(
        _ hold: SilenceHold, _ event: Event, _ rules: EvaluatorRules, into outputs: inout [Event]
    ) {
        guard isHeld != hold.isHeld else { return }
        pass(
            people.keys { $0.silence.phase == .overdue || $0.silence.due <= event.time }, event,
            rules, into: &outputs)
        isHeld = hold.isHeld
        for person in people.keys(where: { $0.silence.phase == .overdue }) {
            turn(person, event, rules, into: &outputs) { state, place, turn in
                let now = turn.now
                state.change(place, &turn) { silence, _ in
                    silence.hold(hold.isHeld, at: now, rules.silence)
                    return nil
                }
            }
        }
    }

    /// Another device leads now.
    mutating func followLeader(before: DeviceID?, _ place: Int, _ turn: inout Turn) {
        guard people[place].leader != before else { return }
        people[place].batteryNotice = BatteryNotice()
        let now = turn.now
        change(place, &turn) { silence, leader in
            silence.lead(silence.terms?.device == leader, at: now)
        }
    }

    /// Nothing is known of the person any more, and no clock is wanted.
    mutating func forgetSilence(_ place: Int, _ turn: inout Turn) {
        let clock = people[place].silence.clock
        people[place].silence = Silence()
        people[place].silence.clock = clock
        followClock(place, &turn)
    }

    /// A silence is looked at when its time has come.
    mutating func lookAtSilence(_ place: Int, due: Timestamp, _ turn: inout Turn) {
        let rules = turn.rules.silence
        change(place, due: due, &turn) { [isHeld] silence, _ in
            silence.look(rules, isHeld: isHeld)
        }
    }

    // MARK: What is told

    /// Changes what is known of a silence and tells what came of it.
    ///
    /// - Parameter due: the wait that was over; nil = the record says it.
    private mutating func change(
        _ place: Int, due: Timestamp? = nil, _ turn: inout Turn,
        _ body: (inout Silence, _ leader: DeviceID?) -> Silence.Step?
    ) {
        let leader = people[place].leader
        let before = people[place].silence
        let step = body(&people[place].silence, leader)
        guard people[place].silence != before else { return }
        people[place].isWakeStale = true
        if let step, let terms = before.terms {
            tell(step, terms, since: before.heard, due: due, place, &turn)
        }
        if let due, step == .came(.lost), before.isWatched(at: due) {
            raise(due: due, of: before.terms?.device, place, &turn)
        }
        followClock(place, &turn)
    }

    private func tell(
        _ step: Silence.Step, _ terms: Silence.Terms, since: Timestamp, due: Timestamp?,
        _ place: Int, _ turn: inout Turn
    ) {
        let person = people[place]
        var news = SilenceNews(
            person: person.id, device: terms.device, state: .quiet, at: turn.now, since: since,
            maxSilenceSeconds: terms.maxSilenceSeconds,
            isWatched: person.silence.isWatched(at: due ?? turn.now), fix: person.lastFix,
            battery: person.battery)
        let body: EventBody
        switch step {
        case .came(let state):
            news.state = state
            body =
                switch state {
                case .quiet: .silenceQuiet(news)
                case .overdue: .silenceOverdue(news)
                case .lost: .silenceLost(news)
                }
        case .ended(let state, let end):
            (news.state, news.end) = (state, end)
            body = .silenceEnded(news)
        }
        turn.tell(
            body, of: person.id, subject: .id(terms.device),
            cause: due.map { Turn.cause(due: $0) } ?? turn.id.raw)
    }

    /// Somebody on a watch was asked and has not answered.
    private mutating func raise(
        due: Timestamp, of device: DeviceID?, _ place: Int, _ turn: inout Turn
    ) {
        let person = people[place]
        let signal = EmergencySignal(
            id: Silence.signal(of: person.id, due: due), person: person.id, device: device,
            trigger: .lostContact, raised: turn.now, received: turn.now, countdownEnds: turn.now,
            fix: person.lastFix, battery: person.battery, trace: turn.trace)
        let steps = people[place].emergency.raise(signal, at: turn.now, rules: turn.rules)
        // The clock has done what it was there for.
        people[place].silence.clock = nil
        tell(steps, of: people[place], &turn)
    }

    /// For whom an emergency may come of it there is a clock of its own, so that the notifier can
    /// go ahead where no evaluator answers it.
    private mutating func followClock(_ place: Int, _ turn: inout Turn) {
        let asked = people[place].silence.clock
        let wanted = people[place].silence.emergencyDue
        guard asked != wanted else { return }
        people[place].silence.clock = wanted
        for (due, isWanted) in [(asked, false), (wanted, true)] {
            guard let due else { continue }
            let clock = Silence.clock(of: people[place].id, due: due)
            turn.tell(
                isWanted ? .clockWanted(clock) : .clockUnwanted(clock), of: clock.person,
                subject: .id(clock.id), cause: turn.id.raw)
        }
    }
}

extension Silence {
    /// The emergency that comes of a silence, unless one is there already; whoever opens it.
    static func signal(of person: PersonID, due: Timestamp) -> EmergencyID {
        EmergencyID(
            Hash.meaning(
                kind: "signal." + EmergencyTrigger.lostContact.rawValue, person: person,
                subject: .number(due.microseconds), cause: person.raw))
    }

    static func clock(of person: PersonID, due: Timestamp) -> WantedClock {
        let rule = ClockRule.contact
        let signal = signal(of: person, due: due)
        let id = Hash.meaning(
            kind: "clock." + rule.rawValue, person: person, subject: .id(signal),
            cause: person.raw)
        return WantedClock(
            id: ClockID(id), rule: rule, person: person, emergency: signal, due: due)
    }
}
