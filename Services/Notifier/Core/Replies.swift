import Directory
import Hashing
import Model

/// An incoming SMS.
public struct Reply: Hashable, Sendable {
    /// Id of the text, the same if a gateway reports it again.
    public var id: ID128
    /// E.164.
    public var sender: String
    public var text: String
    public var trace: String

    /// Whether it continues an earlier text, so its first word is not a command.
    public var isContinuation: Bool

    public init(
        id: ID128, sender: String, text: String, trace: String, isContinuation: Bool = false
    ) {
        self.isContinuation = isContinuation
        self.id = id
        self.sender = sender
        self.text = text
        self.trace = trace
    }
}

// Replies by SMS. The sender is identified by number: a recipient of messages to it, or the person
// who has it as a contact point.
extension Notifier {
    mutating func handle(_ reply: Reply, _ turn: inout Turn) {
        turn.trace = reply.trace
        switch reply.isContinuation ? .other : ReplyWord(reply.text) {
        case .stop: setOptOut(reply, isOptedOut: true, &turn)
        case .start: setOptOut(reply, isOptedOut: false, &turn)
        case .acknowledge(let reference): acknowledge(reference, by: reply, &turn)
        case .help(let note): raiseSOS(reply, note: note, &turn)
        case .other: recordReply(of: reply, &turn)
        }
    }

    private mutating func setOptOut(_ reply: Reply, isOptedOut: Bool, _ turn: inout Turn) {
        var state = numbers[reply.sender] ?? NumberState(number: reply.sender)
        guard isOptedOut != (state.stopped != nil) else { return }
        state.stopped = isOptedOut ? turn.now : nil
        save(state, &turn)
        answer(reply, isOptedOut ? .stopped : .started, &turn)
    }

    // MARK: Acknowledgement

    /// Acknowledges the emergency with this reference, if this number was notified of it. Anyone
    /// who only guesses four digits changes nothing and gets no answer.
    private mutating func acknowledge(
        _ reference: String, by reply: Reply, _ turn: inout Turn
    ) {
        let notified = emergencies.values.sorted { ($0.raised, $0.id) > ($1.raised, $1.id) }
            .compactMap { emergency in
                person(notifiedOf: emergency, at: reply.sender, turn.directory)
                    .map { (emergency, $0) }
            }
        let fitting = notified.filter { $0.0.reference == reference }
        guard
            let (emergency, person) = fitting.first(where: { $0.0.state.isActive }) ?? fitting.first
        else {
            if reference.isEmpty, recordCheckIn(reply, &turn) { return }
            if let ended = endToConfirm(askedAt: reply.sender) {
                return answer(reply, .confirmInApp, about: ended, &turn)
            }
            if let open = notified.first(where: { $0.0.state.isActive }) {
                answer(reply, .referenceNeeded(open.0.reference), about: open.0, &turn)
            }
            return
        }
        let outcome = acknowledge(
            emergency.id, by: .person(person), note: nil, trace: reply.trace, &turn)
        guard case .status(let status) = outcome else { return }
        let by = status.by.flatMap { turn.directory.person($0)?.name }
        let content: NoticeContent =
            switch status.state {
            case .resolved, .cancelled: .ended(cancelled: status.state == .cancelled, by: by)
            default: status.isYours ? .youRespond : .acknowledged(by: by)
            }
        answer(reply, content, about: emergency, &turn)
    }

    /// The emergency whose person was asked at this number to confirm its end.
    ///
    /// An SMS cannot confirm that: all recipients have the reference, and the sender may be
    /// somebody else who holds the phone or fakes its number.
    private func endToConfirm(askedAt number: String) -> Emergency? {
        emergencies.values.sorted { ($0.raised, $0.id) > ($1.raised, $1.id) }
            .first { emergency in
                emergency.state.isActive && !emergency.endedCircles.isEmpty
                    && notificationsOf[emergency.id, default: []].contains { id in
                        guard let question = notifications[id] else { return false }
                        return question.reason == .ownEnded && question.attempts > 0
                            && question.recipient == emergency.person
                            && question.address == number
                    }
            }
    }

    /// The person who was notified of an emergency at this number, by the messages sent to it, or
    /// for older ones by a recipient's contact points.
    private func person(
        notifiedOf emergency: Emergency, at number: String, _ directory: Replica
    ) -> PersonID? {
        let messages = notificationsOf[emergency.id, default: []].compactMap { notifications[$0] }
        let notified = messages.first {
            $0.channel == .sms && $0.address == number && $0.attempts > 0
                && $0.recipient != emergency.person
        }
        if let notified {
            // With a shared number, prefer somebody who shares a circle with the person.
            let inCircle = notified.recipients.first {
                !directory.commonCircles(of: emergency.person, and: $0).isEmpty
            }
            if let recipient = inCircle ?? notified.recipient { return recipient }
        }
        return emergency.recipients.first { directory.person($0)?.hasNumber(number) ?? false }
    }

    // MARK: SOS

    /// Raises an emergency for everyone with this number. That it may belong to two people is no
    /// reason to do nothing. Ingest handles it like any other call; if it does not in time, the
    /// fallback opens the escalation here.
    private mutating func raiseSOS(_ reply: Reply, note: String, _ turn: inout Turn) {
        let people = turn.directory.sortedPeople.filter { $0.hasNumber(reply.sender) }
        for person in people {
            let decision = turn.directory.decide(
                .person(person.id), .panic, on: .person(person.id), at: turn.now)
            guard decision.isAllowed, !joinsUnstored(person.id, at: turn.now) else { continue }
            let id = EmergencyID(Hash.id("sms", .id(reply.id), .id(person.id)))
            let signal = EmergencySignal(
                id: id, person: person.id, trigger: .sms, raised: turn.now, received: turn.now,
                countdownEnds: turn.now,
                note: note.isEmpty ? nil : String(note.prefix(Limits.noteCharactersMax)),
                trace: reply.trace)
            turn.publish(
                DerivedID.event(.signalReceived, person.id, .id(id)), .signalReceived(signal))
            receiveSignal(signal, &turn)
        }
        if let first = people.first { answer(reply, .sosReceived, of: first, &turn) }
    }

    /// Whether a further SOS changes nothing, because everyone was just notified and nobody has
    /// responded since. Then it is not stored.
    private func joinsUnstored(_ person: PersonID, at now: Timestamp) -> Bool {
        activeOf[person, default: []].compactMap { emergencies[$0] }.contains { emergency in
            emergency.state == .open && emergency.joined.count >= Limits.furtherCallsStoredMin
                && emergency.hasJustRepeated(at: now)
        }
    }

    // MARK: Other texts

    /// Records a text in the timelines of active emergencies if its sender was notified of them or
    /// is the person in danger. Other texts are ignored.
    private mutating func recordReply(of reply: Reply, _ turn: inout Turn) {
        let text = PlainText.line(reply.text, charactersMax: Limits.noteCharactersMax)
        guard !text.isEmpty else { return }
        for emergency in emergencies.values.sorted(by: { $0.id < $1.id })
        where emergency.state.isActive && emergency.opened != nil {
            let isOwn = turn.directory.person(emergency.person)?.hasNumber(reply.sender) ?? false
            let helper = person(notifiedOf: emergency, at: reply.sender, turn.directory)
            guard let by = isOwn ? emergency.person : helper else { continue }
            record(.reply, emergency, by: by, text: text, &turn)
        }
    }

    // MARK: Answers

    /// Answers the sender, at most once per ``Limits/replyAnswerPause``.
    ///
    /// - Parameter person: whose language to use; nil = the owner of the number
    private mutating func answer(
        _ reply: Reply, _ content: NoticeContent, about emergency: Emergency? = nil,
        of person: Person? = nil, _ turn: inout Turn
    ) {
        var state = numbers[reply.sender] ?? NumberState(number: reply.sender)
        if let last = state.answered, turn.now - last < Limits.replyAnswerPause { return }
        guard configuration.channels.contains(.sms), routineWaiting < Limits.routineQueuedMax
        else { return }
        state.answered = turn.now
        numbers[reply.sender] = state
        turn.save(.number(state))
        let person =
            person ?? turn.directory.sortedPeople.first { $0.hasNumber(reply.sender) }
        let reader = Reader(
            language: Language(locale: person?.locale ?? "en"),
            who: emergency.flatMap { turn.directory.person($0.person)?.name } ?? "",
            reference: emergency?.reference ?? "", now: turn.now, map: configuration.map)
        let text = Composer(reader).render(content, on: .sms).text
        let scope = EventID(Hash.id("answer", .id(reply.id)))
        let id = DerivedID.notification(scope, recipient: nil, address: reply.sender)
        guard notifications[id] == nil else { return }
        enqueue(
            Notification(
                id: id, reason: .replyAnswer, severity: .routine, scope: scope, channel: .sms,
                address: reply.sender,
                rendered: RenderedMessage(short: text, subject: "", long: text),
                reference: "", token: DerivedID.token(id, secret: configuration.tokenSecret),
                created: turn.now, expires: turn.now + Limits.routineAgeMax, trace: turn.trace),
            &turn)
    }
}

extension Person {
    fileprivate func hasNumber(_ number: String) -> Bool {
        contacts.contains { $0.channel == .sms && $0.address == number }
    }
}
