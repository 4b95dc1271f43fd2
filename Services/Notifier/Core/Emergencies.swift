import Hashing
import Model

// The life of an emergency as evaluators decide it, or as it goes on here without them.
extension Notifier {
    /// Counting down: nobody is told, and the fallback goes on waiting: an evaluator that dies now
    /// must not take the emergency along.
    mutating func countdown(_ news: EmergencyNews, _ turn: inout Turn) {
        guard emergencies[news.emergency] == nil else { return confirm(news.emergency, &turn) }
        keep(Emergency(news, trace: turn.trace), &turn)
        // Taken back before: evaluators say so next, unless ingest's store lost it meanwhile.
        guard signals[news.emergency]?.state == .cancelled else { return }
        end(news.emergency, as: .cancelled, by: news.person, &turn)
    }

    mutating func opened(_ news: EmergencyNews, _ turn: inout Turn) {
        answered(news.signal, &turn)
        answered(news.emergency, &turn)
        if let known = emergencies[news.emergency], known.opened != nil {
            absorb(news.fix, news.battery, into: news.emergency, &turn)
            confirm(news.emergency, &turn)
            return join(news.emergency, signal: news.signal, FurtherCall(news), &turn)
        }
        if isClosed(news) { return }
        if let known = adopted(before: news) { return rename(known, as: news, &turn) }
        var emergency = Emergency(news, trace: turn.trace)
        if news.signal != news.emergency { emergency.joined = [news.signal] }
        open(emergency, &turn)
    }

    /// Whether evaluators have told of its end before: one that opens it since has lost that, and
    /// hears of it.
    private func isClosed(_ news: EmergencyNews) -> Bool {
        guard let known = emergencies[news.emergency], known.isClosed == true else { return false }
        return known.signals.contains(news.signal)
    }

    /// A further signal of somebody in danger.
    mutating func joined(_ news: EmergencyNews, _ turn: inout Turn) {
        let (id, signal) = (news.emergency, news.signal)
        answered(signal, &turn)
        if signal != id, emergencies[signal]?.state.isActive ?? false {
            return fold(signal, into: id, &turn)
        }
        guard let known = emergencies[id], known.opened != nil else {
            guard news.state != .countdown else { return }
            answered(id, &turn)
            if let known = adopted(before: news) { return rename(known, as: news, &turn) }
            var emergency = Emergency(news, trace: turn.trace)
            emergency.joined = [signal]
            return open(emergency, &turn)
        }
        confirm(id, &turn)
        absorb(news.fix, news.battery, into: id, &turn)
        join(id, signal: signal, FurtherCall(news), &turn)
    }

    /// Cancelled or resolved.
    mutating func ended(_ news: EmergencyNews, _ turn: inout Turn) {
        answered(news.signal, &turn)
        answered(news.emergency, &turn)
        confirm(news.emergency, &turn)
        close(news.emergency, &turn)
        let state: EmergencyState = news.state == .cancelled ? .cancelled : .resolved
        if let end = turn.cause,
            outlives(news.emergency, end: end, as: state, by: news.by, &turn)
        {
            return
        }
        end(news.emergency, as: state, by: news.by, &turn)
    }

    /// Acknowledgements are given here, so that this is news only to a store that was put back.
    mutating func acknowledgedElsewhere(_ news: EmergencyNews, _ turn: inout Turn) {
        answered(news.emergency, &turn)
        confirm(news.emergency, &turn)
        guard let emergency = emergencies[news.emergency], emergency.state == .open,
            emergency.takings == 0
        else { return }
        take(news.emergency, by: news.by, &turn)
    }

    /// Begins to tell people.
    mutating func open(_ emergency: Emergency, _ turn: inout Turn) {
        var emergency = emergency
        emergency.state = .open
        emergency.opened = turn.now
        emergency.isHeld = emergency.isHeld ?? isHeldWhenOpened(turn)
        if emergency.isHeld != true { endHold(ofEndsOf: emergency.person, &turn) }
        emergency.isRecordOnly =
            emergency.isLate && turn.now - emergency.raised > Limits.ladderSignalAgeMax
        keep(emergency, &turn)
        let kind: TimelineKind =
            emergency.isRecordOnly
            ? .emergencyRecorded : emergency.isAdopted ? .emergencyAdopted : .emergencyOpened
        record(kind, emergency, &turn)
        if emergency.isRecordOnly { return tellOnce(emergency.id, &turn) }
        let wait = recallWait(of: emergency, turn)
        for circle in turn.directory.circles(of: emergency.person) {
            startLadder(emergency.id, circle, after: wait, &turn)
        }
        noticeStandstill(emergency.id, &turn)
    }

    /// How long messages about a new emergency wait, because its person called for help and ended
    /// that again and again. The emergency itself is open all the same.
    private func recallWait(of emergency: Emergency, _ turn: Turn) -> Duration {
        let before = emergencies.values.filter {
            $0.person == emergency.person && $0.id != emergency.id && !$0.told.isEmpty
                && $0.endedBy == emergency.person
                && $0.opened.map { turn.now - $0 < Limits.recallWindow } ?? false
        }
        let beyond = before.count - Limits.recallsFree + 1
        guard beyond > 0 else { return .zero }
        let last = before.flatMap { notificationsOf[$0.id, default: []] }
            .compactMap { notifications[$0] }
            .filter { $0.reason.isAlarm && $0.recipient != emergency.person }
            .map(\.created).max()
        guard let last else { return .zero }
        let spacing = min(Limits.recallWait * Int64(beyond), Limits.recallWaitMax)
        return max(.zero, last + spacing - turn.now)
    }

    /// A further trigger of somebody in danger: everyone told hears of it, and who had taken it is
    /// not alone with it any more.
    mutating func join(
        _ id: EmergencyID, signal: EmergencyID, _ call: FurtherCall, _ turn: inout Turn
    ) {
        guard var emergency = emergencies[id], signal != id, !emergency.joined.contains(signal)
        else { return }
        emergency.joined.append(signal)
        if emergency.joined.count > Limits.joinedMax { emergency.joined.removeFirst() }
        keep(emergency, &turn)
        calledAgain(id, signal: signal, call, &turn)
    }

    /// Everyone told hears of a further trigger that is known to be one.
    mutating func calledAgain(
        _ id: EmergencyID, signal: EmergencyID, _ call: FurtherCall, _ turn: inout Turn
    ) {
        endHold(of: id, calledBy: signal, &turn)
        guard var emergency = emergencies[id] else { return }
        // Past evaluators it comes with everything, from whichever of the two is heard first.
        let call = signals[signal]?.signal.map { FurtherCall($0) } ?? call
        let wasEnded = forgetCircleEnds(of: id, &turn)
        emergency.circleEnds = nil
        let wasTaken = emergency.state == .acknowledged || wasEnded
        let isSaid = !wasTaken && emergency.hasJustRepeated(at: turn.now)
        emergency.latest = call
        if call.trigger?.isOwnCall == true { emergency.joinedOwnCall = true }
        keep(emergency, &turn)
        guard emergency.state.isActive, !emergency.isRecordOnly else {
            return revive(id, &turn)
        }
        if isSaid {
            let decisions = emergency.told.map {
                NotifyDecision(recipient: $0, reason: .alreadyTold)
            }
            return record(.pressedAgain, emergency, decisions: decisions, &turn)
        }
        if wasTaken {
            reopen(id, as: call.repetition, &turn)
            noticeStandstill(id, &turn)
        }
        let pass = Meaning.pass(id, round: (ladders[id]?.map(\.round).max() ?? 0))
        let scope = Meaning.news(id, .pressedAgain, cause: signal.raw)
        let decisions = emergency.told.map { person in
            let isTold = notificationsOf[id, default: []].contains {
                notifications[$0]?.recipients.contains(person) == true
                    && notifications[$0]?.scope == pass
            }
            if wasTaken, isTold {
                return NotifyDecision(recipient: person, reason: .alreadyTold)
            }
            let telling = tellAlarm(
                id, to: person, call.repetition, reason: .pressedAgain, scope: scope, &turn)
            return NotifyDecision(recipient: person, reason: telling.reason)
        }
        // What joined an older message that still waits was not said.
        if decisions.contains(where: \.reason.isTold), var emergency = emergencies[id] {
            emergency.repeated = turn.now
            keep(emergency, &turn)
        }
        record(.pressedAgain, emergency, decisions: decisions, &turn)
    }

    /// A new trigger of what is over here, or was told as a record only: it begins again in full.
    private mutating func revive(_ id: EmergencyID, _ turn: inout Turn) {
        guard var emergency = emergencies[id] else { return }
        let opening = emergency.latest?.repetition ?? .another
        emergency.raised = turn.now
        emergency.isLate = false
        emergency.isRecordOnly = false
        emergency.nobodyTold = false
        emergency.ended = nil
        emergency.endedBy = nil
        emergency.circleEnds = nil
        keep(emergency, &turn)
        withdrawEnds(of: id, &turn)
        record(.pressedAgain, emergency, &turn)
        reopen(id, as: opening, &turn)
        for circle in turn.directory.circles(of: emergency.person) {
            startLadder(id, circle, as: opening, &turn)
        }
        noticeStandstill(id, &turn)
    }

    /// A newer place is the one to tell.
    mutating func absorb(
        _ fix: Fix?, _ battery: UInt8?, into id: EmergencyID, _ turn: inout Turn
    ) {
        guard var emergency = emergencies[id], let fix,
            emergency.fix.map({ $0.time < fix.time }) ?? true
        else { return }
        emergency.fix = fix
        emergency.battery = battery ?? emergency.battery
        keep(emergency, &turn)
    }

    /// Nobody responds any more: escalations begin again with their first tier.
    ///
    /// - Parameter running: circles whose escalation never stopped; it goes on as it is
    mutating func reopen(
        _ id: EmergencyID, as opening: Repetition, besides running: [CircleID] = [],
        _ turn: inout Turn
    ) {
        guard var emergency = emergencies[id] else { return }
        for taken in emergency.acknowledgements { unwant(taken.clock, &turn) }
        emergency.taken = nil
        emergency.furtherTaken = nil
        emergency.state = .open
        emergency.reopened = turn.now
        emergency.notifiedSince = nil
        emergency.isClosed = nil
        keep(emergency, &turn)
        announce(id, &turn)
        if emergency.isRecordOnly { return }
        restartLadders(id, as: opening, besides: running, &turn)
    }

    /// Escalations begin again where nobody responds and nobody has ended it.
    mutating func restartLadders(
        _ id: EmergencyID, as opening: Repetition, besides running: [CircleID], _ turn: inout Turn
    ) {
        guard let emergency = emergencies[id] else { return }
        let round = (ladders[id]?.map(\.round).max() ?? 0) + 1
        let circles = ladders[id, default: []].map(\.circle).filter {
            !running.contains($0) && emergency.escalates(in: $0, turn.directory)
        }
        for index in ladders[id, default: []].indices
        where circles.contains(ladders[id, default: []][index].circle) {
            ladders[id]?[index].restart(round: round, opening: opening)
        }
        for circle in circles { climb(id, circle, &turn) }
    }

    /// It is over: everyone told hears how, once, and nothing older is sent any more.
    ///
    /// - Parameter isDropped: before anybody heard of it: then nobody does
    mutating func end(
        _ id: EmergencyID, as state: EmergencyState, by: PersonID?, isDropped: Bool = false,
        _ turn: inout Turn
    ) {
        if turn.cause == nil { endHold(ofTaken: id, &turn) }
        let isDropped = dropEndedMeanwhile(id, &turn) || isDropped
        guard var emergency = emergencies[id], emergency.state.isActive else { return }
        let wasCounting = emergency.state == .countdown
        // Those for whom it had ended before have heard so.
        let stillTold = emergency.told.filter { emergency.goesOn(for: $0, in: turn.directory) }
        emergency.circleEnds = nil
        for taken in emergency.acknowledgements { unwant(taken.clock, &turn) }
        emergency.stopHolds()
        emergency.state = state
        emergency.ended = turn.now
        emergency.endedBy = by
        let endings = (emergency.endings ?? 0) + 1
        emergency.endings = endings
        keep(emergency, &turn)
        stopLadders(id, &turn)
        if wasCounting { return }
        supersede(id, &turn)
        let scope = Meaning.news(id, .standDown, cause: Hash.id("ending", .number(endings)))
        let name = by.flatMap { turn.directory.person($0)?.name }
        let saying = Saying.ended(cancelled: state == .cancelled, by: name)
        var decisions = stillTold.map {
            tellNews(id, to: $0, saying, reason: .standDown, scope: scope, &turn)
        }
        let isKnown = !isDropped || !emergency.told.isEmpty
        if state == .resolved, by != emergency.person, isKnown {
            decisions.append(
                askPerson(
                    id, by: name, circles: nil, cause: Hash.id("ending", .number(endings)), &turn))
        }
        record(
            state == .cancelled ? .cancelled : .resolved, emergency, by: by, decisions: decisions,
            &turn)
    }

    /// Keeps an emergency, and the list of those that are not over.
    mutating func keep(_ emergency: Emergency, _ turn: inout Turn) {
        emergencies[emergency.id] = emergency
        var active = activeOf[emergency.person, default: []]
        if !emergency.state.isActive {
            active.removeAll { $0 == emergency.id }
        } else if !active.contains(emergency.id) {
            active.append(emergency.id)
        }
        activeOf[emergency.person] = active.isEmpty ? nil : active
        turn.save(.emergency(emergency))
    }

    /// An evaluator says that it is over.
    private mutating func close(_ id: EmergencyID, _ turn: inout Turn) {
        guard var emergency = emergencies[id], emergency.isClosed != true else { return }
        emergency.isClosed = true
        keep(emergency, &turn)
    }

    /// An evaluator knows of it too.
    private mutating func confirm(_ id: EmergencyID, _ turn: inout Turn) {
        guard var emergency = emergencies[id], emergency.isAdopted else { return }
        emergency.isAdopted = false
        keep(emergency, &turn)
    }

    /// A signal for which a ladder was opened here turns out to belong to another emergency: its
    /// ladder stops without a word, and whoever it told belongs to the other. If that is over here,
    /// the signal keeps its own ladder; evaluators know the other by this name too.
    private mutating func fold(
        _ id: EmergencyID, into other: EmergencyID, _ turn: inout Turn
    ) {
        guard var emergency = emergencies[id] else { return }
        guard var target = emergencies[other], target.state.isActive else {
            let others = emergencies[other]?.signals ?? [other]
            emergency.joined += others.filter { !emergency.signals.contains($0) }
            return keep(emergency, &turn)
        }
        stopLadders(id, &turn)
        unwant(emergency.taken?.clock, &turn)
        emergency.state = .cancelled
        emergency.ended = turn.now
        keep(emergency, &turn)
        target.told = Set(target.told + emergency.told).sorted()
        if emergency.isOwnCall { target.joinedOwnCall = true }
        target.joined += emergency.signals.filter { !target.signals.contains($0) }
        keep(target, &turn)
    }
}
