import Directory
import Hashing
import Model

/// Links to the positions of people for recipients without an account.
///
/// Its person makes links for a watch, a journey or a time; they and those recipients of an
/// emergency who see the exact position and are guardians or admins make links for that emergency.
/// Only open links are in memory. Ingest learns until when a person has open links, and publishes
/// their positions until then; during an emergency it does so anyway.
///
/// An emergency that goes on after its person ended it with a duress PIN has its own id. Links of
/// the one that ended have ended with it, as after a true end, also those of others.
package struct LiveLinks: Sendable {
    private var links: [LiveLinkID: LiveLink] = [:]
    private var ids: [LinkHash: LiveLinkID] = [:]
    /// What ingest was last sent about a person, and since then.
    private var published: [PersonID: Timestamp] = [:]

    init(_ rows: [LiveLink]) {
        for link in rows where link.ended == nil { keep(link) }
        for person in Set(links.values.map(\.person)) { published[person] = until(of: person) }
    }

    private mutating func keep(_ link: LiveLink) {
        links[link.id] = link
        ids[link.hash] = link.id
    }

    /// The open link with a hash, also if its page must not be shown.
    package subscript(hash: LinkHash) -> LiveLink? { ids[hash].flatMap { links[$0] } }

    package subscript(id: LiveLinkID) -> LiveLink? { links[id] }

    /// Number of open links.
    package var count: Int { links.count }

    /// When the next link ends by its time.
    var nextDue: Timestamp? { links.values.map(\.expires).min() }

    // MARK: Commands

    mutating func make(
        _ request: LiveLinkRequest, _ escalation: Escalation, watch: Watch?, _ turn: inout Turn
    ) {
        let answer = made(request, escalation, watch: watch, &turn)
        turn.emit(.answer(request: request.request, .liveLink(answer)))
    }

    private mutating func made(
        _ request: LiveLinkRequest, _ escalation: Escalation, watch: Watch?, _ turn: inout Turn
    ) -> LiveLinkAnswer {
        guard let maker = request.principal.person else { return .denied(.personOnly) }
        let purpose: LiveLink.Purpose
        var since = turn.now
        var expires = turn.now + (request.length ?? Limits.liveLinkTimeDefault)
        switch request.purpose {
        case .emergency(let id):
            guard
                let emergency = escalation.book.emergency(named: id, for: maker),
                emergency.person == request.person, emergency.state.isActive,
                emergency.goesOn(for: maker, in: turn.directory) || maker == request.person
            else { return .unknownEmergency }
            if let answer = obstacle(to: maker, emergency, escalation, turn) { return answer }
            purpose = .emergency(emergency.id)
            since = emergency.raised - Limits.trailBefore
            expires = turn.now + (request.length ?? Limits.liveLinkTimeMax)
        case .watch, .journey, .time:
            let decision = turn.directory.decide(
                request.principal, .makeLiveLinks, on: .person(request.person), at: turn.now)
            if let denial = decision.denial { return .denied(denial) }
            switch request.purpose {
            case .watch:
                guard let watch else { return .noWatch }
                purpose = .watch(watch.id)
                since = max(watch.started, turn.now - Limits.trailBefore)
                expires = turn.now + (request.length ?? Limits.liveLinkTimeMax)
            case .journey:
                purpose = .journey
                expires = turn.now + (request.length ?? Limits.liveLinkTimeMax)
            case .time, .emergency: purpose = .time
            }
        }
        guard request.zones.allSatisfy({ mayShow($0, of: request.person, by: maker, turn) }) else {
            return .zoneNotTheirs
        }
        let own = links.values.count { $0.person == request.person && $0.maker == maker }
        guard own < Limits.liveLinksPerPerson else { return .tooMany }
        let link = LiveLink(
            request, maker: maker, purpose: purpose, created: turn.now, since: since,
            expires: expires, sharedWith: LiveLinks.sharing(of: request.person, turn))
        save(link, &turn)
        publishView(of: link.person, &turn)
        return .made(link, request.token)
    }

    /// Why somebody may make no link for an emergency; nil = they may.
    private func obstacle(
        to maker: PersonID, _ emergency: Emergency, _ escalation: Escalation, _ turn: Turn
    ) -> LiveLinkAnswer? {
        let decision = turn.directory.decide(
            .person(maker), .shareEmergency,
            on: .emergency(
                of: emergency.person, isRecipient: emergency.isRecipient(maker),
                isAcknowledged: emergency.state != .open), at: turn.now)
        switch decision {
        case .denied(.notAMember): return .unknownEmergency
        case .denied(let denial): return .denied(denial)
        case .allowed: break
        }
        let isExact =
            maker == emergency.person
            || escalation.book.showsPosition(of: emergency, to: maker, turn)
        return isExact ? nil : .positionNotShared
    }

    /// Whether a link may draw a zone: the person's own, or one that applies to them and that they
    /// have accepted. Others than the person show none.
    private func mayShow(
        _ id: ZoneID, of person: PersonID, by maker: PersonID, _ turn: Turn
    ) -> Bool {
        guard maker == person, let zone = turn.directory.zone(id) else { return false }
        if zone.owner == .person(person) { return true }
        return turn.directory.circles(of: person).compactMap(turn.directory.circle).contains {
            circle in
            guard let member = circle.member(person) else { return false }
            let applies =
                zone.owner == .circle(circle.id)
                || circle.sets.contains { zone.owner == .set($0) }
            return applies && ZoneNaming(in: turn.directory).accepts(zone, member)
        }
    }

    /// Circles with which a person shares now.
    private static func sharing(of person: PersonID, _ turn: Turn) -> [CircleID] {
        turn.directory.circles(of: person).filter { id in
            turn.directory.circle(id)?.member(person)?.sharing.isOn(at: turn.now) ?? false
        }
    }

    /// Ends a link: its person may, and who made it.
    mutating func revoke(
        _ revocation: LiveLinkRevocation, _ escalation: Escalation, _ turn: inout Turn
    ) {
        let answer: LiveLinkAnswer
        if let link = links[revocation.link], link.person == revocation.person,
            isListed(link, for: revocation.principal, escalation, turn)
        {
            end(link, as: .revoked, &turn)
            publishView(of: link.person, &turn)
            answer = .revoked
        } else {
            answer = .unknown
        }
        turn.emit(.answer(request: revocation.request, .liveLink(answer)))
    }

    /// Whether a principal may see a link in a list: the person, a guardian of theirs who acts for
    /// them, and its maker. A link of an emergency that the person must not see does not exist for
    /// them.
    package func isListed(
        _ link: LiveLink, for principal: Principal, _ escalation: Escalation,
        _ turn: Directory.Turn<Effect>
    ) -> Bool {
        guard let viewer = principal.person else { return false }
        if let id = link.purpose.emergency, link.person == viewer {
            guard escalation.book[id]?.isVisible(to: viewer) ?? true else { return false }
        }
        if link.maker == viewer { return true }
        return link.person == viewer
            || turn.directory.decide(
                principal, .makeLiveLinks, on: .person(link.person), at: turn.now
            ).isAllowed
    }

    // MARK: Looks

    /// The link whose page may be shown now; nil for every other.
    package func target(
        of hash: LinkHash, _ escalation: Escalation, _ turn: Directory.Turn<Effect>
    ) -> LiveLink? {
        guard let link = self[hash], link.isOpen(at: turn.now),
            turn.directory.person(link.person) != nil,
            turn.directory.person(link.maker) != nil
        else { return nil }
        guard let id = link.purpose.emergency else {
            let stillMay = turn.directory.decide(
                .person(link.maker), .makeLiveLinks, on: .person(link.person), at: turn.now)
            return stillMay.isAllowed ? link : nil
        }
        guard let emergency = escalation.book[id],
            emergency.state == .open || emergency.state == .acknowledged
        else { return nil }
        if link.isOfItsPerson { return link }
        let mayStill =
            emergency.isRecipient(link.maker)
            && !turn.directory.hidesEmergencies(of: link.person, from: link.maker)
            && emergency.goesOn(for: link.maker, in: turn.directory)
            && escalation.book.showsPosition(of: emergency, to: link.maker, turn)
        return mayStill ? link : nil
    }

    /// Records that somebody was shown the page of a link.
    mutating func look(_ hash: LinkHash, _ turn: inout Turn) {
        guard var link = self[hash] else { return }
        link.looks = min(link.looks, Limits.linkLooksMax - 1) + 1
        link.firstLook = link.firstLook ?? turn.now
        link.lookTimes = (link.lookTimes + [turn.now]).suffix(Limits.liveLinkLooksKept)
        save(link, &turn)
    }

    // MARK: Ends

    /// Ends the links of emergencies that a turn has ended, and moves those of one that continues
    /// under another id.
    mutating func follow(_ turn: inout Turn) {
        guard !links.isEmpty else { return }
        for effect in turn.effects {
            guard case .save(.emergency(let emergency)) = effect else { continue }
            for var link in sorted() {
                guard let id = link.purpose.emergency else { continue }
                if emergency.state.isActive, emergency.joined.contains(id), id != emergency.id {
                    link.purpose = .emergency(emergency.id)
                    save(link, &turn)
                } else if id == emergency.id, !emergency.state.isActive {
                    end(link, as: .over, &turn)
                }
            }
        }
    }

    /// Ends the links of a watch that is over. After a watch that raised its emergency they stay
    /// until their time.
    mutating func apply(_ watch: Watch, _ turn: inout Turn) {
        switch watch.state {
        case .active, .reminded, .expired: return
        case .ended, .arrived, .cancelled: break
        }
        endAll(as: .over, &turn) { $0.purpose == .watch(watch.id) }
    }

    /// Ends the links of a journey that is over: ingest publishes positions with its state.
    mutating func apply(_ position: FollowedPosition, at published: Timestamp, _ turn: inout Turn) {
        guard position.isOnJourney != true else { return }
        endAll(as: .over, &turn) { link in
            link.person == position.person && link.purpose == .journey && link.created < published
        }
    }

    /// Ends links that a change of the directory ends: a pause of their person, or a removal.
    mutating func directoryChanged(
        _ body: EventBody, _ escalation: Escalation, _ turn: inout Turn
    ) {
        switch body {
        case .circleChanged(let circle):
            let now = turn.now
            endAll(as: .sharingPaused, &turn) { link in
                guard link.isOfItsPerson, link.sharedWith.contains(circle.id),
                    let member = circle.member(link.person), !member.sharing.isOn(at: now)
                else { return false }
                // The person's own call shows the position whatever they share.
                return link.purpose.emergency.flatMap { escalation.book[$0]?.isOwnCall } != true
            }
        case .personRemoved(let removal):
            endAll(as: .over, &turn) {
                $0.person == removal.person || $0.maker == removal.person
            }
        default: break
        }
    }

    /// Ends links whose time is over.
    mutating func expire(_ turn: inout Turn) {
        let now = turn.now
        guard let nextDue, nextDue <= now else { return }
        endAll(as: .expired, &turn) { $0.expires <= now }
    }

    private mutating func endAll(
        as reason: LiveLink.End, _ turn: inout Turn, where isEnding: (LiveLink) -> Bool
    ) {
        let ending = sorted().filter(isEnding)
        for link in ending { end(link, as: reason, &turn) }
        for person in Set(ending.map(\.person)).sorted() { publishView(of: person, &turn) }
    }

    private mutating func end(_ link: LiveLink, as reason: LiveLink.End, _ turn: inout Turn) {
        var link = link
        link.ended = turn.now
        link.end = reason
        links[link.id] = nil
        ids[link.hash] = nil
        turn.save(.liveLink(link))
    }

    // MARK: State

    private func sorted() -> [LiveLink] { links.values.sorted { $0.id < $1.id } }

    private mutating func save(_ link: LiveLink, _ turn: inout Turn) {
        keep(link)
        turn.save(.liveLink(link))
    }

    /// Until when a person has open links that need positions; nil = none.
    private func until(of person: PersonID) -> Timestamp? {
        links.values.filter { $0.person == person && $0.purpose.emergency == nil }
            .map(\.expires).max()
    }

    /// Publishes until when the positions of a person are needed, if that changed.
    private mutating func publishView(of person: PersonID, _ turn: inout Turn) {
        let until = until(of: person)
        guard published[person] != until else { return }
        published[person] = until
        let view = LiveView(person: person, until: until ?? turn.now, at: turn.now)
        turn.publish(
            DerivedID.event(
                .liveViewChanged, person, .number(view.until.microseconds),
                .number(turn.now.microseconds)), .liveViewChanged(view))
    }
}
