import Model

/// Puts sayings into words: one line for an SMS with the vital part in its first segment, several
/// lines for a mail.
///
/// Vital is who, what and where: they stand first, and names are cut until they fit, whatever comes
/// after. Link, reference and numbers are never cut.
public struct Composer: Sendable {
    private let reader: Reader
    private let phrases: any Phrasebook

    public init(_ reader: Reader) {
        self.reader = reader
        phrases = reader.language.phrases
    }

    /// The words of a saying for a channel.
    public func words(for saying: Saying, on channel: Channel) -> Wording {
        var nameMax = Limits.nameCharactersMax
        if channel == .sms { nameMax = longestName(for: saying) }
        var pieces = pieces(of: saying, nameMax: nameMax)
        if channel == .sms, reader.hasReplies, case .alarm = saying {
            pieces.rest.append(phrases.takeItByReply(reference: reader.reference))
        }
        if channel == .sms, reader.hasReplies, case .silence(.asked) = saying {
            pieces.rest.append(phrases.allRightByReply)
        }
        switch channel {
        case .sms: return Wording(subject: "", text: pieces.line)
        case .email, .push: return Wording(subject: pieces.subject, text: mail(pieces))
        }
    }

    /// The same words, saying that they should have come before: at the end of an SMS, and in a
    /// mail after its vital first lines.
    public func late(_ words: Words, due: Timestamp, until: Timestamp) -> Words {
        let sentence = Pieces.sentence(phrases.late(due: clock(due), until: clock(until)))
        let end = words.long.firstRange(of: "\n\n")?.lowerBound ?? words.long.endIndex
        return Words(
            short: "\(words.short) \(sentence)", subject: words.subject,
            long: "\(words.long[..<end])\n\(sentence)\(words.long[end...])")
    }

    /// The longest cut of names that leaves the vital part in the first segment.
    private func longestName(for saying: Saying) -> Int {
        for nameMax in stride(from: Limits.nameCharactersMax, to: 5, by: -1) {
            let pieces = pieces(of: saying, nameMax: nameMax)
            let measure = SMSText(pieces.line)
            let first =
                measure.segments == 1 ? measure.encoding.singlePartMax : measure.encoding.partMax
            if SMSText.units(pieces.vitalLine, in: measure.encoding) <= first { return nameMax }
        }
        return 5
    }

    private func mail(_ pieces: Pieces) -> String {
        var lines = pieces.vital.map(Pieces.sentence) + [""]
        lines += (pieces.mailOnly + pieces.rest).map { Pieces.sentence(capitalised($0)) }
        if !reader.circle.isEmpty {
            let circle = PlainText.line(reader.circle, charactersMax: Limits.nameCharactersMax)
            lines += ["", phrases.because(circle: circle) + "."]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func capitalised(_ piece: String) -> String {
        piece.prefix(1).uppercased() + piece.dropFirst()
    }

    private func pieces(of saying: Saying, nameMax: Int) -> Pieces {
        let who = name(reader.who, nameMax)
        switch saying {
        case .zone(let what, let zone, let at, let place):
            return sentence(
                phrases.zone(what, who: who, zone: name(zone, nameMax), at: clock(at)), place)
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
        case .alarm(let alarm, let repetition): return pieces(of: alarm, repetition, nameMax)
        case .taken(let by):
            return short(phrases.taken(who: who, by: by.map { name($0, nameMax) }))
        case .takenElsewhere(let by):
            return short(phrases.takenElsewhere(who: who, by: by.map { name($0, nameMax) }))
        case .ended(cancelled: true, _): return short(phrases.cancelled(who: who))
        case .ended(cancelled: false, let by):
            return short(phrases.resolved(who: who, by: by.map { name($0, nameMax) }))
        case .endedElsewhere(let by, let circles):
            let by = by.map { name($0, nameMax) }
            return short(
                phrases.endedElsewhere(who: who, by: by, circles: name(circles, nameMax)))
        case .ownEnded(let by, let circles):
            return piecesOfEnd(by: by, circles: circles, nameMax: nameMax)
        case .holderAsked:
            let minutes = Limits.holderAnswerWait.milliseconds / 60_000
            return short(phrases.holderAsked(who: who, minutes: minutes))
        case .ownTaken(let by): return short(phrases.ownTaken(by: by.map { name($0, nameMax) }))
        case .ownNobodyYet(let number): return short(phrases.ownNobodyYet(number: number))
        case .watchReminder(let deadline, let note):
            var pieces = short(phrases.watchReminder(deadline: clock(deadline)))
            pieces.rest += noteLine(note)
            return pieces
        case .silence(let silence): return pieces(of: silence, who: who)
        case .message(let message): return pieces(of: message, who: who, nameMax: nameMax)
        case .invitation(let code):
            var pieces = short(phrases.invitation(who: who, code: code))
            pieces.rest.append(phrases.refusal)
            return pieces
        case .zoneFile(let file):
            var pieces = short(phrases.zoneFile(who: who, file: file))
            pieces.rest.append(phrases.preview)
            return pieces
        case .yours: return short(phrases.yours(who: who))
        case .referenceNeeded(let reference):
            return short(phrases.referenceNeeded(who: who, reference: reference))
        case .confirmInApp: return short(phrases.confirmInApp)
        case .helpComes: return short(phrases.helpComes)
        case .stopped: return short(phrases.stopped)
        case .started: return short(phrases.started)
        case .test(let gateway): return short(phrases.test(gateway: gateway))
        }
    }

    /// The question whether it was right to end somebody's own emergency.
    private func piecesOfEnd(by: String?, circles: String?, nameMax: Int) -> Pieces {
        var pieces = short(
            phrases.ownEnded(
                by: by.map { name($0, nameMax) }, circles: circles.map { name($0, nameMax) }))
        pieces.rest = phrases.ownEndedAnswer(goesOn: circles != nil)
        return pieces
    }

    /// A sentence and the reference.
    private func short(_ sentence: String) -> Pieces {
        Pieces(subject: "Jaga: \(sentence)", vital: ["Jaga: \(sentence)"], rest: referenceLine)
    }

    /// A sentence, and the place if it may be seen.
    private func sentence(_ sentence: String, _ place: Place?) -> Pieces {
        var pieces = Pieces(subject: "Jaga: \(sentence)", vital: ["Jaga: \(sentence)"], rest: [])
        if let place {
            pieces.vital.append(PlaceText.link(place.position, map: reader.map))
            pieces.rest.append(certainty(of: place))
            pieces.mailOnly.append(phrases.position(PlaceText.coordinates(place.position)))
        }
        return pieces
    }

    private func pieces(of silence: SilenceSaying, who: String) -> Pieces {
        switch silence {
        case .asked(let since, let alarmed):
            short(phrases.allRight(since: clock(since), alarmed: alarmed.map { clock($0) }))
        case .lost(let since, let place):
            sentence(phrases.contactLost(who: who, since: clock(since)), place)
        case .restored: short(phrases.contactRestored(who: who))
        case .battery(let percent): short(phrases.ownBattery(percent))
        case .ownBlind(let hindrance): short(phrases.ownBlind(phrases.hindrance(hindrance)))
        case .blind(let hindrance):
            short(phrases.blind(who: who, phrases.hindrance(hindrance)))
        }
    }

    private func pieces(of message: MessageSaying, who: String, nameMax: Int) -> Pieces {
        let names = ([message.to, message.own].map { name($0, nameMax) }).filter { !$0.isEmpty }
        let shown = message.zones.prefix(Limits.zonesPerTextMax)
        // Those that were entered have no word of their own, so that they come before all others.
        let zones = Transition.allCases.compactMap { transition -> String? in
            let fired = shown.filter { $0.transition == transition }.map { name($0.name, nameMax) }
            return fired.isEmpty
                ? nil : phrases.fired(transition, zones: fired.joined(separator: ", "))
        }
        let what = (zones + [clock(message.at)]).joined(separator: ", ")
        var pieces = sentence("", message.place)
        pieces.vital[0] = "\(names.joined(separator: ", ")): \(what)"
        pieces.subject = pieces.vital[0]
        let lines = message.lines.prefix(Limits.linesPerTextMax).map {
            PlainText.line($0, charactersMax: Limits.noteCharactersMax)
        }
        pieces.rest = lines + pieces.rest + [phrases.sender(who)]
        return pieces
    }

    private func pieces(of alarm: Alarm, _ repetition: Repetition, _ nameMax: Int) -> Pieces {
        let who = name(reader.who, nameMax)
        let what = "\(phrases.trigger(alarm.trigger)), \(clock(alarm.raised))"
        var vital: [String] = []
        if alarm.isLate || repetition == .record {
            vital.append(ClockText.ago(reader.now - alarm.raised, in: phrases))
        }
        if let words = phrases.repetition(repetition) { vital.append(words) }
        // Sixteen-bit segments are short: there the place comes before the circumstances.
        let isNarrow = !SMSText.isGSM(who) || !(alarm.note.map(SMSText.isGSM) ?? true)
        let place = whereabouts(in: alarm, nameMax: nameMax)
        var pieces = Pieces(subject: "SOS \(who): \(what)", vital: vital, rest: [])
        if isNarrow {
            pieces.vital += ["SOS \(who)", place]
            pieces.rest.append(what)
        } else {
            pieces.vital += ["SOS \(who): \(what)", place]
        }
        if let place = alarm.place {
            pieces.rest.append(certainty(of: place))
            pieces.mailOnly.append(phrases.position(PlaceText.coordinates(place.position)))
        }
        if let battery = alarm.battery { pieces.rest.append(phrases.battery(battery)) }
        pieces.rest += noteLine(alarm.note)
        pieces.rest.append(phrases.takeIt(reference: reader.reference))
        return pieces
    }

    /// A link to the place, the zone where zones alone are shared, or why there is neither.
    private func whereabouts(in alarm: Alarm, nameMax: Int) -> String {
        if let place = alarm.place { return PlaceText.link(place.position, map: reader.map) }
        switch alarm.withheld {
        case nil: return phrases.noPosition
        case .notShared: return phrases.positionNotShared
        case .zone(let zone, let taken):
            return phrases.inZone(name(zone, nameMax), at: clock(taken))
        }
    }

    private func certainty(of place: Place) -> String {
        phrases.certainty(metres: place.accuracyMetres, taken: clock(place.taken))
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

/// The parts of a message in the order of their worth.
private struct Pieces {
    var subject: String
    /// Who, what, where.
    var vital: [String]
    /// What a mail says besides.
    var mailOnly: [String] = []
    var rest: [String]

    init(subject: String, vital: [String], rest: [String]) {
        self.subject = subject
        self.vital = vital
        self.rest = rest
    }

    /// With a full stop, unless it ends a sentence already. A link has none: it would be taken for
    /// a part of it.
    static func sentence(_ piece: String) -> String {
        let isEnded = piece.last.map { "?!.".contains($0) } ?? false
        return isEnded || piece.contains("://") ? piece : piece + "."
    }

    var vitalLine: String { vital.map(Pieces.sentence).joined(separator: " ") }
    var line: String { (vital + rest).map(Pieces.sentence).joined(separator: " ") }
}
