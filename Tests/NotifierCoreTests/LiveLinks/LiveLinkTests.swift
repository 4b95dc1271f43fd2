import Directory
import Hashing
import Model
import NotifierCore
import Testing

/// Links to a position for people without an account.
@Suite struct `Live links` {
    private static let token = LinkToken(random: [UInt8](repeating: 3, count: 16))

    private func request(
        _ number: UInt64 = 1, by person: PersonID = Town.aisha.id,
        of subject: PersonID = Town.aisha.id, for purpose: LiveLinkRequest.Purpose = .time,
        length: Duration? = nil, zones: [ZoneID] = []
    ) -> LiveLinkRequest {
        LiveLinkRequest(
            request: number, principal: .person(person), person: subject,
            id: LiveLinkID(ID128(high: 60, low: number)),
            token: LinkToken(random: [UInt8](repeating: UInt8(number), count: 16)),
            recipient: "Aunt Rose", purpose: purpose, length: length, zones: zones)
    }

    /// Makes a link and returns it, or nil if it was rejected.
    private func make(_ world: inout World, _ request: LiveLinkRequest) -> LiveLink? {
        world.handle(.makeLiveLink(request))
        guard case .liveLink(.made(let link, let token)) = world.answers[request.request] else {
            return nil
        }
        #expect(token.hash == link.hash)
        return link
    }

    private func opens(_ link: LiveLink, _ world: World) -> Bool {
        world.notifier.liveTarget(of: link.hash, world.directory, at: world.now) != nil
    }

    private func views(_ world: World) -> [LiveView] {
        world.published.compactMap { if case .liveViewChanged(let view) = $0 { view } else { nil } }
    }

    private func isOver(_ link: LiveLink, _ world: World, as end: LiveLink.End) -> Bool {
        !opens(link, world) && world.liveLinks[link.id]?.end == end
    }

    @Test func `a link for a time opens at once and ends at its time`() throws {
        var world = World()
        let link = try #require(make(&world, request(length: .seconds(600))))
        #expect(opens(link, world))
        #expect(views(world).map(\.until) == [World.start + .seconds(600)])
        world.pass(.seconds(599))
        #expect(opens(link, world))
        world.pass(.seconds(2))
        #expect(isOver(link, world, as: .expired))
        #expect(views(world).last.map { $0.until <= $0.at } == true, "ingest stops")
    }

    @Test func `nothing that is stored contains the token`() throws {
        var world = World()
        let link = try #require(make(&world, request()))
        let stored = try #require(world.liveLinks[link.id])
        #expect(!"\(stored)".contains(LinkToken(random: [UInt8](repeating: 1, count: 16)).text))
    }

    @Test func `it is revoked by its person, and by nobody else`() throws {
        var world = World()
        let link = try #require(make(&world, request()))
        for (number, person) in [(7 as UInt64, Town.budi.id), (8, Town.dewi.id)] {
            world.handle(
                .revokeLiveLink(
                    LiveLinkRevocation(
                        request: number, principal: .person(person), person: Town.aisha.id,
                        link: link.id)))
            #expect(world.answers[number] == .liveLink(.unknown))
        }
        #expect(opens(link, world))
        world.handle(
            .revokeLiveLink(
                LiveLinkRevocation(
                    request: 9, principal: .person(Town.aisha.id), person: Town.aisha.id,
                    link: link.id)))
        #expect(world.answers[9] == .liveLink(.revoked))
        #expect(isOver(link, world, as: .revoked))
    }

    @Test func `others make no link for a time, whatever their role`() {
        var world = World()
        for person in [Town.budi, Town.citra, Town.dewi] {
            #expect(make(&world, request(by: person.id)) == nil)
            #expect(world.answers[1] == .liveLink(.denied(.notYours)))
        }
        #expect(world.liveLinks.isEmpty)
    }

    @Test func `a pause of the person ends it, also after the pause`() throws {
        var world = World()
        let link = try #require(make(&world, request()))
        var circle = Town.family
        circle.members[0].sharing = .pausedUntil(world.now + .seconds(60))
        world.change(.circleChanged(circle))
        #expect(isOver(link, world, as: .sharingPaused))
        world.pass(.seconds(120))
        #expect(!opens(link, world))
        // Made while the pause lasts, it is meant.
        circle.members[0].sharing = .off
        world.change(.circleChanged(circle))
        let second = try #require(make(&world, request(2)))
        world.change(.circleChanged(circle))
        #expect(opens(second, world))
    }

    // MARK: Emergencies

    @Test func `a guardian who was notified makes one for the emergency, which ends with it`()
        throws
    {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        let link = try #require(
            make(&world, request(by: Town.budi.id, for: .emergency(Town.emergency(1)))))
        #expect(opens(link, world))
        #expect(views(world).isEmpty, "ingest publishes positions anyway")
        world.receive(.emergencyCancelled(Town.change(1, .cancelled)))
        #expect(isOver(link, world, as: .over))
    }

    @Test func `a member makes none, nor somebody who was not notified`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        #expect(world.emergency(Town.emergency(1))?.recipients.contains(Town.citra.id) == false)
        for (person, denial) in [(Town.dewi, Denial.roleTooLow), (Town.citra, .notARecipient)] {
            #expect(make(&world, request(by: person.id, for: .emergency(Town.emergency(1)))) == nil)
            #expect(world.answers[1] == .liveLink(.denied(denial)))
        }
    }

    @Test func `a guardian who does not see the position shares none`() {
        var world = World()
        var circle = Town.family
        circle.members[0].sharing = .off
        world.change(.circleChanged(circle))
        world.receive(.emergencyOpened(Town.change(trigger: .watchExpired)))
        #expect(
            make(&world, request(by: Town.budi.id, for: .emergency(Town.emergency(1)))) == nil)
        #expect(world.answers[1] == .liveLink(.positionNotShared))
    }

    @Test func `the link of a guardian who leaves the circle shows nothing`() throws {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        let link = try #require(
            make(&world, request(by: Town.budi.id, for: .emergency(Town.emergency(1)))))
        var circle = Town.family
        circle.members.removeAll { $0.person == Town.budi.id }
        world.change(.circleChanged(circle))
        #expect(!opens(link, world))
    }

    /// What goes on after a duress PIN does not exist for its person, nor for their recipients.
    @Test func `links end with a duress PIN as with a true one, and show nothing of what goes on`()
        throws
    {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        let own = try #require(make(&world, request(1, for: .emergency(Town.emergency(1)))))
        let others = try #require(
            make(&world, request(2, by: Town.budi.id, for: .emergency(Town.emergency(1)))))
        var covert = Town.signal(2, countdown: .zero)
        covert.underDuress = Town.emergency(1)
        world.receive(.sosRaised(covert))
        world.receive(.emergencyCancelled(Town.change(1, .cancelled, by: Town.aisha.id)))
        #expect(isOver(own, world, as: .over) && isOver(others, world, as: .over))
        // The person cannot make one for it, and does not see that a guardian did.
        #expect(make(&world, request(3, for: .emergency(Town.emergency(2)))) == nil)
        #expect(world.answers[3] == .liveLink(.unknownEmergency))
        let hidden = try #require(
            make(&world, request(4, by: Town.budi.id, for: .emergency(Town.emergency(2)))))
        #expect(opens(hidden, world))
        #expect(world.notifier.isHidden(hidden))
        func lists(_ person: Person) -> Bool {
            world.notifier.isListed(
                hidden, for: .person(person.id), world.directory, at: world.now)
        }
        #expect(lists(Town.budi) && !lists(Town.aisha))
        world.handle(
            .revokeLiveLink(
                LiveLinkRevocation(
                    request: 5, principal: .person(Town.aisha.id), person: Town.aisha.id,
                    link: hidden.id)))
        #expect(world.answers[5] == .liveLink(.unknown) && opens(hidden, world))
        let page = world.notifier.livePage(of: hidden, [], world.directory, at: world.now)
        #expect(page?.isUnderDuress == true)
    }

    // MARK: Watches and journeys

    private func watch(_ state: WatchState, version: Int64 = 1) -> Watch {
        Watch(
            id: WatchID(ID128(high: 5, low: 1)), person: Town.aisha.id, started: World.start,
            deadline: World.start + .seconds(1800), state: state, version: version)
    }

    @Test(arguments: [WatchState.ended, .arrived, .cancelled])
    func `a link for a watch ends with it`(state: WatchState) throws {
        var world = World()
        #expect(make(&world, request(for: .watch)) == nil)
        #expect(world.answers[1] == .liveLink(.noWatch))
        world.receive(.watchChanged(watch(.active)))
        let link = try #require(make(&world, request(2, for: .watch)))
        world.receive(.watchChanged(watch(.reminded, version: 2)))
        #expect(opens(link, world))
        world.receive(.watchChanged(watch(state, version: 3)))
        #expect(isOver(link, world, as: .over))
    }

    @Test func `a link for a watch that expired goes on`() throws {
        var world = World()
        world.receive(.watchChanged(watch(.active)))
        let link = try #require(make(&world, request(for: .watch)))
        world.receive(.watchChanged(watch(.expired, version: 2)))
        #expect(opens(link, world))
    }

    private func position(isOnJourney: Bool, emergency: EmergencyID? = nil) -> FollowedPosition {
        FollowedPosition(
            person: Town.aisha.id, emergency: emergency, fixes: [Town.fix(at: World.start)],
            isOnJourney: isOnJourney ? true : nil)
    }

    @Test func `a link for a journey ends with it`() throws {
        var world = World()
        let link = try #require(make(&world, request(for: .journey)))
        world.pass(.seconds(5))
        world.receive(.sosPosition(position(isOnJourney: true)))
        #expect(opens(link, world))
        world.receive(.sosPosition(position(isOnJourney: false)))
        #expect(isOver(link, world, as: .over))
    }

    // MARK: Zones, limits, restart

    @Test func `it draws no zone that its person did not choose, and none that is not theirs`()
        throws
    {
        var world = World()
        let link = try #require(make(&world, request()))
        #expect(link.zones.isEmpty)
        #expect(make(&world, request(2, zones: [Town.school.id]))?.zones == [Town.school.id])
        var foreign = Town.zone(9, "Elsewhere", radiusMetres: 50)
        foreign.owner = .circle(Town.teamID)
        world.change(.zoneChanged(foreign))
        #expect(make(&world, request(3, zones: [foreign.id])) == nil)
        #expect(world.answers[3] == .liveLink(.zoneNotTheirs))
        world.receive(.emergencyOpened(Town.change()))
        let others = request(
            4, by: Town.budi.id, for: .emergency(Town.emergency(1)), zones: [Town.school.id])
        #expect(make(&world, others) == nil)
    }

    @Test func `a restart keeps links and publishes nothing again`() throws {
        var world = World()
        let link = try #require(make(&world, request(length: .seconds(600))))
        world.handle(.liveLook(link.hash))
        world.clear()
        world.restart()
        #expect(opens(link, world) && views(world).isEmpty)
        #expect(world.liveLinks[link.id]?.lookTimes == [World.start])
        world.pass(.seconds(700))
        #expect(isOver(link, world, as: .expired))
    }

    @Test func `the 21st open link is rejected`() {
        var world = World()
        for number in 1...UInt64(Limits.liveLinksPerPerson) {
            #expect(make(&world, request(number)) != nil)
        }
        #expect(make(&world, request(21)) == nil)
        #expect(world.answers[21] == .liveLink(.tooMany))
    }

    @Test func `looks are counted, and the newest times kept`() throws {
        var world = World()
        let link = try #require(make(&world, request()))
        for _ in 0..<30 {
            world.pass(.seconds(1))
            world.handle(.liveLook(link.hash))
        }
        let stored = try #require(world.liveLinks[link.id])
        #expect(stored.looks == 30 && stored.lookTimes.count == Limits.liveLinkLooksKept)
        #expect(stored.firstLook == World.start + .seconds(1))
    }

    @Test func `removing the person ends it`() throws {
        var world = World()
        let link = try #require(make(&world, request()))
        world.change(.personRemoved(PersonRemoval(person: Town.aisha.id)))
        #expect(!opens(link, world))
    }
}
