import Directory
import Hashing
import Model

/// An incoming SMS.
package struct Reply: Hashable, Sendable {
    /// Id of the text, the same if a gateway reports it again.
    package var id: ID128
    /// E.164.
    package var sender: String
    package var text: String
    package var trace: String

    /// Whether it continues an earlier text, so its first word is not a command.
    package var isContinuation: Bool

    package init(
        id: ID128, sender: String, text: String, trace: String, isContinuation: Bool = false
    ) {
        self.isContinuation = isContinuation
        self.id = id
        self.sender = sender
        self.text = text
        self.trace = trace
    }
}

/// Replies by SMS, and opt-outs of numbers.
///
/// The sender is identified by number: a recipient of messages to it, or the person who has it as a
/// contact point.
struct Replies: Sendable {
    func handle(
        _ reply: Reply, _ escalation: inout Escalation, _ ownWatches: inout OwnWatches,
        _ questions: inout OwnQuestions, _ positions: inout PositionQueries,
        _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        turn.trace = reply.trace
        switch reply.isContinuation ? .other : ReplyWord(reply.text) {
        case .stop: setOptOut(reply, isOptedOut: true, &delivery, &turn)
        case .start: setOptOut(reply, isOptedOut: false, &delivery, &turn)
        case .acknowledge(let reference):
            if reference.isEmpty, questions.confirm(by: reply, &delivery, &turn) { return }
            acknowledge(reference, by: reply, &escalation, &delivery, &turn)
        case .withdraw(let reference):
            withdraw(reference, by: reply, &escalation, &delivery, &turn)
        case .safe(let pin):
            questions.handleSafe(pin: pin, by: reply, ownWatches, &delivery, &turn)
        case .extend(let minutes): ownWatches.extend(minutes, by: reply, &delivery, &turn)
        case .help(let note): raiseSOS(reply, note: note, &escalation, &delivery, &turn)
        case .positions: positions.ask(reply, &delivery, &turn)
        case .other:
            record(reply, escalation, delivery, &turn)
            explainWords(to: reply, &delivery, &turn)
        }
    }

    // MARK: Opt-outs

    private func setOptOut(
        _ reply: Reply, isOptedOut: Bool, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        var state = delivery.contacts[reply.sender]
        guard isOptedOut != (state.stopped != nil) else { return }
        state.stopped = isOptedOut ? turn.now : nil
        delivery.contacts.save(state, &turn)
        answer(reply, isOptedOut ? .stopped : .started, &delivery, &turn)
    }

    /// Sets or clears the opt-out of a number for the operator.
    func setOptOut(
        _ request: UInt64, _ number: String, isOptedOut: Bool, _ delivery: inout Delivery,
        _ turn: inout Turn
    ) {
        var state = delivery.contacts[number]
        state.stopped = isOptedOut ? state.stopped ?? turn.now : nil
        delivery.contacts.save(state, &turn)
        turn.emit(.answer(request: request, .number(state)))
    }

    // MARK: Acknowledgement

    /// Acknowledges the emergency with this reference, if it was sent to this number.
    ///
    /// A number may try few wrong codes an hour. The answer goes to the number, so that its owner
    /// learns of an SMS that somebody else sent in their name.
    private func acknowledge(
        _ reference: String, by reply: Reply, _ escalation: inout Escalation,
        _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard let state = triable(reply, delivery, &turn) else {
            return answer(reply, .tooManyCodes, &delivery, &turn)
        }
        guard let (emergency, person) = fitting(reference, reply, escalation, delivery, turn)
        else {
            return answerWithoutEmergency(reference, reply, state, escalation, &delivery, &turn)
        }
        // What goes on of an ended one under duress was found instead, unless the number is also
        // the person's.
        let outcome =
            emergency.state.isActive
            ? escalation.acknowledge(
                emergency.id, by: person, trace: reply.trace, &delivery, &turn)
            : escalation.book.status(of: emergency.id, for: person, turn)
        guard case .status(let status) = outcome else { return }
        let by = status.by.flatMap { turn.directory.person($0)?.name }
        let content: NoticeContent =
            switch status.state {
            case .resolved, .cancelled: .ended(cancelled: status.state == .cancelled, by: by)
            default: status.isYours ? .youRespond : .acknowledged(by: by)
            }
        // Who did not send it must learn of it, however recently something else was answered.
        let isNew = status.isYours && status.at == turn.now
        answer(
            reply, content, about: emergency, reference: reference, isUrgent: isNew, &delivery,
            &turn)
    }

    /// Withdraws an acknowledgement: the sender hands back, or somebody else sent it in their name.
    private func withdraw(
        _ reference: String, by reply: Reply, _ escalation: inout Escalation,
        _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard var state = triable(reply, delivery, &turn) else {
            return answer(reply, .tooManyCodes, &delivery, &turn)
        }
        guard let (emergency, person) = fitting(reference, reply, escalation, delivery, turn)
        else {
            guard isNotified(reply.sender, escalation, delivery, turn) else { return }
            state.recordWrongCode(at: turn.now)
            return delivery.contacts.saveUsage(state, &turn)
        }
        let isResponding = emergency.acknowledgements.contains { $0.by == person }
        if emergency.state.isActive {
            _ = escalation.withdraw(
                emergency.id, by: person, trace: reply.trace, &delivery, &turn)
        }
        guard isResponding else { return }
        answer(
            reply, .handedBack, about: emergency, reference: reference, isUrgent: true, &delivery,
            &turn)
    }

    /// The state of a number from which a code may be tried; nil after too many wrong ones.
    private func triable(
        _ reply: Reply, _ delivery: Delivery, _ turn: inout Turn
    ) -> NumberState? {
        var state = delivery.contacts[reply.sender]
        state.pruneWrongCodes(at: turn.now)
        return (state.wrongCodes?.count ?? 0) < Limits.wrongCodesMax ? state : nil
    }

    /// The emergency of a code that was sent to this number, and whom it was sent to.
    private func fitting(
        _ reference: String, _ reply: Reply, _ escalation: Escalation, _ delivery: Delivery,
        _ turn: Turn
    ) -> (Emergency, PersonID)? {
        let found = ReferenceCodes.emergency(
            with: reference, escalation, delivery, turn.directory
        ) { message in
            message.channel.rules.acceptsReplies && message.address == reply.sender
        }
        guard let found,
            let person = person(
                notifiedOf: found, at: reply.sender, delivery.book, turn.directory)
        else { return nil }
        return (found, person)
    }

    /// Whether a number was notified of an active emergency.
    private func isNotified(
        _ number: String, _ escalation: Escalation, _ delivery: Delivery, _ turn: Turn
    ) -> Bool {
        escalation.book.active.contains {
            person(notifiedOf: $0, at: number, delivery.book, turn.directory) != nil
        }
    }

    /// Handles an OK whose reference fits no emergency, or that has none.
    private func answerWithoutEmergency(
        _ reference: String, _ reply: Reply, _ state: NumberState, _ escalation: Escalation,
        _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        let newest = escalation.book.all.sorted { ($0.raised, $0.id) > ($1.raised, $1.id) }
        if let ended = newest.first(where: {
            isAsked(toConfirm: $0, at: reply.sender, delivery.book)
        }) {
            let own = delivery.reference(of: ended, for: ended.person)
            return answer(
                reply, .confirmInApp, about: ended, reference: own, &delivery, &turn)
        }
        let open = newest.first { emergency in
            emergency.state.isActive
                && person(
                    notifiedOf: emergency, at: reply.sender, delivery.book, turn.directory) != nil
        }
        guard let open else { return }
        if !reference.isEmpty {
            var state = state
            state.recordWrongCode(at: turn.now)
            delivery.contacts.saveUsage(state, &turn)
        }
        let sent = delivery.book.about(open.id).last {
            $0.channel.rules.acceptsReplies && $0.address == reply.sender && $0.attempts > 0
                && $0.recipient != open.person
        }
        guard let right = sent?.reference else { return }
        answer(
            reply, .referenceNeeded(right), about: open, reference: right, &delivery, &turn)
    }

    /// Whether the person of an emergency was asked at this number to confirm its end.
    ///
    /// An SMS cannot confirm that: all recipients have the reference, and the sender may be
    /// somebody else who holds the phone or fakes its number.
    private func isAsked(
        toConfirm emergency: Emergency, at number: String, _ messages: NotificationBook
    ) -> Bool {
        emergency.state.isActive && !emergency.endedCircles.isEmpty
            && messages.about(emergency.id).contains { question in
                question.reason == .ownEnded && question.attempts > 0
                    && question.recipient == emergency.person && question.address == number
            }
    }

    /// The person who was notified of an emergency at this number, by the messages sent to it, or
    /// for older ones by a recipient's contact points.
    ///
    /// Nil for somebody on the never-notify list of the person in danger.
    private func person(
        notifiedOf emergency: Emergency, at number: String, _ messages: NotificationBook,
        _ directory: Replica
    ) -> PersonID? {
        // To a number that is also the person's, an emergency under duress does not exist.
        let isOwn = directory.person(emergency.person)?.hasNumber(number) ?? false
        if emergency.underDuress != nil, isOwn { return nil }
        let found = recipient(of: emergency, at: number, messages, directory)
        return found.flatMap {
            directory.hidesEmergencies(of: emergency.person, from: $0) ? nil : $0
        }
    }

    private func recipient(
        of emergency: Emergency, at number: String, _ messages: NotificationBook,
        _ directory: Replica
    ) -> PersonID? {
        let notified = messages.about(emergency.id).first {
            $0.channel.rules.acceptsReplies && $0.address == number && $0.attempts > 0
                && $0.recipient != emergency.person
        }
        if let notified {
            // With a shared number, prefer somebody who shares a circle with the person.
            let inCircle = notified.recipients.first {
                !directory.seen(by: emergency)
                    .commonCircles(of: emergency.person, and: $0).isEmpty
            }
            if let recipient = inCircle ?? notified.recipient { return recipient }
        }
        return emergency.recipients.first { directory.person($0)?.hasNumber(number) ?? false }
    }

    // MARK: SOS

    /// Raises an emergency for everyone with this number. That it may belong to two people is no
    /// reason to do nothing. Ingest handles it like any other call; if it does not in time, the
    /// fallback opens the escalation here.
    private func raiseSOS(
        _ reply: Reply, note: String, _ escalation: inout Escalation, _ delivery: inout Delivery,
        _ turn: inout Turn
    ) {
        let people = turn.directory.sortedPeople.filter { $0.hasNumber(reply.sender) }
        for person in people {
            let decision = turn.directory.decide(
                .person(person.id), .panic, on: .person(person.id), at: turn.now)
            guard decision.isAllowed, !joinsUnstored(person.id, escalation.book, at: turn.now)
            else { continue }
            let id = EmergencyID(Hash.id("sms", .id(reply.id), .id(person.id)))
            let signal = EmergencySignal(
                id: id, person: person.id, trigger: .sms, raised: turn.now, received: turn.now,
                countdownEnds: turn.now,
                note: note.isEmpty
                    ? nil : Replies.withoutPINs(String(note.prefix(Limits.noteCharactersMax))),
                trace: reply.trace)
            turn.publish(
                DerivedID.event(.signalReceived, person.id, .id(id)), .signalReceived(signal))
            escalation.receive(signal, &turn)
        }
        if let first = people.first { answer(reply, .sosReceived, of: first, &delivery, &turn) }
    }

    /// Whether a further SOS changes nothing, because everyone was just notified and nobody has
    /// responded since. Then it is not stored.
    private func joinsUnstored(
        _ person: PersonID, _ emergencies: EmergencyBook, at now: Timestamp
    ) -> Bool {
        emergencies.active(of: person).compactMap { emergencies[$0] }.contains { emergency in
            emergency.state == .open && emergency.joined.count >= Limits.furtherCallsStoredMin
                && emergency.hasJustRepeated(at: now)
        }
    }

    // MARK: Other texts

    /// Records a text in the timelines of active emergencies if its sender was notified of them or
    /// is the person in danger. Other texts are ignored.
    private func record(
        _ reply: Reply, _ escalation: Escalation, _ delivery: Delivery, _ turn: inout Turn
    ) {
        let text = PlainText.line(reply.text, charactersMax: Limits.noteCharactersMax)
        guard !text.isEmpty else { return }
        for emergency in escalation.book.all.sorted(by: { $0.id < $1.id })
        where emergency.state.isActive && emergency.opened != nil {
            let isOwn = turn.directory.person(emergency.person)?.hasNumber(reply.sender) ?? false
            let helper = person(
                notifiedOf: emergency, at: reply.sender, delivery.book, turn.directory)
            guard let by = isOwn ? emergency.person : helper else { continue }
            escalation.book.record(
                .reply, emergency, by: by, text: isOwn ? Replies.withoutPINs(text) : text, &turn)
        }
    }

    /// Lists the words for a person who sent none, at most once a day. The rest of a longer text,
    /// and texts of strangers, have no answer.
    ///
    /// It does not depend on emergencies: somebody on a never-notify list would infer one.
    private func explainWords(to reply: Reply, _ delivery: inout Delivery, _ turn: inout Turn) {
        guard !reply.isContinuation, !reply.text.isEmpty else { return }
        var state = delivery.contacts[reply.sender]
        guard state.stopped == nil,
            state.explained.map({ turn.now - $0 >= Limits.explanationPause }) ?? true,
            let person = turn.directory.sortedPeople.first(where: {
                $0.hasVerifiedNumber(reply.sender)
            })
        else { return }
        state.explained = turn.now
        delivery.contacts.saveUsage(state, &turn)
        answer(reply, .replyWords, of: person, &delivery, &turn)
    }

    /// A text with dots in place of what may be a PIN: a person in danger may send theirs.
    static func withoutPINs(_ text: String) -> String {
        var shown = ""
        var digits = ""
        func close() {
            shown += PersonPIN.isValid(digits) ? "····" : digits
            digits = ""
        }
        for character in text {
            if character.isASCII, character.isNumber {
                digits.append(character)
            } else {
                close()
                shown.append(character)
            }
        }
        close()
        return shown
    }

    // MARK: Answers

    /// Answers the sender, at most once per ``Limits/replyAnswerPause``.
    ///
    /// - Parameters:
    ///   - person: whose language to use; nil = the owner of the number
    ///   - isPaced: whether it waits for that pause; false = the caller has its own limit
    ///   - isUrgent: whether it is sent regardless of earlier answers and of the queue
    func answer(
        _ reply: Reply, _ content: NoticeContent, about emergency: Emergency? = nil,
        reference: String = "", of person: Person? = nil, isUrgent: Bool = false,
        isPaced: Bool = true, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        var state = delivery.contacts[reply.sender]
        if isPaced, !isUrgent, let last = state.answered, turn.now - last < Limits.replyAnswerPause
        {
            return
        }
        let configuration = delivery.configuration
        guard configuration.channels.contains(.sms), isUrgent || delivery.hasRoom else { return }
        state.answered = turn.now
        delivery.contacts.saveUsage(state, &turn)
        let person =
            person ?? turn.directory.sortedPeople.first { $0.hasNumber(reply.sender) }
        let reader = Reader(
            language: Language(locale: person?.locale ?? "en"),
            who: emergency.flatMap { turn.directory.person($0.person)?.name } ?? "",
            reference: reference, now: turn.now,
            offsetSeconds: person.flatMap { delivery.renderer.offset(of: $0, at: turn.now) },
            map: configuration.map)
        let text = Composer(reader).render(content, on: .sms).text
        delivery.enqueue(
            RenderedMessage(short: text, subject: "", long: text), to: reply.sender,
            as: .replyAnswer, severity: isUrgent ? .safety : .routine,
            scope: EventID(Hash.id("answer", .id(reply.id))),
            expires: turn.now + Limits.routineAgeMax, &turn)
    }
}

extension Person {
    fileprivate func hasNumber(_ number: String) -> Bool {
        contacts.contains { $0.channel.rules.acceptsReplies && $0.address == number }
    }
}
