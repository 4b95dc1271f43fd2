import Directory
import Hashing
import Model

/// What the page of a live link shows: to somebody who has no account, in the language and time
/// zone of its maker.
package struct LivePage: Hashable, Sendable {
    package var link: LiveLinkID
    package var person: PersonID
    package var language: Language
    /// The name of the recipient.
    package var recipient: String
    package var who: String
    /// "panic button"; nil = it is for no emergency.
    package var trigger: String?
    /// Whether nobody must call or text the person.
    package var isUnderDuress: Bool
    /// Until when it shows the position, if nothing ends it before.
    package var until: String
    /// Nil = no position is known yet.
    package var spot: ResponderPage.Spot?
    /// Earlier positions, newest first.
    package var trail: [ResponderPage.Spot]
    /// Percent; nil = unknown.
    package var battery: UInt8?
    package var sketch: Sketch?
}

extension Notifier {
    /// The link whose page may be shown now; nil for every other.
    package func liveTarget(
        of hash: LinkHash, _ directory: Replica, at now: Timestamp
    ) -> LiveLink? {
        liveLinks.target(of: hash, escalation, Turn(now: now, directory: directory))
    }

    /// Whether a principal may see a live link in a list.
    package func isListed(
        _ link: LiveLink, for principal: Principal, _ directory: Replica, at now: Timestamp
    ) -> Bool {
        liveLinks.isListed(
            link, for: principal, escalation, Turn(now: now, directory: directory))
    }

    /// Whether looks at a link must not be in its person's access log: its emergency does not exist
    /// for them.
    package func isHidden(_ link: LiveLink) -> Bool {
        link.purpose.emergency.flatMap { escalation.book[$0] }
            .map { !$0.isVisible(to: link.person) } ?? false
    }

    /// The page of a link.
    ///
    /// - Parameter rows: the stored positions of its person since ``LiveLink/since``, oldest first,
    ///   and the newest one before it if there is none
    package func livePage(
        of link: LiveLink, _ rows: [FollowedPositionRow], _ directory: Replica, at now: Timestamp
    ) -> LivePage? {
        guard let person = directory.person(link.person), let maker = directory.person(link.maker)
        else { return nil }
        let emergency = link.purpose.emergency.flatMap { escalation.book[$0] }
        let positions =
            emergency.map { PersonPositions(of: $0, stored: rows) } ?? PersonPositions(rows)
        let text = PageText(
            phrases: Language(locale: maker.locale).phrases, now: now,
            offsetSeconds: delivery.renderer.offset(of: maker, at: now), map: delivery.renderer.map)
        return LivePage(
            link: link.id, person: link.person, language: Language(locale: maker.locale),
            recipient: link.recipient, who: person.name,
            trigger: emergency.map { emergency in
                text.phrases.trigger(
                    emergency.trigger, by: emergency.raisedBy.flatMap { directory.person($0)?.name }
                )
            },
            isUnderDuress: emergency?.underDuress != nil, until: text.clock(link.expires),
            spot: positions.newest.map(text.spot),
            trail: positions.trail.prefix(Limits.pageTrailMax).map(text.spot),
            battery: positions.battery,
            sketch: Sketch(of: positions, zones: link.zones.compactMap(directory.zone)))
    }
}
