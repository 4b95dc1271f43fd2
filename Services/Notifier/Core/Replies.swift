import Directory
import Hashing
import Model

/// A text that somebody sent to the suite.
public struct Reply: Hashable, Sendable {
    /// Of the text itself: the same when a gateway tells of it again.
    public var id: ID128
    /// E.164.
    public var sender: String
    public var text: String
    public var trace: String

    /// It goes on a text that came in before: its first word is no command.
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

// What people answer by SMS. The number is who they are: it counts for what was sent to it, or for
// the person among whose contact points it stands.
extension Notifier {
    mutating func replied(_ reply: Reply, _ turn: inout Turn) {
        turn.trace = reply.trace
        switch reply.isContinuation ? .other : ReplyWord(reply.text) {
        case .stop: stop(reply, isStopped: true, &turn)
        case .start: stop(reply, isStopped: false, &turn)
        case .acknowledge(let reference): acknowledge(reference, by: reply, &turn)
        case .help(let note): callForHelp(reply, note: note, &turn)
        case .other: keepWords(of: reply, &turn)
        }
    }

    private mutating func stop(_ reply: Reply, isStopped: Bool, _ turn: inout Turn) {
        var state = numbers[reply.sender] ?? NumberState(number: reply.sender)
        guard isStopped != (state.stopped != nil) else { return }
        state.stopped = isStopped ? turn.now : nil
        keep(state, &turn)
        answer(reply, isStopped ? .stopped : .started, &turn)
    }

    // MARK: Taking an emergency

    /// The emergency of that reference, if this number was told of it: whoever else guesses four
    /// digits takes nothing, and hears nothing.
    private mutating func acknowledge(
        _ reference: String, by reply: Reply, _ turn: inout Turn
    ) {
        let told = emergencies.values.sorted { ($0.raised, $0.id) > ($1.raised, $1.id) }
            .compactMap { emergency in
                person(toldOf: emergency, at: reply.sender, turn.directory)
                    .map { (emergency, $0) }
            }
        let fitting = told.filter { $0.0.reference == reference }
        guard
            let (emergency, person) = fitting.first(where: { $0.0.state.isActive }) ?? fitting.first
        else {
            if reference.isEmpty, saidAllRight(reply, &turn) { return }
            if let ended = endToConfirm(askedAt: reply.sender) {
                return answer(reply, .confirmInApp, about: ended, &turn)
            }
            if let open = told.first(where: { $0.0.state.isActive }) {
                answer(reply, .referenceNeeded(open.0.reference), about: open.0, &turn)
            }
            return
        }
        let outcome = acknowledge(
            emergency.id, by: .person(person), note: nil, trace: reply.trace, &turn)
        guard case .standing(let standing) = outcome else { return }
        let by = standing.by.flatMap { turn.directory.person($0)?.name }
        let saying: Saying =
            switch standing.state {
            case .resolved, .cancelled: .ended(cancelled: standing.state == .cancelled, by: by)
            default: standing.isYours ? .yours : .taken(by: by)
            }
        answer(reply, saying, about: emergency, &turn)
    }

    /// The emergency whose person was asked at this number whether it was right to end it. An SMS
    /// does not confirm that: everybody who was notified has the reference, and who holds the
    /// person's phone, or sends in its name, is not known.
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

    /// Who was told of an emergency at this number: by the messages that went there, or, for older
    /// ones, because it is a number of somebody who was told.
    private func person(
        toldOf emergency: Emergency, at number: String, _ directory: Replica
    ) -> PersonID? {
        let messages = notificationsOf[emergency.id, default: []].compactMap { notifications[$0] }
        let told = messages.first {
            $0.channel == .sms && $0.address == number && $0.attempts > 0
                && $0.recipient != emergency.person
        }
        if let told {
            // Of several people with this number somebody who is in a circle with the person.
            let inCircle = told.recipients.first {
                !directory.commonCircles(of: emergency.person, and: $0).isEmpty
            }
            if let recipient = inCircle ?? told.recipient { return recipient }
        }
        return emergency.told.first { directory.person($0)?.hasNumber(number) ?? false }
    }

    // MARK: Calling for help

    /// Everybody with this number is in danger: that it may be one of two is no reason to do
    /// nothing. Ingest makes of it what it makes of every call; if it does not in time, the ladder
    /// is opened here.
    private mutating func callForHelp(_ reply: Reply, note: String, _ turn: inout Turn) {
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
                Meaning.event(.signalGiven, person.id, .id(id)), .signalGiven(signal))
            raised(signal, &turn)
        }
        if let first = people.first { answer(reply, .helpComes, of: first, &turn) }
    }

    /// Whether a further SOS of a person changes nothing: everyone was notified of the first calls
    /// a moment ago, and nobody has answered since. Then nothing is stored of it.
    private func joinsUnstored(_ person: PersonID, at now: Timestamp) -> Bool {
        activeOf[person, default: []].compactMap { emergencies[$0] }.contains { emergency in
            emergency.state == .open && emergency.joined.count >= Limits.callsAlwaysStored
                && emergency.hasJustRepeated(at: now)
        }
    }

    // MARK: Other words

    /// Words of somebody who was told of an emergency that goes on, or is in danger, stand in its
    /// timeline; all others are passed over.
    private mutating func keepWords(of reply: Reply, _ turn: inout Turn) {
        let words = PlainText.line(reply.text, charactersMax: Limits.noteCharactersMax)
        guard !words.isEmpty else { return }
        for emergency in emergencies.values.sorted(by: { $0.id < $1.id })
        where emergency.state.isActive && emergency.opened != nil {
            let isOwn = turn.directory.person(emergency.person)?.hasNumber(reply.sender) ?? false
            let helper = person(toldOf: emergency, at: reply.sender, turn.directory)
            guard let by = isOwn ? emergency.person : helper else { continue }
            record(.reply, emergency, by: by, words: words, &turn)
        }
    }

    // MARK: Answers

    /// Tells the sender what came of their text, at most once a minute.
    ///
    /// - Parameter person: whose language it is; nil = of whoever the number belongs to.
    private mutating func answer(
        _ reply: Reply, _ saying: Saying, about emergency: Emergency? = nil,
        of person: Person? = nil, _ turn: inout Turn
    ) {
        var state = numbers[reply.sender] ?? NumberState(number: reply.sender)
        if let last = state.answered, turn.now - last < Limits.replyAnswerPause { return }
        guard configuration.channels.contains(.sms), newsWaiting < Limits.newsQueuedMax
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
        let text = Composer(reader).words(for: saying, on: .sms).text
        let scope = EventID(Hash.id("answer", .id(reply.id)))
        let id = Meaning.notification(scope, recipient: nil, address: reply.sender)
        guard notifications[id] == nil else { return }
        queue(
            Notification(
                id: id, reason: .replyAnswer, severity: .news, scope: scope, channel: .sms,
                address: reply.sender, words: Words(short: text, subject: "", long: text),
                reference: "", token: Meaning.token(id, secret: configuration.tokenSecret),
                created: turn.now, expires: turn.now + Limits.newsAgeMax, trace: turn.trace),
            &turn)
    }
}

extension Person {
    fileprivate func hasNumber(_ number: String) -> Bool {
        contacts.contains { $0.channel == .sms && $0.address == number }
    }
}
