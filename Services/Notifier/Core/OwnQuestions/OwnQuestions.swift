import Directory
import Hashing
import Model

/// Questions to people about their own watches and check-ins, and their answers by link and SMS.
///
/// PINs are checked here and go no further. The timer ends what was answered. The duress PIN has
/// the same answers as the right one.
package struct OwnQuestions: Sendable {
    /// Path of the pages, before the token.
    package static let path = "/q/"

    private let secret: [UInt8]
    private var rows: [LinkHash: OwnQuestion]
    private var pins = PINChecks()

    init(_ rows: [OwnQuestion], secret: [UInt8]) {
        self.secret = secret
        self.rows = Dictionary(rows.map { ($0.hash, $0) }) { _, last in last }
    }

    /// Finds the question of a link; nil = the link is not valid.
    package subscript(link: LinkHash) -> OwnQuestion? { rows[link] }

    // MARK: Watches

    /// Applies a change of a watch: opens or closes the question of its reminder.
    mutating func apply(_ watch: Watch, _ turn: inout Turn) {
        let subject = OwnQuestion.Subject.watch(watch.id)
        switch watch.state {
        case .active: guard rows[hash(of: subject, to: watch.person)] != nil else { return }
        case .reminded: break
        case .ended, .arrived, .cancelled, .expired:
            return close(subject, of: watch.person, isExpired: watch.state == .expired, &turn)
        }
        save(
            OwnQuestion(
                hash: hash(of: subject, to: watch.person), person: watch.person, subject: subject,
                due: watch.deadline,
                alarmAt: watch.deadline + .seconds(watch.graceSeconds)), &turn)
    }

    // MARK: Check-ins

    /// Applies a change of a check-in: asks its person on every channel, or closes the question.
    mutating func apply(_ checkIn: CheckIn, _ delivery: inout Delivery, _ turn: inout Turn) {
        let subject = OwnQuestion.Subject.checkIn(checkIn.id)
        let person = checkIn.person
        turn.trace = checkIn.trace
        guard checkIn.state.isOpen else {
            delivery.closeQuestions(to: person, as: .checkInDue, &turn)
            return close(subject, of: person, isExpired: checkIn.state == .expired, &turn)
        }
        let question = OwnQuestion(
            hash: hash(of: subject, to: person), person: person, subject: subject,
            due: checkIn.due, alarmAt: checkIn.expires)
        // Streams may be read again.
        if rows[question.hash].map({ $0.state != .open }) ?? false { return }
        save(question, &turn)
        var plan = DeliveryPlan(
            reason: .checkInDue, severity: .safety,
            scope: EventID(
                Hash.id("check-in", .id(checkIn.id), .text(checkIn.state.rawValue))))
        plan.person = person
        plan.channels = nil
        plan.expires = checkIn.expires
        plan.question = checkIn.id.raw
        let content = NoticeContent.checkInDue(
            name: checkIn.name, due: checkIn.due, alarmAt: checkIn.expires,
            asksPIN: turn.directory.asksPIN(of: person))
        _ = delivery.notify(person, content, plan, &turn)
    }

    /// Notifies the owner of a timer that it ran out.
    func apply(_ timer: PersonTimer, _ delivery: inout Delivery, _ turn: inout Turn) {
        var plan = DeliveryPlan(
            reason: .timerExpired, severity: .safety,
            scope: EventID(
                Hash.id("timer", .id(timer.person), .number(timer.due.microseconds))))
        turn.trace = timer.trace
        plan.person = timer.person
        plan.expires = turn.now + Limits.timerAgeMax
        let due = timer.late ? timer.due : nil
        _ = delivery.notify(timer.person, .timeUp(timer.text, due: due), plan, &turn)
    }

    // MARK: Answers by link

    mutating func answer(_ command: QuestionCommand, _ turn: inout Turn) {
        turn.trace = command.trace
        turn.emit(
            .answerPage(request: command.request, outcome(of: command, &turn)))
    }

    private mutating func outcome(
        of command: QuestionCommand, _ turn: inout Turn
    ) -> QuestionOutcome {
        guard let question = rows[command.link], question.state == .open else { return .closed }
        let person = question.person
        switch (command.action, question.subject) {
        case (.extend(let minutes), .watch(let watch)):
            guard (1...Limits.extensionMinutesMax).contains(minutes) else { return .closed }
            turn.publish(
                DerivedID.event(.watchCommandReceived, person, .id(command.id)),
                .watchCommandReceived(
                    WatchCommand(
                        person: person, watch: watch, action: .extend, seconds: minutes * 60,
                        at: turn.now, trace: command.trace)))
            return .extended
        case (.extend, .checkIn): return .closed
        case (.safe(let pin), let subject):
            if subject.isWatch, !turn.directory.asksPIN(of: person) { return .inApp }
            switch confirm(
                person, pin: pin, coversWatch: subject.isWatch, id: command.id, &turn)
            {
            case .right, .duress: return .safe
            case .missing: return .pinNeeded
            case .wrong, .tooMany, .wait: return .wrongPIN
            }
        }
    }

    // MARK: Answers by SMS

    /// Handles OK, without a reference, of somebody who was asked at this number.
    ///
    /// - Returns: false if nobody, or not exactly one person, was asked
    mutating func confirm(
        by reply: Reply, _ delivery: inout Delivery, _ turn: inout Turn
    ) -> Bool {
        guard let person = asked(at: reply.sender, since: .zero, delivery) else { return false }
        let verdict = confirm(person, pin: nil, coversWatch: false, id: reply.id, &turn)
        if verdict == .missing { answer(reply, .pinNeeded, of: person, &delivery, &turn) }
        return true
    }

    /// Handles SAFE of somebody with a running watch or an open question, who has this number.
    mutating func handleSafe(
        pin: String?, by reply: Reply, _ ownWatches: OwnWatches, _ delivery: inout Delivery,
        _ turn: inout Turn
    ) {
        let people = turn.directory.sortedPeople.filter { $0.hasVerified(reply.sender) }
        let recent = turn.now - Limits.contactQuestionAgeMax
        let wasAsked = asked(at: reply.sender, since: recent, delivery)
        let concerned = people.filter { person in
            ownWatches.running(of: person.id) != nil || hasOpenCheckIn(person.id)
                || person.id == wasAsked
        }
        // With two, it is not known which of them replied.
        guard concerned.count == 1, let person = concerned.first?.id else {
            guard let first = people.first else { return }
            return Replies().answer(reply, .watch(.none), of: first, &delivery, &turn)
        }
        let isAsked = hasOpenCheckIn(person) || person == wasAsked
        let watch = ownWatches.running(of: person)
        let coversWatch = watch.map { $0.state == .reminded || !isAsked } ?? false
        let hasPIN = turn.directory.asksPIN(of: person)
        if !hasPIN, !isAsked { return answer(reply, .inApp, of: person, &delivery, &turn) }
        let verdict = confirm(
            person, pin: hasPIN ? pin : nil, coversWatch: coversWatch && hasPIN, id: reply.id,
            &turn)
        switch verdict {
        case .right, .duress: answer(reply, .noted, of: person, &delivery, &turn)
        case .missing: answer(reply, .pinNeeded, of: person, &delivery, &turn)
        case .wrong, .tooMany, .wait: answer(reply, .wrongPIN, of: person, &delivery, &turn)
        }
    }

    /// The one person who was asked at a number whether they are OK; nil = nobody, or several.
    ///
    /// - Parameter start: questions about a silent phone count from then on; those about a check-in
    ///   count while it is open
    private func asked(
        at number: String, since start: Timestamp, _ delivery: Delivery
    ) -> PersonID? {
        let asked = delivery.book.all.filter { message in
            guard message.address == number, message.attempts > 0,
                let recipient = message.recipient
            else { return false }
            return message.reason == .checkInRequested && message.created >= start
                || message.reason == .checkInDue && hasOpenCheckIn(recipient)
        }
        let people = Set(asked.compactMap(\.recipient))
        return people.count == 1 ? people.first : nil
    }

    private func hasOpenCheckIn(_ person: PersonID) -> Bool {
        rows.values.contains {
            $0.person == person && $0.state == .open && !$0.subject.isWatch
        }
    }

    private func answer(
        _ reply: Reply, _ content: SafetyReply, of person: PersonID, _ delivery: inout Delivery,
        _ turn: inout Turn
    ) {
        Replies().answer(
            reply, .safety(content), of: turn.directory.person(person), isUrgent: true, &delivery,
            &turn)
    }

    // MARK: PINs

    /// Checks a PIN, and publishes that the person is safe or that too many PINs were wrong.
    private mutating func confirm(
        _ person: PersonID, pin: String?, coversWatch: Bool, id: ID128, _ turn: inout Turn
    ) -> PINVerdict {
        let verdict = pins.check(pin, of: person, in: turn.directory, at: turn.now)
        let outcome: SafetyAnswer.Outcome
        switch verdict {
        case .right: outcome = .safe
        case .duress: outcome = .underDuress
        case .tooMany: outcome = .wrongPINs
        case .missing, .wrong, .wait: return verdict
        }
        let answer = SafetyAnswer(
            person: person, outcome: outcome, coversWatch: coversWatch, at: turn.now,
            trace: turn.trace)
        turn.publish(
            DerivedID.event(.safetyAnswerReceived, person, .id(id)),
            .safetyAnswerReceived(answer))
        guard verdict.isAccepted else { return verdict }
        turn.publish(
            DerivedID.event(.checkInReceived, person, .id(id)),
            .checkInReceived(
                Contact(person: person, kind: .checkIn, at: turn.now, trace: turn.trace)))
        return verdict
    }

    // MARK: State

    private func hash(of subject: OwnQuestion.Subject, to person: PersonID) -> LinkHash {
        DerivedID.questionToken(about: subject.raw, to: person, secret: secret).hash
    }

    private mutating func close(
        _ subject: OwnQuestion.Subject, of person: PersonID, isExpired: Bool, _ turn: inout Turn
    ) {
        guard var question = rows[hash(of: subject, to: person)], question.state == .open else {
            return
        }
        question.state = isExpired ? .expired : .answered
        question.closed = turn.now
        save(question, &turn)
    }

    private mutating func save(_ question: OwnQuestion, _ turn: inout Turn) {
        rows[question.hash] = question
        turn.save(.question(question))
    }

    /// Removes questions that were closed long ago.
    mutating func sweep(_ turn: inout Turn) {
        let old = rows.values.filter {
            $0.closed.map { turn.now - $0 > Limits.closedQuestionsKept } ?? false
        }
        for question in old.sorted(by: { $0.alarmAt < $1.alarmAt }) {
            rows[question.hash] = nil
            turn.emit(.remove(.question(question.hash)))
        }
    }
}

extension Person {
    /// Whether a number is a verified contact point of theirs that can reply.
    func hasVerified(_ number: String) -> Bool {
        contacts.contains {
            $0.channel.rules.acceptsReplies && $0.address == number && $0.verified != nil
        }
    }
}
