import Directory
import Hashing
import Model

/// Emergencies from the first signal to the end: escalation, acknowledgement, resolution, fallback.
///
/// Follows the records of evaluators and works without them. Each part owns the one below it, so
/// calls go down only: ``Calls``, ``Endings``, ``Acknowledgements``, ``CircleEscalations``,
/// ``EmergencyBook``.
package struct Escalation: Sendable {
    private var calls: Calls
    /// PINs of people who end their emergency here.
    private var pins = PINChecks()

    private var endings: Endings {
        get { calls.endings }
        _modify { yield &calls.endings }
    }
    private var acknowledgements: Acknowledgements {
        get { calls.endings.acknowledgements }
        _modify { yield &calls.endings.acknowledgements }
    }
    private var circles: CircleEscalations {
        get { calls.endings.acknowledgements.circles }
        _modify { yield &calls.endings.acknowledgements.circles }
    }
    private(set) var book: EmergencyBook {
        get { calls.endings.acknowledgements.circles.book }
        _modify { yield &calls.endings.acknowledgements.circles.book }
    }

    init(from rows: NotifierRows, at now: Timestamp, _ delivery: inout Delivery) {
        let book = EmergencyBook(from: rows, at: now, &delivery)
        let circles = CircleEscalations(from: rows, book, at: now, &delivery)
        calls = Calls(
            endings: Endings(acknowledgements: Acknowledgements(circles: circles)))
    }

    // MARK: Commands

    mutating func acknowledge(_ command: Command, _ delivery: inout Delivery, _ turn: inout Turn) {
        acknowledgements.acknowledge(command, &delivery, &turn)
        keepNote(of: command, &delivery, &turn)
    }

    /// Acknowledges an emergency by SMS.
    mutating func acknowledge(
        _ id: EmergencyID, by person: PersonID, trace: String, _ delivery: inout Delivery,
        _ turn: inout Turn
    ) -> Answer {
        acknowledgements.acknowledge(
            id, by: .person(person), note: nil, trace: trace, &delivery, &turn)
    }

    mutating func withdraw(_ command: Command, _ delivery: inout Delivery, _ turn: inout Turn) {
        acknowledgements.withdraw(command, &delivery, &turn)
    }

    /// Withdraws an acknowledgement by SMS.
    mutating func withdraw(
        _ id: EmergencyID, by person: PersonID, trace: String, _ delivery: inout Delivery,
        _ turn: inout Turn
    ) -> Answer {
        acknowledgements.withdraw(id, by: .person(person), trace: trace, &delivery, &turn)
    }

    mutating func resolve(_ command: Command, _ delivery: inout Delivery, _ turn: inout Turn) {
        endings.resolve(command, &delivery, &turn)
        keepNote(of: command, &delivery, &turn)
    }

    /// Handles the person's confirmation that their emergency is over. Asks for the PIN if one is
    /// set.
    mutating func confirmEnd(_ command: Command, _ delivery: inout Delivery, _ turn: inout Turn) {
        turn.trace = command.trace
        let emergency: Emergency
        switch book.confirmable(command, turn) {
        case .yes(let found): emergency = found
        case .no(let answer): return turn.answer(command, answer)
        }
        switch pins.check(
            command.pin, of: emergency.person, in: turn.directory, at: turn.now)
        {
        case .right: break
        case .duress: openCovert(from: emergency, trace: command.trace, &delivery, &turn)
        case .missing: return turn.answer(command, .pinNeeded)
        case .wrong, .tooMany: return turn.answer(command, .wrongPIN)
        case .wait(let seconds): return turn.answer(command, .tooManyPINs(seconds: seconds))
        }
        endings.confirm(emergency, command, &delivery, &turn)
        turn.answer(command, book.status(of: emergency.id, for: emergency.person, turn))
        keepNote(of: command, &delivery, &turn)
    }

    /// Opens an emergency that its person never sees, before the end that they see.
    ///
    /// Ingest gets it by the stream. One that is open goes on.
    private mutating func openCovert(
        from emergency: Emergency, trace: String, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard book.covert(of: emergency.person) == nil else { return }
        let id = EmergencyID(
            Hash.id(
                "under duress", .id(emergency.id), .number(emergency.endings ?? 0),
                .number(emergency.partialEndings ?? 0)))
        let signal = EmergencySignal(
            id: id, person: emergency.person, trigger: emergency.trigger, raised: turn.now,
            received: turn.now, countdownEnds: turn.now, fix: emergency.fix,
            battery: emergency.battery, note: emergency.note,
            recipients: emergency.onlyRecipients, raisedBy: emergency.raisedBy, trace: trace,
            underDuress: emergency.id)
        turn.publish(
            DerivedID.event(.signalReceived, emergency.person, .id(id)), .signalReceived(signal))
        calls.openCovert(signal, from: emergency.id, &delivery, &turn)
    }

    /// Stores the note of a command that took effect.
    private mutating func keepNote(
        of command: Command, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        let status = turn.effects.lazy.compactMap { effect -> EmergencyStatus? in
            guard case .answer(command.request, .status(let status)) = effect else { return nil }
            return status
        }.first
        guard let text = command.note, let status, status.isYours,
            var emergency = book[status.emergency]
        else { return }
        let note = EmergencyNote(at: turn.now, by: command.principal.person, text: text)
        emergency.notes = ((emergency.notes ?? []) + [note]).suffix(Limits.emergencyNotesMax)
        book.save(emergency, &delivery, &turn)
    }

    /// Reopens the person's emergency after somebody else ended it, in all circles or in some.
    ///
    /// It is a call of the person like any other. Without an evaluator's record of it, the
    /// emergency continues at once under the id of the call, as after a fallback.
    mutating func reopen(_ command: Command, _ delivery: inout Delivery, _ turn: inout Turn) {
        turn.trace = command.trace
        let emergency: Emergency
        switch book.reopenable(command, turn) {
        case .yes(let found): emergency = found
        case .no(let answer): return turn.answer(command, answer)
        }
        let id = EmergencyID(
            Hash.id(
                "reopening", .id(emergency.id), .number(emergency.endings ?? 0),
                .number(emergency.partialEndings ?? 0)))
        let signal = EmergencySignal(
            id: id, person: emergency.person, trigger: .panic, raised: turn.now,
            received: turn.now, countdownEnds: turn.now, fix: emergency.fix,
            battery: emergency.battery, note: command.note, trace: command.trace)
        book.signals.receive(signal, &turn)
        book.signals.openFallback(signal, &turn)
        calls.join(emergency.id, signal: id, FurtherCall(signal), &delivery, &turn)
        guard !emergency.state.isActive, let revived = book[emergency.id] else {
            return turn.answer(command, book.status(of: emergency.id, for: emergency.person, turn))
        }
        let change = EmergencyChange(
            emergency: id, person: signal.person, state: .open, trigger: .panic, signal: id,
            raised: signal.raised, countdownEnds: signal.countdownEnds, fix: signal.fix,
            battery: signal.battery, note: signal.note ?? emergency.note)
        rename(revived, as: change, &delivery, &turn)
        if var renamed = book[id] {
            renamed.isFallback = true
            book.save(renamed, &delivery, &turn)
        }
        if var ended = book[emergency.id] {
            (ended.state, ended.ended) = (emergency.state, emergency.ended)
            ended.endedBy = emergency.endedBy
            book.save(ended, &delivery, &turn)
        }
        turn.answer(command, book.status(of: id, for: emergency.person, turn))
    }

    // MARK: Signals

    /// Receives a signal and schedules the fallback.
    mutating func receive(_ signal: EmergencySignal, _ turn: inout Turn) {
        book.signals.receive(signal, &turn)
    }

    /// Receives a signal: a usual one waits for an evaluator, one under duress opens at once.
    mutating func receive(
        _ signal: EmergencySignal, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard let origin = signal.underDuress else { return receive(signal, &turn) }
        calls.openCovert(signal, from: origin, &delivery, &turn)
    }

    /// Marks a signal as answered by an evaluator and cancels the fallback.
    mutating func markAnswered(_ signal: EmergencyID, _ turn: inout Turn) {
        book.signals.markAnswered(signal, &turn)
    }

    /// Raises the emergency of a person on a watch who did not check in.
    ///
    /// An evaluator may answer it; otherwise the fallback opens the escalation. A late deadline
    /// means that the suite was down, and that time does not count.
    mutating func contactExpired(_ expired: ExpiredDeadline, _ turn: inout Turn) {
        let deadline = expired.deadline
        guard !expired.late, let signal = deadline.emergency else { return }
        receive(
            EmergencySignal(
                id: signal, person: deadline.person, trigger: .lostContact, raised: deadline.due,
                received: deadline.due, countdownEnds: deadline.due, trace: turn.trace), &turn)
    }

    /// Handles a cancelled contact deadline: the person was seen in time, or an intake outage is
    /// suspected.
    mutating func contactCancelled(_ deadline: Deadline, _ turn: inout Turn) {
        guard deadline.kind == .contact, let signal = deadline.emergency else { return }
        markAnswered(signal, &turn)
    }

    /// Applies the last position of a person whose missed deadline raises an emergency.
    mutating func applyPosition(
        _ place: EmergencyPlace, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        book.signals.locate(place, &turn)
        guard book.signals[place.emergency]?.state == .openedByFallback else { return }
        let emergency = book.active(of: place.person)
            .first { book[$0]?.signals.contains(place.emergency) == true }
        guard let emergency else { return }
        book.updatePosition(place.fix, place.battery, of: emergency, &delivery, &turn)
    }

    /// Applies the newest position of a person in an open emergency: later messages name it.
    mutating func applyPosition(
        _ position: FollowedPosition, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        let covert = book.covert(of: position.person).map { [$0.id] } ?? []
        for id in book.active(of: position.person) + covert where book[id]?.state != .countdown {
            book.updatePosition(
                position.fixes.last, position.battery, after: position.fixes.dropLast(), of: id,
                &delivery, &turn)
        }
    }

    /// Applies a cancellation by the person: of a signal before anybody was notified, or of a
    /// fallback emergency that no evaluator knows.
    mutating func applyCancellation(
        _ cancel: EmergencyCancel, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        turn.trace = cancel.trace
        let id = cancel.emergency
        let endsOpen = cancel.endsOpen == true
        book.signals.markAnswered(id, as: .cancelled, &turn)
        guard let emergency = book[id], emergency.person == cancel.person else {
            if endsOpen { endings.publishResolution(by: cancel, &turn) }
            return
        }
        if emergency.state == .countdown, !endsOpen {
            endings.end(id, as: .cancelled, by: cancel.person, &delivery, &turn)
        } else if endsOpen || emergency.isFallback, emergency.state.isActive {
            let later = book.signals.fallbackCalls(of: emergency, after: cancel.received)
                .map(\.id)
            let goesOn = continueAfterEnd(
                id, end: cancel.received, as: .cancelled, by: cancel.person, &delivery, &turn)
            if !goesOn { endings.end(id, as: .cancelled, by: cancel.person, &delivery, &turn) }
            // An evaluator that returns reads the signal first and needs to see its end.
            endings.publishResolution(
                of: emergency, by: cancel.person, trace: cancel.trace,
                signals: emergency.signals.filter { !later.contains($0) }, &turn)
        }
    }

    // MARK: Records of evaluators

    /// Applies a countdown. Nobody is notified yet.
    ///
    /// The fallback deadline keeps running, so the emergency survives a crash of the evaluator.
    mutating func applyCountdown(
        _ change: EmergencyChange, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard book[change.emergency] == nil else {
            return confirmByEvaluator(change.emergency, &delivery, &turn)
        }
        book.save(Emergency(change, trace: turn.trace), &delivery, &turn)
        // No other record schedules the fallback if an evaluator detected the emergency, or if
        // the stores of ingest and of the notifier lost the signal.
        if book.signals[change.emergency]?.signal == nil {
            book.signals.receive(
                EmergencySignal(change, received: min(change.raised, turn.now), trace: turn.trace),
                &turn)
        }
        // Cancelled before. The evaluator reports that next, unless ingest's store lost it.
        guard book.signals[change.emergency]?.state == .cancelled else { return }
        endings.end(change.emergency, as: .cancelled, by: change.person, &delivery, &turn)
    }

    mutating func applyOpened(
        _ change: EmergencyChange, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        markAnswered(change.signal, &turn)
        markAnswered(change.emergency, &turn)
        if let known = book[change.emergency], known.opened != nil {
            book.updatePosition(
                change.fix, change.battery, isSuspect: change.suspect, of: known.id, &delivery,
                &turn)
            confirmByEvaluator(known.id, &delivery, &turn)
            return calls.join(
                known.id, signal: change.signal, FurtherCall(change), &delivery, &turn)
        }
        // An evaluator that opens an emergency again which it has ended has lost that record; a
        // snapshot informs it.
        if let known = book[change.emergency], known.isClosed == true,
            known.signals.contains(change.signal)
        {
            return
        }
        open(
            change, joined: change.signal == change.emergency ? [] : [change.signal], &delivery,
            &turn)
    }

    /// Opens the emergency of an evaluator's record, or continues the fallback for it.
    private mutating func open(
        _ change: EmergencyChange, joined: [EmergencyID], _ delivery: inout Delivery,
        _ turn: inout Turn
    ) {
        if let known = openedByFallback(before: change) {
            return rename(known, as: change, &delivery, &turn)
        }
        var emergency = Emergency(change, trace: turn.trace)
        emergency.joined = joined
        calls.open(emergency, &delivery, &turn)
    }

    /// Applies a further signal of a person in danger.
    mutating func applyJoined(
        _ change: EmergencyChange, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        let (id, signal) = (change.emergency, change.signal)
        markAnswered(signal, &turn)
        if signal != id, book[signal]?.state.isActive ?? false {
            return merge(signal, into: id, &delivery, &turn)
        }
        guard let known = book[id], known.opened != nil else {
            guard change.state != .countdown else { return }
            markAnswered(id, &turn)
            return open(change, joined: [signal], &delivery, &turn)
        }
        confirmByEvaluator(id, &delivery, &turn)
        book.updatePosition(
            change.fix, change.battery, isSuspect: change.suspect, of: id, &delivery, &turn)
        calls.join(id, signal: signal, FurtherCall(change), &delivery, &turn)
    }

    /// Applies a cancellation or resolution.
    mutating func applyEnded(
        _ change: EmergencyChange, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        markAnswered(change.signal, &turn)
        markAnswered(change.emergency, &turn)
        confirmByEvaluator(change.emergency, &delivery, &turn)
        if var emergency = book[change.emergency], emergency.isClosed != true {
            emergency.isClosed = true
            book.save(emergency, &delivery, &turn)
        }
        let state: EmergencyState = change.state == .cancelled ? .cancelled : .resolved
        if let end = turn.cause,
            continueAfterEnd(
                change.emergency, end: end, as: state, by: change.by, &delivery, &turn)
        {
            return
        }
        endings.end(change.emergency, as: state, by: change.by, &delivery, &turn)
    }

    /// Applies an acknowledgement read from a stream. Acknowledgements are committed here, so this
    /// matters only after a restore of the store.
    mutating func applyAcknowledged(
        _ change: EmergencyChange, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        markAnswered(change.emergency, &turn)
        confirmByEvaluator(change.emergency, &delivery, &turn)
        guard let emergency = book[change.emergency], emergency.state == .open,
            emergency.acknowledgementCount == 0
        else { return }
        acknowledgements.commit(change.emergency, by: change.by, &delivery, &turn)
    }

    /// Marks a fallback emergency as known to an evaluator.
    private mutating func confirmByEvaluator(
        _ id: EmergencyID, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard var emergency = book[id], emergency.isFallback else { return }
        emergency.isFallback = false
        book.save(emergency, &delivery, &turn)
    }

    /// Merges a fallback emergency into the one to which its signal belongs.
    ///
    /// Its escalations stop silently and its recipients become recipients of the other. If the
    /// other has ended here, the signal keeps its own escalation; evaluators know the other by this
    /// id, too.
    private mutating func merge(
        _ id: EmergencyID, into other: EmergencyID, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard var emergency = book[id] else { return }
        guard var target = book[other], target.state.isActive else {
            let others = book[other]?.signals ?? [other]
            emergency.joined += others.filter { !emergency.signals.contains($0) }
            return book.save(emergency, &delivery, &turn)
        }
        circles.stop(id, &turn)
        book.deadlines.cancel(emergency.firstAcknowledgement?.deadline, &turn)
        emergency.state = .cancelled
        emergency.ended = turn.now
        book.save(emergency, &delivery, &turn)
        target.recipients = Set(target.recipients + emergency.recipients).sorted()
        let withheld = Set((target.withheld ?? []) + (emergency.withheld ?? []))
        target.withheld = withheld.isEmpty ? nil : withheld.sorted()
        if emergency.isOwnCall { target.joinedOwnCall = true }
        target.joined += emergency.signals.filter { !target.signals.contains($0) }
        let isWidened = target.widen(to: emergency.onlyRecipients)
        book.save(target, &delivery, &turn)
        if isWidened { circles.widen(other, as: .another, &delivery, &turn) }
    }

    // MARK: Renaming

    /// The person's active fallback emergency to which an evaluator's record refers. A person has
    /// one active emergency at a time.
    private func openedByFallback(before change: EmergencyChange) -> Emergency? {
        book.active(of: change.person).compactMap { book[$0] }.first {
            $0.id != change.emergency && $0.opened != nil && !$0.isRecordOnly
                && ($0.isFallback || $0.id == change.signal)
        }
    }

    /// Continues a fallback emergency under the evaluator's id.
    ///
    /// Recipients are not notified again, acknowledgements stay, and escalations continue where
    /// they are.
    private mutating func rename(
        _ old: Emergency, as change: EmergencyChange, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        var emergency = Emergency(old, renamedBy: change, trace: turn.trace)
        acknowledgements.move(from: old, to: &emergency, &turn)
        book.save(emergency, &delivery, &turn)
        delivery.moveMessages(of: old.id, to: emergency.id, &turn)
        circles.move(from: old.id, to: emergency, &turn)
        var ended = old
        ended.state = .cancelled
        ended.ended = turn.now
        ended.clearAcknowledgementDeadlines()
        book.save(ended, &delivery, &turn)
        book.updatePosition(old.fix, old.battery, of: emergency.id, &delivery, &turn)
        book.record(.emergencyOpened, emergency, &turn)
        if old.opened.map({ change.raised > $0 }) ?? false, !old.signals.contains(emergency.id) {
            // The person called again while the first emergency was open, and evaluators lost that
            // one.
            let call = FurtherCall(trigger: change.trigger, raised: change.raised)
            calls.notifyFurtherCall(emergency.id, signal: emergency.id, call, &delivery, &turn)
        } else if emergency.state == .acknowledged {
            book.publishSnapshot(emergency.id, delivery, &turn)
        }
        guard let current = book[emergency.id], current.state.isActive else { return }
        for circle in turn.directory.circles(of: emergency.person)
        where current.escalates(in: circle, turn.directory) {
            circles.start(emergency.id, circle, &delivery, &turn)
        }
        circles.notifyExhaustion(emergency.id, &delivery, &turn)
    }

    /// Keeps an emergency active that ended before a later call joined it here.
    ///
    /// The fallback joined the call because no evaluator answered it. The emergency continues under
    /// the id of that call, and nobody is notified of the earlier end.
    ///
    /// - Returns: true if there is such a call
    private mutating func continueAfterEnd(
        _ id: EmergencyID, end: Timestamp, as state: EmergencyState, by: PersonID?,
        _ delivery: inout Delivery, _ turn: inout Turn
    ) -> Bool {
        guard let old = book[id], old.state.isActive,
            let call = book.signals.fallbackCalls(of: old, after: end).first
        else { return false }
        book.record(state == .cancelled ? .cancelled : .resolved, old, by: by, &turn)
        var change = EmergencyChange(
            emergency: call.id, person: call.person, state: .open, trigger: call.trigger,
            signal: call.id, raised: call.raised, countdownEnds: call.countdownEnds,
            fix: call.fix, battery: call.battery, note: call.note)
        change.recipients = call.recipients
        change.late = Emergency(call).isLate
        turn.trace = call.trace
        rename(old, as: change, &delivery, &turn)
        if var renamed = book[call.id] {
            renamed.isFallback = true
            book.save(renamed, &delivery, &turn)
        }
        if var ended = book[id] {
            ended.state = state
            ended.endedBy = by
            book.save(ended, &delivery, &turn)
        }
        return true
    }

    // MARK: Surroundings

    /// Handles a directory change that adds, removes or makes reachable people of a circle with an
    /// active emergency.
    mutating func directoryChanged(
        _ body: EventBody, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        switch body {
        case .circleChanged, .circleRemoved, .personRemoved:
            endings.circlesChanged(&delivery, &turn)
        default: break
        }
        let changed: [Circle]
        switch body {
        case .circleChanged(let circle): changed = [circle]
        case .personChanged(let person):
            changed = turn.directory.circles(of: person.id).compactMap(turn.directory.circle)
        default: return
        }
        for circle in changed {
            for member in circle.members where member.joined != nil {
                let covert = book.covert(of: member.person).map { [$0.id] } ?? []
                for id in book.active(of: member.person) + covert {
                    circles.extend(id, circle.id, &delivery, &turn)
                }
            }
        }
    }

    /// Publishes active and recently ended emergencies, so that replayed records do not reopen
    /// ended ones.
    ///
    /// - Parameter partition: nil = all partitions
    mutating func publishSnapshots(
        of partition: Partition?, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        func isConcerned(_ person: PersonID) -> Bool {
            partition.map { $0 == Partition.of(person) } ?? true
        }
        let known = book.all.filter { isConcerned($0.person) }.sorted { $0.id < $1.id }
        // Nobody else may know of an emergency that opens after its countdown.
        for emergency in known where emergency.state == .countdown {
            turn.trace = emergency.trace
            receive(book.signals.signal(emergency.id, of: emergency), &turn)
        }
        let waiting = book.signals.waiting.filter { isConcerned($0.person) }
        for signal in waiting.sorted(by: { $0.id < $1.id }) {
            turn.trace = signal.trace
            book.publishSnapshot(of: signal, &turn)
        }
        // Renamed emergencies are covered by the snapshot of their new id.
        let renamed = Set(known.flatMap { one in one.joined.filter { $0 != one.id } })
        for var emergency in known where emergency.state != .countdown {
            if emergency.state.isActive {
                emergency.isFallback = true
                book.save(emergency, &delivery, &turn)
            } else if renamed.contains(emergency.id) {
                continue
            }
            book.publishSnapshot(emergency.id, delivery, &turn)
        }
    }

    /// Handles what happened to messages about emergencies.
    mutating func handleEvents(of delivery: inout Delivery, _ turn: inout Turn) {
        for event in delivery.popEvents() {
            switch event {
            case .rejected(let notification, let replacements):
                circles.replace(notification, by: replacements, &delivery, &turn)
            case .held(let id):
                guard var emergency = book[id] else { continue }
                emergency.isHeld = true
                book.save(emergency, &delivery, &turn)
            }
        }
    }

    // MARK: Time

    /// When the next deadline expires here; nil = none is scheduled.
    var nextDue: Timestamp? {
        [book.deadlines.nextDue, book.signals.deadlines.nextDue].compactMap(\.self).min()
    }

    /// Handles a deadline that the timer reported as expired.
    mutating func deadlineExpired(
        _ id: DeadlineID, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        if let entry = book.signals.popExpired(id, at: turn.now) {
            calls.expire(entry, &delivery, &turn)
        }
        if let entry = book.deadlines.popExpired(id, at: turn.now) {
            acknowledgements.expire(entry, &delivery, &turn)
        }
    }

    /// Expires deadlines that the timer should have reported, the earliest first.
    mutating func expireDeadlines(_ delivery: inout Delivery, _ turn: inout Turn) {
        var fallbacks = book.signals.popOverdue(at: turn.now)[...]
        for (due, entry) in book.deadlines.popOverdue(at: turn.now) {
            while let first = fallbacks.first, first.due <= due {
                calls.expire(fallbacks.removeFirst().entry, &delivery, &turn)
            }
            acknowledgements.expire(entry, &delivery, &turn)
        }
        for (_, entry) in fallbacks { calls.expire(entry, &delivery, &turn) }
    }

    /// Removes ended emergencies and old signals from memory.
    mutating func sweep(_ delivery: inout Delivery, _ turn: inout Turn) {
        circles.sweep(&delivery, &turn)
    }

    // MARK: Outage hold

    /// Summaries of held items, the earliest due first.
    func heldSummaries(_ delivery: Delivery) -> [HeldSummary] {
        let whole = book.all.filter { $0.isHeld == true }
            .map { circles.heldSummary(of: $0, delivery) }
        let calls = book.signals.held.filter { book[$0.id]?.isHeld != true }.map { signal in
            HeldSummary(
                item: .emergency(signal.id), person: signal.person, due: signal.raised,
                reason: signal.trigger.rawValue)
        }
        return (whole + calls + delivery.heldSummaries)
            .sorted { ($0.due, $0.item) < ($1.due, $1.item) }
    }

    /// When the hold ends; nil if nothing is held.
    func holdEnds(_ delivery: Delivery) -> Timestamp? {
        let holdsAnything =
            !book.deadlines.held.isEmpty || !book.signals.deadlines.held.isEmpty
            || book.all.contains { $0.isHeld == true } || delivery.holdsAnything
        return holdsAnything ? delivery.hold.active?.holdEnds : nil
    }

    /// Releases everything when the hold ends.
    mutating func endHold(_ delivery: inout Delivery, _ turn: inout Turn) {
        // Once it has ended, nothing is checked again.
        guard delivery.hold.end(at: turn.now) != nil else { return }
        release(heldSummaries(delivery).map(\.item), &delivery, &turn)
    }

    /// Releases the emergencies of a person who calls for help now, or an emergency that ends now.
    mutating func endHold(for event: Event, _ delivery: inout Delivery, _ turn: inout Turn) {
        guard let outage = delivery.hold.outage, !outage.covers(event.time) else { return }
        let person: PersonID
        switch event.body {
        case .sosRaised(let signal), .watchExpired(let signal):
            guard !outage.covers(signal.received) else { return }
            person = signal.person
        case .emergencyOpened(let change), .emergencyJoined(let change): person = change.person
        case .emergencyCancelled(let change), .emergencyResolved(let change):
            return circles.releaseAnswered(change.emergency, &delivery, &turn)
        case .sosCancelled(let cancel):
            // An emergency opened by evaluators does not end by a cancelled signal.
            guard let emergency = book[cancel.emergency], emergency.person == cancel.person,
                emergency.state == .countdown || emergency.isFallback
            else { return }
            return circles.releaseAnswered(emergency.id, &delivery, &turn)
        default: return
        }
        acknowledgements.releaseEnds(of: person, &delivery, &turn)
        for id in book.active(of: person) { acknowledgements.release(id, &delivery, &turn) }
    }

    /// Releases held items for the operator.
    mutating func release(_ items: [HeldItem], _ delivery: inout Delivery, _ turn: inout Turn) {
        for item in items.sorted() {
            switch item {
            case .message(let id): delivery.release(id, &turn)
            case .emergency(let id):
                acknowledgements.release(id, &delivery, &turn)
                if book.signals.endHold(of: id) { calls.fallBack(id, &delivery, &turn) }
            }
        }
    }

    /// Drops held messages, and ends held emergencies silently for unreached recipients.
    mutating func drop(_ items: [HeldItem], _ delivery: inout Delivery, _ turn: inout Turn) {
        for item in items.sorted() {
            switch item {
            case .message(let id): delivery.drop(id, &turn)
            case .emergency(let id):
                if book.signals.endHold(of: id), book.signals.isWaiting(id) {
                    book.signals.markAnswered(id, as: .cancelled, &turn)
                }
                endings.drop(id, &delivery, &turn)
            }
        }
    }

    // MARK: Overview

    /// Number of active emergencies in a state.
    package func count(in state: EmergencyState) -> Int {
        book.active.filter { $0.state == state }.count
    }

    /// Active emergencies, newest first.
    package var active: [Emergency] {
        book.active.sorted { ($1.raised, $1.id.description) < ($0.raised, $0.id.description) }
    }

    /// Emergencies that have been unacknowledged for too long, newest first.
    package func unacknowledged(at now: Timestamp) -> [EmergencyID] {
        active.filter { emergency in
            let since = emergency.reopened ?? emergency.opened ?? emergency.raised
            return emergency.state == .open && now - since >= Limits.unacknowledgedAlarmAge
        }.map(\.id)
    }

    /// An active or recently ended emergency.
    package func emergency(_ id: EmergencyID) -> Emergency? { book[id] }

    /// Since when the oldest unacknowledged emergency has been open; nil = none.
    package var oldestOpen: Timestamp? {
        book.active.filter { $0.state == .open }
            .map { $0.reopened ?? $0.opened ?? $0.raised }.min()
    }
}
