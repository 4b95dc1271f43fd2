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
        /// Whether it contradicts the other positions.
        package var isSuspect: Bool
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
    /// The trail with zones; nil = the exact position is not shown.
    package var sketch: Sketch?
    /// Percent; nil = unknown.
    package var battery: UInt8?
    /// The number of the person; nil = not known, or nobody may call it.
    package var phone: String?
    /// Whether the reader must neither call nor text the person.
    package var isUnderDuress: Bool
    /// Names of the recipients whom the reader knows, without the reader.
    package var recipients: [String]
    package var responders: [Responder]
    package var canAcknowledge: Bool
    package var canWithdraw: Bool
    package var canResolve: Bool
}

extension Notifier {
    /// The emergency and the recipient of a link that is valid now, otherwise nil: it does not
    /// exist, the emergency has ended for the recipient, or they may not know of it any more.
    package func target(
        of hash: LinkHash, _ directory: Replica
    ) -> (emergency: Emergency, recipient: PersonID)? {
        guard let link = links[hash], directory.person(link.recipient) != nil,
            let emergency = emergency(of: link, directory),
            emergency.state == .open || emergency.state == .acknowledged,
            emergency.isRecipient(link.recipient),
            !directory.hidesEmergencies(of: emergency.person, from: link.recipient),
            !directory.seen(by: emergency)
                .circles(of: emergency.person, answeredBy: link.recipient).isEmpty,
            emergency.goesOn(for: link.recipient, in: directory)
        else { return nil }
        return (emergency, link.recipient)
    }

    /// The emergency that a link leads to: what goes on of one that was ended under duress, unless
    /// the link may have reached an address that is also the person's.
    private func emergency(of link: PersonalLink, _ directory: Replica) -> Emergency? {
        guard let found = escalation.book.emergency(named: link.emergency),
            let covert = escalation.book.continuation(of: found)
        else { return escalation.book.emergency(named: link.emergency) }
        let sent = delivery.book.about(found.id).filter {
            $0.recipients.contains(link.recipient)
        }.map(\.address)
        let own = directory.person(link.recipient)?.contacts.map(\.address) ?? []
        let isShared = (sent + own).contains {
            escalation.book.isOwn($0, of: found.person, directory)
        }
        return isShared ? found : covert
    }

    /// The language of a recipient.
    package func language(of recipient: PersonID, _ directory: Replica) -> Language {
        Language(locale: directory.person(recipient)?.locale ?? "")
    }

    /// The page of a link; nil if the link is not valid.
    ///
    /// - Parameter rows: the stored positions of the person in danger, oldest first
    package func page(
        of hash: LinkHash, _ directory: Replica, at now: Timestamp,
        stored rows: [FollowedPositionRow] = []
    ) -> ResponderPage? {
        guard let (emergency, recipient) = target(of: hash, directory),
            let reader = directory.person(recipient),
            let person = directory.person(emergency.person)
        else { return nil }
        let positions = PersonPositions(of: emergency, stored: rows)
        let text = PageText(
            phrases: Language(locale: reader.locale).phrases, now: now,
            offsetSeconds: delivery.renderer.offset(of: reader, at: now),
            map: delivery.renderer.map)
        let turn = Turn(now: now, directory: directory)
        let isUnderDuress = escalation.book.isUnderDuress(emergency)
        let mayEnd =
            !isUnderDuress
            || escalation.book.mayEndUnderDuress(emergency, recipient, directory)
        let rights = PageRights(emergency, of: recipient, mayEnd: mayEnd, turn)
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
            sketch: isExact
                ? Sketch(of: positions, zones: zones(near: emergency, for: recipient, directory))
                : nil,
            battery: positions.battery, phone: isUnderDuress ? nil : phone(of: person),
            isUnderDuress: isUnderDuress,
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
        _ positions: PersonPositions, _ emergency: Emergency, _ recipient: PersonID,
        isExact: Bool, _ text: PageText, _ turn: Turn
    ) -> ResponderPage.Whereabouts {
        guard let newest = positions.newest else { return .unknown }
        if isExact { return .at(text.spot(newest)) }
        let fix = newest.fix
        let directory = turn.directory.seen(by: emergency)
        let circles = directory.circles(of: emergency.person, answeredBy: recipient)
            .compactMap(directory.circle)
        switch escalation.book.suppressed(
            fix, of: emergency.person, from: circles, to: recipient, turn)
        {
        case .notShared: return .notShared
        case .zone(let zone, let taken):
            return .zone(text.phrases.inZone(zone, at: text.clock(taken)))
        }
    }

    /// Zones of the circles of both, which their members may read, and of these circles' sets.
    private func zones(
        near emergency: Emergency, for recipient: PersonID, _ directory: Replica
    ) -> [Zone] {
        let circles = directory.circles(of: emergency.person, answeredBy: recipient)
            .compactMap(directory.circle)
        let owners = circles.flatMap { circle in
            [ZoneOwner.circle(circle.id)] + circle.sets.map(ZoneOwner.set)
        }
        return owners.flatMap { directory.zones(of: $0) }.filter(\.active)
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
        let common = directory.seen(by: emergency)
            .circles(of: emergency.person, answeredBy: recipient)
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

    init(_ emergency: Emergency, of recipient: PersonID, mayEnd: Bool, _ turn: Turn) {
        let directory = turn.directory.seen(by: emergency)
        func isAllowed(_ action: Action) -> Bool {
            directory.decide(
                .person(recipient), action,
                on: .emergency(
                    of: emergency.person, isRecipient: true,
                    isAcknowledged: emergency.state != .open), at: turn.now
            ).isAllowed
        }
        canWithdraw = emergency.acknowledgements.contains { $0.by == recipient }
        let isAnswered = emergency.hasAnswer(of: recipient, in: turn.directory)
        canAcknowledge = isAllowed(.acknowledge) && !isAnswered
        canResolve = emergency.state == .acknowledged && mayEnd && isAllowed(.resolve)
    }
}

/// Texts of a page for its reader.
struct PageText {
    let phrases: any Phrasebook
    let now: Timestamp
    let offsetSeconds: Int?
    /// Link to a map with `{lat}` and `{lon}`.
    let map: String

    func clock(_ time: Timestamp) -> String {
        ClockText.time(time, now: now, offsetSeconds: offsetSeconds)
    }

    func ago(_ time: Timestamp) -> String { ClockText.ago(now - time, in: phrases) }

    func spot(_ marked: MarkedFix) -> ResponderPage.Spot {
        let place = Place(marked.fix, isSuspect: marked.isSuspect)
        return ResponderPage.Spot(
            coordinates: PlaceText.coordinates(place.position),
            map: PlaceText.link(place.position, map: map),
            certainty: phrases.certainty(
                metres: place.accuracyMetres, taken: clock(place.taken)),
            age: ago(place.taken), isSuspect: place.isSuspect)
    }
}
