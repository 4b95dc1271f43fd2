import Directory
import Model
import Testing

@testable import TimerDaemon

@Suite struct `Deadlines of accounts` {
    private let world: World

    init() throws { world = try World() }

    private func trial(of person: PersonID, ends: Timestamp?) -> EventBody {
        var changed = world.replica.person(person) ?? Person(id: person, name: "New")
        changed.plan = ends == nil ? .lapsed : .trial
        changed.trialEnds = ends
        changed.version += 1
        return .personChanged(changed)
    }

    /// Applies a change of the directory as the host does.
    private func change(_ body: EventBody) throws {
        try world.turn {
            let event = world.event(body)
            try world.service.directoryWillChange(event)
            world.replica.apply(body)
            try world.service.apply(event, from: .directory, at: .unknown)
        }
    }

    private var expired: [String] {
        world.expired.compactMap {
            guard case .deadlineExpired(let expired) = $0.body else { return nil }
            return "\(expired.deadline.kind.rawValue) \(expired.deadline.person)"
        }
    }

    @Test func `expire once, at their date`() throws {
        try change(trial(of: anna, ends: noon + .seconds(60)))
        try world.pass(.seconds(59))
        #expect(expired == [])
        try world.pass(.seconds(2))
        #expect(expired == ["trial-end \(anna)"])
        // Membership has not changed the person yet: a restart does not expire it again.
        try world.restart()
        try world.pass(.seconds(10))
        #expect(expired.count == 1)
    }

    @Test func `move with the date, and end with the trial or the account`() throws {
        try change(trial(of: anna, ends: noon + .seconds(60)))
        try change(trial(of: ben, ends: noon + .seconds(60)))
        try change(trial(of: anna, ends: noon + .seconds(90)))
        try change(trial(of: ben, ends: nil))
        try world.pass(.seconds(61))
        #expect(expired == [])
        try world.pass(.seconds(30))
        #expect(expired == ["trial-end \(anna)"])
        try change(trial(of: ben, ends: noon + .seconds(100)))
        try change(.personRemoved(PersonRemoval(person: ben)))
        try world.pass(.seconds(30))
        #expect(expired.count == 1)
    }

    @Test func `of a ward are the notice, then the takeover`() throws {
        var ward = try #require(world.replica.person(ben))
        ward.guardians = [anna]
        ward.wardUntil = noon + .seconds(8 * 86_400)
        ward.version += 1
        try change(.personChanged(ward))
        try world.pass(.seconds(86_400))
        #expect(expired == ["take-over-notice \(ben)"])
        try world.pass(.seconds(7 * 86_400))
        #expect(expired == ["take-over-notice \(ben)", "take-over \(ben)"])
    }

    @Test func `of a store without them are scheduled at the start`() throws {
        // As if an older version had read the change.
        world.replica.apply(trial(of: anna, ends: noon + .seconds(60)))
        try world.restart()
        try world.pass(.seconds(61))
        #expect(expired == ["trial-end \(anna)"])
    }

    @Test func `are scheduled again after a turn that was rolled back`() throws {
        let body = trial(of: anna, ends: noon + .seconds(60))
        let event = world.event(body)
        try world.failingTurn { try world.service.directoryWillChange(event) }
        try change(body)
        try world.pass(.seconds(61))
        #expect(expired == ["trial-end \(anna)"])
    }

    @Test func `are joined on the stream by credentials that were used`() throws {
        let usage = CredentialUsage(day: 20_780, credentials: [CredentialID(.zero)])
        try world.turn { try world.service.recordUsage(usage) }
        #expect(world.expired.map(\.body) == [.usageRecorded(usage)])
    }
}
