import Model

/// Renders notices as text: one line for an SMS, several lines for a mail.
///
/// The vital part (who, what and where) comes first and fits the first SMS segment. Names are
/// truncated to make it fit; links, references and numbers never are.
package struct Composer: Sendable {
    private let reader: Reader
    private let phrases: any Phrasebook

    package init(_ reader: Reader) {
        self.reader = reader
        phrases = reader.language.phrases
    }

    /// Renders a notice for a channel.
    package func render(_ content: NoticeContent, on channel: Channel) -> RenderedText {
        let rules = channel.rules
        var nameMax = Limits.nameCharactersMax
        if rules.form == .line { nameMax = longestName(for: content) }
        var parts = parts(of: content, nameMax: nameMax)
        if rules.acceptsReplies, reader.hasReplies, case .alarm = content {
            // The reply repeats the reference.
            parts.rest.removeAll { $0 == phrases.reference(reader.reference) }
            parts.rest.append(phrases.respondByReply(reference: reader.reference))
        }
        if rules.acceptsReplies, reader.hasReplies, case .contact(.asked) = content {
            parts.rest.append(phrases.checkInByReply)
        }
        if rules.acceptsReplies, reader.hasReplies,
            case .checkInDue(_, _, _, let asksPIN) = content
        {
            parts.rest.append(asksPIN ? phrases.safeByReply : phrases.checkInByReply)
        }
        if rules.acceptsReplies, reader.hasReplies, case .watchReminder = content {
            parts.rest.append(phrases.extendByReply)
        }
        if rules.acceptsReplies, reader.hasReplies, case .drill = content {
            parts.rest.append(phrases.respondByReply(reference: reader.reference))
        }
        switch rules.form {
        case .line: return RenderedText(subject: "", text: parts.line)
        case .letter: return RenderedText(subject: parts.subject, text: mail(parts))
        }
    }

    /// Adds a notice of delay: at the end of an SMS, and after the vital lines of a mail.
    package func late(_ words: RenderedMessage, due: Timestamp, until: Timestamp) -> RenderedMessage
    {
        let sentence = MessageParts.sentence(phrases.late(due: clock(due), until: clock(until)))
        let end = words.long.firstRange(of: "\n\n")?.lowerBound ?? words.long.endIndex
        return RenderedMessage(
            short: "\(words.short) \(sentence)", subject: words.subject,
            long: "\(words.long[..<end])\n\(sentence)\(words.long[end...])")
    }

    /// Longest name length with which the vital part fits the first segment.
    private func longestName(for content: NoticeContent) -> Int {
        for nameMax in stride(from: Limits.nameCharactersMax, to: 5, by: -1) {
            let parts = parts(of: content, nameMax: nameMax)
            let measure = SMSText(parts.line)
            let first =
                measure.segments == 1 ? measure.encoding.singlePartMax : measure.encoding.partMax
            if SMSText.units(parts.vitalLine, in: measure.encoding) <= first { return nameMax }
        }
        return 5
    }

    private func mail(_ parts: MessageParts) -> String {
        var lines = parts.vital.map(MessageParts.sentence) + [""]
        lines += (parts.mailOnly + parts.rest).map { MessageParts.sentence(capitalised($0)) }
        if !reader.circle.isEmpty {
            let circle = PlainText.line(reader.circle, charactersMax: Limits.nameCharactersMax)
            lines += ["", phrases.recipientReason(circle: circle) + "."]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func capitalised(_ part: String) -> String {
        part.prefix(1).uppercased() + part.dropFirst()
    }

    private func parts(of content: NoticeContent, nameMax: Int) -> MessageParts {
        let who = name(reader.who, nameMax)
        switch content {
        case .zone(let event, let zone, let at, let place):
            return sentence(
                phrases.zone(event, who: who, zone: name(zone, nameMax), at: clock(at)), place)
        case .absent(let zone, let by, let hasContact, let seen, let place):
            let zone = name(zone, nameMax)
            guard !hasContact else {
                return sentence(phrases.absent(who: who, zone: zone, by: clock(by)), place)
            }
            return sentence(
                phrases.noContact(
                    who: who, zone: zone, by: clock(by), since: seen.map { clock($0) }), nil)
        case .ownAlarm(let zone, let near, let at):
            return sentence(
                phrases.ownAlarm(zone: name(zone, nameMax), near: near, at: clock(at)), nil)
        case .alarm(let alarm, let repetition): return parts(of: alarm, repetition, nameMax)
        case .acknowledged(let by):
            return linked(
                phrases.acknowledged(who: who, by: by.map { name($0, nameMax) }), phrases.seePage)
        case .acknowledgedElsewhere(let by):
            return linked(
                phrases.acknowledgedElsewhere(who: who, by: by.map { name($0, nameMax) }),
                phrases.respondOnPage)
        case .ended(cancelled: true, _): return short(phrases.cancelled(who: who))
        case .ended(cancelled: false, let by):
            return short(phrases.resolved(who: who, by: by.map { name($0, nameMax) }))
        case .endedElsewhere(let by, let circles):
            let by = by.map { name($0, nameMax) }
            return linked(
                phrases.endedElsewhere(who: who, by: by, circles: name(circles, nameMax)),
                phrases.seePage)
        case .ownEnded(let by, let circles):
            return partsOfEnd(by: by, circles: circles, nameMax: nameMax)
        case .acknowledgementReminder:
            let minutes = Limits.reminderAnswerWait.milliseconds / 60_000
            return linked(
                phrases.acknowledgementReminder(who: who, minutes: minutes), phrases.confirmOnPage)
        case .ownAcknowledged(let by):
            return short(phrases.ownAcknowledged(by: by.map { name($0, nameMax) }))
        case .ownNobodyReached(let number): return short(phrases.ownNobodyReached(number: number))
        case .ownCountdown(let trigger, let alarmAt):
            return short(
                phrases.ownCountdown(phrases.trigger(trigger, by: nil), alarmAt: clock(alarmAt)))
        case .ownRaised(let by):
            return short(phrases.ownRaised(by: by.map { name($0, nameMax) }))
        case .watchReminder(let deadline, let note):
            var parts = linked(
                phrases.watchReminder(deadline: clock(deadline)), phrases.extendOnPage)
            parts.rest += noteLine(note)
            return parts
        case .checkInDue(let checkIn, let due, let alarmAt, _):
            return linked(
                phrases.checkInDue(
                    name: name(checkIn, nameMax), due: clock(due), alarmAt: clock(alarmAt)),
                phrases.answerOnPage)
        case .timeUp(let text, let due):
            let text = PlainText.line(text, charactersMax: Limits.noteCharactersMax)
            return short(phrases.timeUp(text, due: due.map { clock($0) }))
        case .safety(let reply): return short(phrases.safety(reply))
        case .watch(.extended(let deadline)):
            return short(phrases.watchExtended(deadline: clock(deadline)))
        case .watch(.howToExtend): return short(phrases.howToExtend)
        case .watch(.none): return short(phrases.noWatch)
        case .arrived(let zone, let at):
            return short(phrases.arrived(who: who, zone: name(zone, nameMax), at: clock(at)))
        case .contact(let contact): return parts(of: contact, who: who)
        case .message(let message): return parts(of: message, who: who, nameMax: nameMax)
        case .invitation(let code):
            var parts = short(phrases.invitation(who: who, code: code))
            parts.rest.append(phrases.howToDecline)
            return parts
        case .circleInvitation(let link):
            var parts = short(phrases.circleInvitation(who: who, link: link))
            parts.rest.append(phrases.howToDecline)
            return parts
        case .consent(let link):
            var parts = short(phrases.consent(who: who))
            parts.rest += link.map { [$0] } ?? []
            return parts
        case .takeOver(let ward, let date):
            return short(phrases.takeOver(ward: ward, date: date))
        case .zoneFile(let file):
            var parts = short(phrases.zoneFile(who: who, file: file))
            parts.rest.append(phrases.reviewZones)
            return parts
        case .account(let message):
            // The site's name stands for Jaga's, and a code comes first.
            let sentence = phrases.account(message, site: who)
            return MessageParts(
                subject: sentence, vital: [sentence], rest: [phrases.accountAdvice(message)])
        case .youRespond:
            var parts = short(phrases.youRespond(who: who))
            // The reference is in the last sentence.
            parts.rest = [phrases.withdrawByReply(reference: reader.reference)]
            return parts
        case .handedBack: return short(phrases.handedBack(who: who))
        case .tooManyCodes: return short(phrases.tooManyCodes)
        case .referenceNeeded(let reference):
            return short(phrases.referenceNeeded(who: who, reference: reference))
        case .confirmInApp: return short(phrases.confirmInApp)
        case .sosReceived: return short(phrases.sosReceived)
        case .positions(let positions): return parts(of: positions)
        case .replyWords: return short(phrases.replyWords)
        case .drill(let by): return partsOfDrill(by: name(by, nameMax), nameMax: nameMax)
        case .drillAnswered: return short(phrases.drillAnswered)
        case .stopped: return short(phrases.optedOut)
        case .started: return short(phrases.optedIn)
        case .test(let gateway): return short(phrases.test(gateway: gateway))
        }
    }

    /// The question whether it was right to end the reader's own emergency.
    private func partsOfEnd(by: String?, circles: String?, nameMax: Int) -> MessageParts {
        var parts = short(
            phrases.ownEnded(
                by: by.map { name($0, nameMax) }, circles: circles.map { name($0, nameMax) }))
        parts.rest = phrases.ownEndedAnswer(goesOn: circles != nil)
        return parts
    }

    private func parts(of positions: PositionsContent) -> MessageParts {
        switch positions {
        case .found(let lines, let more):
            let sentences = lines.map(sentence)
            var parts = short(sentences.first ?? phrases.nobodyShares)
            parts.rest += sentences.dropFirst()
            if more > 0 { parts.rest.append(phrases.morePositions(more)) }
            return parts
        case .none: return short(phrases.nobodyShares)
        case .sharedNumber: return short(phrases.sharedNumber)
        case .tooMany: return short(phrases.tooManyQuestions)
        }
    }

    private func sentence(_ line: PositionLine) -> String {
        let whereabouts =
            switch line.whereabouts {
            case .at(let place):
                "\(PlaceText.coordinates(place.position)), \(certainty(of: place))"
            case .zone(let zone?, let taken):
                phrases.inZone(name(zone, Limits.nameCharactersMax), at: clock(taken))
            case .zone(nil, let taken): phrases.inNoZone(at: clock(taken))
            case .paused: phrases.sharingPaused
            case .unknown: phrases.noPosition
            }
        return "\(name(line.name, Limits.nameCharactersMax)): \(whereabouts)"
    }

    /// A drill: marked as a test first, then like an alarm.
    private func partsOfDrill(by: String, nameMax: Int) -> MessageParts {
        let sentence = phrases.drill(who: by, circle: name(reader.circle, nameMax))
        var parts = MessageParts(
            subject: "TEST Jaga: \(sentence)", vital: ["TEST Jaga: \(sentence)"], rest: [])
        if !reader.link.isEmpty { parts.rest.append(phrases.answerDrill(reader.link)) }
        return parts
    }

    /// A sentence and the reference.
    private func short(_ sentence: String) -> MessageParts {
        MessageParts(
            subject: "Jaga: \(sentence)", vital: ["Jaga: \(sentence)"], rest: referenceLine)
    }

    /// A sentence, the link to the emergency's page if there is one, and the reference.
    private func linked(_ sentence: String, _ phrase: (String) -> String) -> MessageParts {
        var parts = short(sentence)
        if !reader.link.isEmpty { parts.rest.insert(phrase(reader.link), at: 0) }
        return parts
    }

    /// A sentence, and the position if it may be seen.
    private func sentence(_ sentence: String, _ place: Place?) -> MessageParts {
        var parts = MessageParts(
            subject: "Jaga: \(sentence)", vital: ["Jaga: \(sentence)"], rest: [])
        if let place {
            parts.vital.append(PlaceText.link(place.position, map: reader.map))
            parts.rest.append(certainty(of: place))
            parts.mailOnly.append(phrases.position(PlaceText.coordinates(place.position)))
        }
        return parts
    }

    private func parts(of contact: ContactContent, who: String) -> MessageParts {
        switch contact {
        case .asked(let since, let alarmAt):
            short(phrases.checkIn(since: clock(since), alarmAt: alarmAt.map { clock($0) }))
        case .lost(let since, let place):
            sentence(phrases.contactLost(who: who, since: clock(since)), place)
        case .restored: short(phrases.contactRestored(who: who))
        case .battery(let percent): short(phrases.ownBattery(percent))
        case .ownImpairment(let impairment):
            short(phrases.ownImpairment(phrases.impairment(impairment)))
        case .impairment(let impairment):
            short(phrases.impairment(who: who, phrases.impairment(impairment)))
        }
    }

    private func parts(of message: MessageContent, who: String, nameMax: Int) -> MessageParts {
        let names = ([message.to, message.own].map { name($0, nameMax) }).filter { !$0.isEmpty }
        let shown = message.zones.prefix(Limits.zonesPerTextMax)
        // Entered zones have no verb, so they come first.
        let zones = Transition.allCases.compactMap { transition -> String? in
            let matching = shown.filter { $0.transition == transition }.map {
                name($0.name, nameMax)
            }
            return matching.isEmpty
                ? nil : phrases.transition(transition, zones: matching.joined(separator: ", "))
        }
        let event = (zones + [clock(message.at)]).joined(separator: ", ")
        var parts = sentence("", message.place)
        parts.vital[0] = "\(names.joined(separator: ", ")): \(event)"
        parts.subject = parts.vital[0]
        let lines = message.lines.prefix(Limits.linesPerTextMax).map {
            PlainText.line($0, charactersMax: Limits.noteCharactersMax)
        }
        parts.rest = lines + parts.rest + [phrases.sender(who)]
        return parts
    }

    private func parts(of alarm: Alarm, _ repetition: Repetition, _ nameMax: Int) -> MessageParts {
        let who = name(reader.who, nameMax)
        let trigger = phrases.trigger(alarm.trigger, by: alarm.by.map { name($0, nameMax) })
        let event = "\(trigger), \(clock(alarm.raised))"
        var vital: [String] = alarm.isUnderDuress ? [phrases.underDuress] : []
        if alarm.isLate || repetition == .record {
            vital.append(ClockText.ago(reader.now - alarm.raised, in: phrases))
            if let sign = alarm.signOfLife { vital.append(phrases.seen(at: clock(sign))) }
        }
        if let words = phrases.repetition(repetition) { vital.append(words) }
        // UCS-2 segments are short: there the position precedes the circumstances.
        let isNarrow = !SMSText.isGSM(who) || !(alarm.note.map(SMSText.isGSM) ?? true)
        let place = whereabouts(in: alarm, nameMax: nameMax)
        var parts = MessageParts(subject: "SOS \(who): \(event)", vital: vital, rest: [])
        if isNarrow {
            parts.vital += ["SOS \(who)", place]
            parts.rest.append(event)
        } else {
            parts.vital += ["SOS \(who): \(event)", place]
        }
        // With a position of the usual length, the link fits the first segment, too.
        if !reader.link.isEmpty { parts.rest.append(phrases.respondOnPage(reader.link)) }
        if let place = alarm.place {
            parts.rest.append(certainty(of: place))
            parts.mailOnly.append(phrases.position(PlaceText.coordinates(place.position)))
        }
        if let battery = alarm.battery { parts.rest.append(phrases.battery(battery)) }
        parts.rest += noteLine(alarm.note)
        if reader.link.isEmpty {
            parts.rest.append(phrases.respondInApp(reference: reader.reference))
        } else {
            parts.rest += referenceLine
        }
        return parts
    }

    /// A map link, the zone if only zones are shared, or why there is neither.
    private func whereabouts(in alarm: Alarm, nameMax: Int) -> String {
        if let place = alarm.place { return PlaceText.link(place.position, map: reader.map) }
        switch alarm.suppressed {
        case nil: return phrases.noPosition
        case .notShared: return phrases.positionNotShared
        case .zone(let zone, let taken):
            return phrases.inZone(name(zone, nameMax), at: clock(taken))
        }
    }

    private func certainty(of place: Place) -> String {
        let known = phrases.certainty(metres: place.accuracyMetres, taken: clock(place.taken))
        return place.isSuspect ? "\(phrases.suspectPosition), \(known)" : known
    }

    private var referenceLine: [String] {
        reader.reference.isEmpty ? [] : [phrases.reference(reader.reference)]
    }

    private func noteLine(_ note: String?) -> [String] {
        let note = PlainText.line(note ?? "", charactersMax: Limits.noteCharactersMax)
        return note.isEmpty ? [] : [phrases.note(note)]
    }

    private func name(_ text: String, _ max: Int) -> String {
        PlainText.line(text, charactersMax: max)
    }

    private func clock(_ time: Timestamp) -> String {
        ClockText.time(time, now: reader.now, offsetSeconds: reader.offsetSeconds)
    }
}

/// Parts of a message, the most important first.
private struct MessageParts {
    var subject: String
    /// Who, what, where.
    var vital: [String]
    /// Further lines of a mail.
    var mailOnly: [String] = []
    var rest: [String]

    init(subject: String, vital: [String], rest: [String]) {
        self.subject = subject
        self.vital = vital
        self.rest = rest
    }

    /// Adds a full stop unless the part ends a sentence. A link gets none, as it would become part
    /// of it.
    static func sentence(_ part: String) -> String {
        let isEnded = part.last.map { "?!.".contains($0) } ?? false
        return isEnded || part.contains("://") ? part : part + "."
    }

    var vitalLine: String { vital.map(MessageParts.sentence).joined(separator: " ") }
    var line: String { (vital + rest).map(MessageParts.sentence).joined(separator: " ") }
}
