import Directory
import Model
import Testing

@testable import NotifierCore

/// Readiness of the members of Town's family, as each of them reads it.
struct ReadinessTests {
    private var world = World()

    private func row(
        of person: Person, readBy reader: Person?, _ reporting: [DeviceReporting] = []
    ) throws -> MemberReadiness {
        let circle = try #require(world.directory.circle(Town.familyID))
        let readiness = Readiness(
            world.directory, world.notifier.delivery.reachability, at: world.now)
        return readiness.member(
            try #require(circle.member(person.id)), of: circle, readBy: reader?.id,
            reporting: reporting, proven: world.notifier.delivery.lastProof)
    }

    private func readable(by reader: Person?) throws -> [PersonID] {
        let circle = try #require(world.directory.circle(Town.familyID))
        return Readiness(world.directory, world.notifier.delivery.reachability, at: world.now)
            .members(of: circle, readBy: reader?.id).map(\.person)
    }

    private func device(
        _ person: Person, _ number: UInt64, daysAgo: Int64, isFirst: Bool = true,
        _ impairments: [Impairment] = []
    ) -> DeviceReporting {
        DeviceReporting(
            person: person.id, device: DeviceID(ID128(high: 8, low: number)), isFirst: isFirst,
            app: "owntracks", lastReport: world.now - .seconds(daysAgo * 86_400),
            impairments: impairments)
    }

    // MARK: Who could respond

    @Test func `everybody else with a verified contact point that works could respond`() throws {
        let aisha = try row(of: Town.aisha, readBy: Town.budi)
        #expect(aisha.responders == [Town.budi.id, Town.citra.id, Town.dewi.id])
        #expect(aisha.obstacle == nil)
    }

    @Test func `a person alone reads what their never-notify list changes`() throws {
        var world = world
        let all = [Town.budi, Town.citra, Town.dewi].map(\.id)
        world.change(.neverNotifyChanged(NeverNotifyList(person: Town.aisha.id, people: all)))
        let test = ReadinessTests(world: world)
        let own = try test.row(of: Town.aisha, readBy: Town.aisha)
        #expect(own.responders.isEmpty && own.state == .red && own.isOwnChoice)
        for reader in [Town.budi, Town.citra, nil] {
            let before = try row(of: Town.aisha, readBy: reader)
            let after = try test.row(of: Town.aisha, readBy: reader)
            #expect(after == before, "the list cannot be inferred")
        }
    }

    @Test func `an excluded circle reads to others as any other`() throws {
        var world = world
        world.change(
            .neverNotifyChanged(
                NeverNotifyList(person: Town.aisha.id, circles: [Town.familyID])))
        let test = ReadinessTests(world: world)
        #expect(try test.row(of: Town.aisha, readBy: Town.aisha).responders.isEmpty)
        #expect(
            try test.row(of: Town.aisha, readBy: Town.citra)
                == row(of: Town.aisha, readBy: Town.citra))
    }

    @Test func `a circle in which nobody else is reachable is red, with the reason`() throws {
        var world = world
        for var helper in [Town.budi, Town.citra, Town.dewi] {
            for index in helper.contacts.indices { helper.contacts[index].verified = nil }
            world.change(.personChanged(helper))
        }
        let test = ReadinessTests(world: world)
        let aisha = try test.row(of: Town.aisha, readBy: Town.budi)
        #expect(aisha.state == .red && aisha.reasons.first == .nobodyReachable)
        #expect(aisha.obstacle == .unverified)
        let circle = try #require(world.directory.circle(Town.familyID))
        let readiness = Readiness(
            world.directory, world.notifier.delivery.reachability, at: world.now)
        #expect(readiness.isAnybodyAlone(in: circle))
        #expect(
            !Readiness(
                self.world.directory, self.world.notifier.delivery.reachability, at: world.now
            ).isAnybodyAlone(in: circle))
    }

    // MARK: Who reads

    @Test func `members read about themselves, guardians and admins about those who agreed`()
        throws
    {
        #expect(try readable(by: Town.aisha) == [Town.aisha.id])
        #expect(try readable(by: Town.budi).count == 4)
        #expect(try readable(by: nil).count == 4)
        var world = world
        var family = Town.family
        family.members[0].withheldFrom = [Town.budi.id]
        world.change(.circleChanged(family))
        #expect(
            try ReadinessTests(world: world).readable(by: Town.budi)
                == [Town.budi, Town.citra, Town.dewi].map(\.id))
    }

    // MARK: PIN

    @Test func `members read whether a PIN is set, whatever the duress PIN`() throws {
        var world = world
        #expect(try row(of: Town.aisha, readBy: Town.budi).hasPIN == false)
        let pin = PersonPIN(person: Town.aisha.id, salt: "00", hashes: ["01", "02", "03", "04"])
        world.change(.pinChanged(pin))
        let test = ReadinessTests(world: world)
        #expect(try test.row(of: Town.aisha, readBy: Town.budi).hasPIN == true)
        #expect(try test.row(of: Town.aisha, readBy: nil).hasPIN == nil, "not the operator")
        // Who removed the PIN with a duress PIN is shown without one.
        world.change(
            .pinChanged(
                PersonPIN(
                    person: Town.aisha.id, salt: "00", hashes: ["01", "02", "03", "04"],
                    isShown: false)))
        let hidden = ReadinessTests(world: world)
        #expect(try hidden.row(of: Town.aisha, readBy: Town.budi).hasPIN == false)
    }

    // MARK: Reporting

    @Test func `names the app, the last report and what impairs it`() throws {
        let fresh = device(Town.aisha, 1, daysAgo: 1)
        #expect(
            try row(of: Town.aisha, readBy: Town.budi, [fresh]).reporting == .known(fresh))
        let old = device(Town.aisha, 1, daysAgo: 4, [.locationPermission])
        let reasons = try row(of: Town.aisha, readBy: Town.budi, [old]).reasons
        #expect(reasons.contains(.notReporting) && reasons.contains(.impaired))
        #expect(try row(of: Town.aisha, readBy: Town.budi).reasons.contains(.neverReported))
    }

    @Test func `counts the primary device`() throws {
        let first = device(Town.aisha, 1, daysAgo: 9)
        let second = device(Town.aisha, 2, daysAgo: 0, isFirst: false)
        #expect(
            try row(of: Town.aisha, readBy: Town.budi, [second, first]).reporting == .known(first))
    }

    @Test func `shows to others nothing of a phone whose person shares nothing`() throws {
        var world = world
        var family = Town.family
        family.members[0].sharing = .off
        world.change(.circleChanged(family))
        let test = ReadinessTests(world: world)
        let device = device(Town.aisha, 1, daysAgo: 9)
        let shown = try test.row(of: Town.aisha, readBy: Town.budi, [device])
        #expect(shown.reporting == .notShared && !shown.reasons.contains(.notReporting))
        #expect(
            try test.row(of: Town.aisha, readBy: Town.aisha, [device]).reporting == .known(device))
    }

    // MARK: Proven deliveries

    private func delivered(_ world: inout World, to address: String) throws {
        let message = try #require(world.notifications.first { $0.address == address })
        world.handle(
            .receipt(Receipt(notification: message.id, kind: .delivered, address: address)))
    }

    @Test func `a receipt proves a channel, to the day`() throws {
        var world = world
        world.receive(.zoneEntered(Town.crossing()))
        try delivered(&world, to: "+60111000002")
        let budi = try ReadinessTests(world: world).row(of: Town.budi, readBy: Town.citra)
        let sms = try #require(budi.channels.first { $0.channel == .sms })
        #expect(sms.proven?.description.hasPrefix("2026-11-20T00:00:00") == true)
        #expect(!budi.reasons.contains(.unproven))
        world.pass(.seconds(36 * 86_400))
        #expect(
            try ReadinessTests(world: world).row(of: Town.budi, readBy: Town.citra).reasons
                .contains(.unproven))
    }

    @Test func `messages under duress prove nothing, as their person would read it`() throws {
        var world = world
        var signal = Town.signal(2, countdown: .zero)
        signal.underDuress = Town.emergency(1)
        world.receive(.sosRaised(signal))
        try delivered(&world, to: "+60111000002")
        #expect(world.notifier.delivery.lastProof("+60111000002") == nil)
        // A usual one does.
        var usual = World()
        usual.receive(.emergencyOpened(Town.change()))
        try delivered(&usual, to: "+60111000002")
        #expect(usual.notifier.delivery.lastProof("+60111000002") != nil)
    }

    private init(world: World) { self.world = world }
    init() {}
}
