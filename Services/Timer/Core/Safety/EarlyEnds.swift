import Directory
import Model

/// Ends waits before they expire: with the person's PIN, or by an answer that another service
/// checked.
struct EarlyEnds: Sendable {
    private var pins = PINChecks()

    mutating func startWatch(_ start: WatchStart, _ waits: inout Waits, _ turn: inout Turn) {
        if let running = waits.watches.replaced(by: start, at: turn.now),
            let rejection = rejection(of: start.pin, toEnd: running, &waits, &turn)
        {
            return turn.emit(.respond(start.request, .rejected(.pin(rejection))))
        }
        waits.watches.start(start, &turn)
    }

    mutating func closeWatch(
        _ id: WatchID, as closing: WatchClosing, _ pin: PINEntry, _ waits: inout Waits,
        _ turn: inout Turn
    ) -> WatchResult {
        guard let running = waits.watches[id] else { return .rejected(.over) }
        if let rejection = rejection(of: pin, toEnd: running, &waits, &turn) {
            return .rejected(.pin(rejection))
        }
        return waits.watches.close(id, as: closing, &turn)
    }

    /// Why a watch may not be ended; nil = it may. After five wrong PINs it is an emergency.
    private mutating func rejection(
        of pin: PINEntry, toEnd timed: TimedWatch, _ waits: inout Waits, _ turn: inout Turn
    ) -> PINRejection? {
        let (rejection, isTooMany) = check(pin, for: SafetyQuestion(timed.watch), &waits, &turn)
        if isTooMany { waits.expired(waits.watches.expireNow(timed.watch.id, &turn), &turn) }
        return rejection
    }

    /// Why a schedule may not be changed; nil = it may. After five wrong PINs its open check-in is
    /// an emergency.
    mutating func rejection(
        of pin: PINEntry, toChange id: CheckInScheduleID, _ waits: inout Waits, _ turn: inout Turn
    ) -> PINRejection? {
        guard let row = waits.checkIns[id] else { return nil }
        let (rejection, isTooMany) = check(pin, for: SafetyQuestion(row), &waits, &turn)
        if isTooMany { waits.expired(waits.checkIns.expire(id, &turn), &turn) }
        return rejection
    }

    /// Checks a PIN. The duress PIN is accepted like the right one, and raises an emergency that
    /// its person never sees.
    private mutating func check(
        _ pin: PINEntry, for question: SafetyQuestion, _ waits: inout Waits, _ turn: inout Turn
    ) -> (rejection: PINRejection?, isTooMany: Bool) {
        guard case .entered(let digits) = pin else { return (nil, false) }
        switch pins.check(digits, of: question.person, in: turn.directory, at: turn.now) {
        case .right: return (nil, false)
        case .duress:
            waits.raiseUnderDuress(question, &turn)
            return (nil, false)
        case .missing: return (.needed, false)
        case .wrong: return (.wrong, false)
        case .tooMany: return (.wrong, true)
        case .wait(let seconds): return (.wait(seconds: seconds), false)
        }
    }

    /// Applies an answer that another service received and checked.
    func apply(_ answer: SafetyAnswer, _ waits: inout Waits, _ turn: inout Turn) {
        let person = answer.person
        // An old answer is not about a new watch. Clocks of services differ a little.
        let latest = answer.at + .seconds(Limits.clockSkewSeconds)
        let running = answer.coversWatch ? waits.watches.running(of: person) : nil
        let watch = running.flatMap { $0.watch.started <= latest ? $0 : nil }
        let open = waits.checkIns.open(of: person, answeredAt: answer.at)
        switch answer.outcome {
        case .wrongPINs:
            if let watch { waits.expired(waits.watches.expireNow(watch.watch.id, &turn), &turn) }
            for row in open { waits.expired(waits.checkIns.expire(row.schedule.id, &turn), &turn) }
            return
        case .underDuress:
            let question =
                watch.map { SafetyQuestion($0.watch) } ?? open.first.map { SafetyQuestion($0) }
            waits.raiseUnderDuress(question ?? SafetyQuestion(answer), &turn)
        case .safe: break
        }
        if let watch { _ = waits.watches.close(watch.watch.id, as: .end, &turn) }
        for row in open { waits.checkIns.close(row.schedule.id, as: .answered, &turn) }
    }
}
