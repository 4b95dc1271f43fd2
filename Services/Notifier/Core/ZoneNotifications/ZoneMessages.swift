import Directory
import Hashing
import Model

/// Zone texts to numbers outside the circle: sent automatically or drafted.
struct ZoneMessages: Sendable {
    /// Handles zones with messages that fired together: one text per number and mode.
    func messagesDue(
        _ due: DueMessages, _ event: Event, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard let person = turn.directory.person(due.person) else { return }
        let known = due.messages.sorted().compactMap(turn.directory.message)
        let numbers = Set(known.map(\.number)).sorted()
        for number in numbers {
            for mode in ZoneMessage.Mode.allCases {
                let group = known.filter { $0.number == number && $0.mode == mode }
                guard !group.isEmpty else { continue }
                decide(on: group, due, from: person, event, &delivery, &turn)
            }
        }
    }

    private func decide(
        on group: [ZoneMessage], _ due: DueMessages, from person: Person, _ event: Event,
        _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        var usable: [ZoneMessage] = []
        var rejection: NotifyReason?
        for message in group {
            let reason = Recipients.suppressed(message, of: due, in: turn.directory, at: turn.now)
            if let reason { rejection = rejection ?? reason } else { usable.append(message) }
        }
        let merged = usable.isEmpty ? group : usable
        var text = draft(merged, due, from: person, event, delivery.renderer, turn)
        let isOld = turn.now - event.time > Limits.routineAgeMax
        // A number that replied STOP gets no text.
        let hasOptedOut = delivery.contacts.hasOptedOut(text.number)
        // Nobody but the person may learn that the number is on their never-notify list.
        let isHidden = NeverNotifyRules(in: turn.directory).hides(
            person.id, fromAddress: text.number)
        if let reason = usable.isEmpty
            ? rejection
            : isOld ? .tooOld : hasOptedOut ? .stopped : isHidden ? .neverNotify : nil
        {
            text.state = .suppressed
            text.reason = reason
            turn.save(.text(text))
        } else if merged[0].mode == .draft {
            turn.save(.text(text))
        } else {
            send(&text, &delivery, &turn)
        }
        record(text, merged, due, &turn)
    }

    /// What others learn about a text to somebody on the person's never-notify list: as if it had
    /// been sent, or drafted.
    private func decision(on text: ZoneText, _ group: [ZoneMessage]) -> NotifyDecision {
        guard text.reason == .neverNotify else {
            return NotifyDecision(recipient: text.person, reason: text.reason)
        }
        return NotifyDecision(
            recipient: text.person,
            reason: group.first?.mode == .draft ? .draft : .zoneMessage, isWithheld: true)
    }

    /// The text as a draft.
    private func draft(
        _ group: [ZoneMessage], _ due: DueMessages, from person: Person, _ event: Event,
        _ renderer: MessageRenderer, _ turn: Turn
    ) -> ZoneText {
        let shown = Recipients.zones(of: due, for: group, in: turn.directory)
        let exact = group.allSatisfy {
            Recipients.showsPlace(of: due.person, in: $0, turn.directory)
        }
        let content = MessageContent(
            to: group.lazy.map(\.recipientName).first { !$0.isEmpty } ?? "",
            own: group.lazy.map(\.senderName).first { !$0.isEmpty } ?? person.name,
            zones: shown, lines: group.map(\.line).filter { !$0.isEmpty }, at: event.time,
            place: exact ? Place(due.fix) : nil)
        let reader = Reader(
            language: Language(locale: person.locale), who: person.name, now: turn.now,
            offsetSeconds: renderer.offset(of: person, at: turn.now), map: renderer.map)
        let id = Hash.id(
            "text", .id(event.id), .text(group[0].number), .text(group[0].mode.rawValue))
        return ZoneText(
            id: DraftID(id), person: person.id, number: group[0].number, recipientName: content.to,
            messages: group.map(\.id), zoneNames: shown.map(\.name),
            text: Composer(reader).render(.message(content), on: .sms).text, state: .draft,
            reason: .draft, created: turn.now, expires: turn.now + Limits.draftAgeMax)
    }

    /// Sends a text, or records why not.
    private func send(_ text: inout ZoneText, _ delivery: inout Delivery, _ turn: inout Turn) {
        var state = delivery.contacts[text.number]
        state.prune(before: turn.now - Limits.numberWindow)
        text.state = .suppressed
        if state.stopped != nil {
            text.reason = .stopped
        } else if state.sent.count >= Limits.textsPerNumberMax {
            text.reason = .tooMany
        } else if !delivery.configuration.channels.contains(.sms) {
            text.reason = .unreachable
        } else if !delivery.hasRoom {
            text.reason = .queueFull
        } else {
            text.state = .sent
            text.reason = .zoneMessage
            state.sent.append(turn.now)
            delivery.contacts.saveUsage(state, &turn)
            text.notification = delivery.enqueue(
                RenderedMessage(short: text.text, subject: "", long: text.text), to: text.number,
                as: .zoneMessage, scope: EventID(text.id.raw), about: text.person,
                expires: turn.now + Limits.routineAgeMax, &turn)
        }
        turn.save(.text(text))
    }

    /// Records the outcome in the timelines of the circles that own the messages.
    private func record(
        _ text: ZoneText, _ group: [ZoneMessage], _ due: DueMessages, _ turn: inout Turn
    ) {
        let owners = Set(group.map(\.owner))
        for id in turn.directory.circles(of: due.person) {
            guard let circle = turn.directory.circle(id), let member = circle.member(due.person),
                owners.contains(where: { circle.owns($0) })
            else { continue }
            var record = TimelineRecord(
                circle: id, at: turn.now, kind: .message, person: due.person,
                decisions: [decision(on: text, group)],
                trace: turn.trace)
            record.zone = due.zones.first
            record.zoneName = text.zoneNames.joined(separator: ", ")
            record.isShared =
                Recipients.notSharingReason(of: member, at: turn.now) == nil
                && text.reason != .zoneTooSmall && text.reason != .zoneNotAccepted
            turn.save(.timeline(record))
        }
    }

    // MARK: Commands

    /// Sends a draft when its person taps it.
    func send(_ command: SendCommand, _ delivery: inout Delivery, _ turn: inout Turn) {
        turn.trace = command.trace
        var text = command.text
        let decision = turn.directory.decide(
            command.principal, .answerAlarms, on: .person(text.person), at: turn.now)
        if let denial = decision.denial {
            return turn.emit(.answer(request: command.request, .denied(denial)))
        }
        if text.state == .draft {
            guard turn.now < text.expires else {
                return turn.emit(.answer(request: command.request, .expired))
            }
            let isHidden = NeverNotifyRules(in: turn.directory).hides(
                text.person, fromAddress: text.number)
            let isConfirmed = text.messages.contains {
                turn.directory.message($0)?.confirmed != nil
            }
            if isHidden {
                text.state = .suppressed
                text.reason = .neverNotify
                turn.save(.text(text))
            } else if isConfirmed {
                send(&text, &delivery, &turn)
            } else {
                text.state = .suppressed
                text.reason = .notConfirmed
                turn.save(.text(text))
            }
        }
        turn.emit(.answer(request: command.request, .text(text)))
    }
}

extension Circle {
    /// Whether a circle owns something directly or by a subscribed set.
    fileprivate func owns(_ owner: ZoneOwner) -> Bool {
        switch owner {
        case .circle(let circle): circle == id
        case .set(let set): sets.contains(set)
        case .person: false
        }
    }
}

extension Recipients {
    /// Why a message is not sent; nil = it is.
    static func suppressed(
        _ message: ZoneMessage, of due: DueMessages, in directory: Replica, at now: Timestamp
    ) -> NotifyReason? {
        switch message.owner {
        case .person(let owner): if owner != due.person { return .notOfCircle }
        case .circle, .set:
            let members = memberships(of: due.person, concerning: message.owner, in: directory)
            guard let first = members.first else { return .notOfCircle }
            guard members.contains(where: { notSharingReason(of: $0, at: now) == nil }) else {
                return notSharingReason(of: first, at: now)
            }
            let isNamed = !zones(of: due, for: [message], in: directory).isEmpty
            guard isNamed || showsPlace(of: due.person, in: message, directory) else {
                let isLarge = due.zones.compactMap(directory.zone).contains {
                    $0.messages.contains(message.id) && $0.isLargeEnoughToName
                }
                return isLarge ? .zoneNotAccepted : .zoneTooSmall
            }
        }
        return message.confirmed == nil ? .notConfirmed : nil
    }

    /// Names of the zones that fired, as far as they may be named. If zones were edited meanwhile,
    /// all that fired.
    static func zones(
        of due: DueMessages, for group: [ZoneMessage], in directory: Replica
    ) -> [MessageZone] {
        let ids = Set(group.map(\.id))
        let exact = group.allSatisfy { showsPlace(of: due.person, in: $0, directory) }
        let all = zip(due.zoneNames, due.transitions).map { MessageZone(name: $0, $1) }
        let shown: [MessageZone] = zip(due.zones, all).compactMap { id, known in
            guard let zone = directory.zone(id) else { return exact ? known : nil }
            guard !ids.isDisjoint(with: zone.messages) else { return nil }
            return exact || mayName(zone, of: due.person, in: directory) ? known : nil
        }
        return shown.isEmpty && exact ? all : shown
    }

    /// Whether a text of a circle or set may name a zone although the person shares zones only: in
    /// each of these circles it may.
    private static func mayName(
        _ zone: Zone, of person: PersonID, in directory: Replica
    ) -> Bool {
        let circles = directory.circles(of: person).compactMap(directory.circle)
            .filter { $0.owns(zone.owner) }
        return !circles.isEmpty
            && circles.allSatisfy { circle in
                circle.member(person).map {
                    ZoneNaming(in: directory).mayName(zone, of: $0, in: circle)
                } ?? false
            }
    }

    /// Whether a message may show the exact position. The person's own messages may.
    static func showsPlace(
        of person: PersonID, in message: ZoneMessage, _ directory: Replica
    ) -> Bool {
        memberships(of: person, concerning: message.owner, in: directory)
            .allSatisfy { $0.precision == .exact }
    }

    private static func memberships(
        of person: PersonID, concerning owner: ZoneOwner, in directory: Replica
    ) -> [Membership] {
        directory.circles(of: person).compactMap(directory.circle)
            .filter { $0.owns(owner) }.compactMap { $0.member(person) }
    }
}
