import Directory
import Hashing
import Model

/// What the page of a personal link shows its recipient, in their language and time zone.
package struct ResponderPage: Hashable, Sendable {
    /// Where the person in danger is.
    package enum Whereabouts: Hashable, Sendable {
        case unknown
        case notShared
        /// They share zones only: a sentence.
        case zone(String)
        case at(Spot)
    }

    /// A position.
    package struct Spot: Hashable, Sendable {
        /// "3.13900, 101.68690".
        package var coordinates: String
        /// Link to a map.
        package var map: String
        /// "within 12 m, 10:18".
        package var certainty: String
        /// "2 min ago".
        package var age: String
    }

    /// Somebody who responds.
    package struct Responder: Hashable, Sendable {
        /// Nil = the operator.
        package var name: String?
        package var since: String
        /// Whether it is the reader.
        package var isReader: Bool
    }

    package var emergency: EmergencyID
    /// The reader.
    package var recipient: PersonID
    package var language: Language
    package var who: String
    /// "panic button".
    package var trigger: String
    package var raised: String
    /// "12 min ago".
    package var age: String
    package var note: String?
    package var whereabouts: Whereabouts
    /// Earlier positions, newest first.
    package var trail: [Spot]
    /// Percent; nil = unknown.
    package var battery: UInt8?
    /// The number of the person; nil = not known.
    package var phone: String?
    /// Names of the recipients whom the reader knows, without the reader.
    package var recipients: [String]
    package var responders: [Responder]
    package var canAcknowledge: Bool
    package var canWithdraw: Bool
    package var canResolve: Bool
}

/// Positions of a person in danger that the notifier knows.
package struct EmergencyPositions: Hashable, Sendable {
    package var newest: Fix?
    /// Percent; nil = unknown.
    package var battery: UInt8?
    /// Before ``newest``, newest first.
    package var trail: [Fix]

    package init(newest: Fix?, battery: UInt8?, trail: [Fix] = []) {
        self.newest = newest
        self.battery = battery
        self.trail = trail
    }
}

extension Notifier {
    /// The emergency and the recipient of a link that is valid now, otherwise nil: it does not
    /// exist, the emergency has ended for the recipient, or they may not know of it any more.
    package func target(
        of hash: LinkHash, _ directory: Replica
    ) -> (emergency: Emergency, recipient: PersonID)? {
        guard let link = links[hash], directory.person(link.recipient) != nil,
            let emergency = escalation.book.emergency(named: link.emergency),
            emergency.state == .open || emergency.state == .acknowledged,
            emergency.isRecipient(link.recipient),
            !directory.hidesEmergencies(of: emergency.person, from: link.recipient),
            !directory.circles(of: emergency.person, answeredBy: link.recipient).isEmpty,
            emergency.goesOn(for: link.recipient, in: directory)
        else { return nil }
        return (emergency, link.recipient)
    }

    /// The language of a recipient.
    package func language(of recipient: PersonID, _ directory: Replica) -> Language {
        Language(locale: directory.person(recipient)?.locale ?? "")
    }

    /// The page of a link; nil if the link is not valid.
    package func page(
        of hash: LinkHash, _ directory: Replica, at now: Timestamp
    ) -> ResponderPage? {
        guard let (emergency, recipient) = target(of: hash, directory),
            let reader = directory.person(recipient),
            let person = directory.person(emergency.person)
        else { return nil }
        let positions = EmergencyPositions(newest: emergency.fix, battery: emergency.battery)
        let text = PageText(
            phrases: Language(locale: reader.locale).phrases, now: now,
            offsetSeconds: delivery.renderer.offset(of: reader, at: now),
            map: delivery.renderer.map)
        let turn = Turn(now: now, directory: directory)
        let rights = PageRights(emergency, of: recipient, turn)
        let isExact = escalation.book.showsPosition(of: emergency, to: recipient, turn)
        return ResponderPage(
            emergency: emergency.id, recipient: recipient,
            language: Language(locale: reader.locale), who: person.name,
            trigger: text.phrases.trigger(
                emergency.trigger, by: emergency.raisedBy.flatMap { directory.person($0)?.name }),
            raised: text.clock(emergency.raised),
            age: text.ago(emergency.raised), note: emergency.note,
            whereabouts: whereabouts(
                positions, emergency, recipient, isExact: isExact, text, turn),
            trail: isExact
                ? positions.trail.prefix(Limits.pageTrailMax).map(text.spot) : [],
            battery: positions.battery, phone: phone(of: person),
            recipients: names(of: emergency, besides: recipient, directory),
            responders: emergency.acknowledgements.map { acknowledgement in
                ResponderPage.Responder(
                    name: acknowledgement.by.map { directory.person($0)?.name ?? "?" },
                    since: text.clock(acknowledgement.at),
                    isReader: acknowledgement.by == recipient)
            },
            canAcknowledge: rights.canAcknowledge, canWithdraw: rights.canWithdraw,
            canResolve: rights.canResolve)
    }

    private func whereabouts(
        _ positions: EmergencyPositions, _ emergency: Emergency, _ recipient: PersonID,
        isExact: Bool, _ text: PageText, _ turn: Turn
    ) -> ResponderPage.Whereabouts {
        guard let fix = positions.newest else { return .unknown }
        if isExact { return .at(text.spot(fix)) }
        let circles = turn.directory.circles(of: emergency.person, answeredBy: recipient)
            .compactMap(turn.directory.circle)
        switch escalation.book.suppressed(
            fix, of: emergency.person, from: circles, to: recipient, turn)
        {
        case .notShared: return .notShared
        case .zone(let zone, let taken):
            return .zone(text.phrases.inZone(zone, at: text.clock(taken)))
        }
    }

    private func phone(of person: Person) -> String? {
        let numbers = person.contacts.filter(\.channel.rules.acceptsReplies)
            .sorted { $0.rank < $1.rank }
        return (numbers.first { $0.verified != nil } ?? numbers.first)?.address
    }

    /// Names of other recipients in the circles of both. Like in all lists, those on the person's
    /// never-notify list stand beside the others.
    private func names(
        of emergency: Emergency, besides recipient: PersonID, _ directory: Replica
    ) -> [String] {
        let common = directory.circles(of: emergency.person, answeredBy: recipient)
            .compactMap(directory.circle)
        return emergency.audience.filter { other in
            other != recipient && common.contains { $0.member(other)?.joined != nil }
        }.compactMap { directory.person($0)?.name }.sorted()
    }
}

/// What a recipient may do on the page.
private struct PageRights {
    var canAcknowledge: Bool
    var canWithdraw: Bool
    var canResolve: Bool

    init(_ emergency: Emergency, of recipient: PersonID, _ turn: Turn) {
        func isAllowed(_ action: Action) -> Bool {
            turn.directory.decide(
                .person(recipient), action,
                on: .emergency(
                    of: emergency.person, isRecipient: true,
                    isAcknowledged: emergency.state != .open), at: turn.now
            ).isAllowed
        }
        canWithdraw = emergency.acknowledgements.contains { $0.by == recipient }
        let isAnswered = emergency.hasAnswer(of: recipient, in: turn.directory)
        canAcknowledge = isAllowed(.acknowledge) && !isAnswered
        canResolve = emergency.state == .acknowledged && isAllowed(.resolve)
    }
}

/// Texts of a page for its reader.
private struct PageText {
    let phrases: any Phrasebook
    let now: Timestamp
    let offsetSeconds: Int?
    /// Link to a map with `{lat}` and `{lon}`.
    let map: String

    func clock(_ time: Timestamp) -> String {
        ClockText.time(time, now: now, offsetSeconds: offsetSeconds)
    }

    func ago(_ time: Timestamp) -> String { ClockText.ago(now - time, in: phrases) }

    func spot(_ fix: Fix) -> ResponderPage.Spot {
        let place = Place(fix)
        return ResponderPage.Spot(
            coordinates: PlaceText.coordinates(place.position),
            map: PlaceText.link(place.position, map: map),
            certainty: phrases.certainty(
                metres: place.accuracyMetres, taken: clock(place.taken)),
            age: ago(place.taken))
    }
}
