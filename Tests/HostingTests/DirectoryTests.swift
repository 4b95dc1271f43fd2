import Model
import Testing
import Wire

@testable import Hosting

@Suite struct `A change of the directory that cannot be digested` {
    private struct Indigestible: Error {}
    private let anna = Person(id: PersonID(ID128(high: 1, low: 1)), name: "Anna")
    private let budi = Person(id: PersonID(ID128(high: 1, low: 2)), name: "Budi")

    /// A stage where Anna is known and one change was put aside.
    private func stage() throws -> Stage {
        let stage = try Stage()
        try stage.change(.personChanged(anna))
        try stage.run(until: { try stage.effects(of: .directory) == [1] })
        stage.script.onApply = { _, stream, position in
            if stream == .directory, position.sequence == 2 { throw Indigestible() }
        }
        return stage
    }

    private func retry(_ stage: Stage) throws {
        #expect(try stage.mend(["action": "retry", "entry": 1]) == 202)
    }

    @Test func `is put aside until the whole has been read anew`() throws {
        let stage = try stage()
        try stage.change(.personChanged(budi))
        try stage.run(until: { try stage.streams["poisonCount"] == 1 })
        #expect(stage.host.directory?.replica.person(budi.id) == nil)
        var tries = 0
        stage.script.onReplace = {
            tries += 1
            throw Indigestible()
        }
        try retry(stage)
        try stage.run(until: { tries == 3 })
        #expect(try stage.streams["poisonCount"] == 1, "it is forgotten by no try that failed")
        #expect(stage.host.directory?.replica.person(budi.id) == nil)
        let health = try stage.send(.get, "/healthz")
        #expect(health.text.contains("directory has a snapshot that could not be applied, 3 times"))
        try stage.run(for: .seconds(60))
        #expect((5...8).contains(tries), "\(tries) tries")
        stage.script.onReplace = {}
        try stage.run(until: { try stage.streams["poisonCount"] == 0 })
        #expect(stage.host.directory?.replica.person(budi.id) == budi)
        try stage.run(for: .seconds(1))
        #expect(try stage.send(.get, "/healthz").status == 200)
    }

    @Test func `stops visibly where a snapshot has what is of a newer program`() throws {
        let stage = try stage()
        try stage.change(.personChanged(budi))
        try stage.run(until: { try stage.streams["poisonCount"] == 1 })
        stage.keepers[.membership]?.directory.append(
            Record(kind: 50, schema: 99, id: .zero, payload: [1]))
        try retry(stage)
        try stage.run(until: { try stage.streams["stopped"]?.array?.count == 1 })
        let page = try stage.streams
        #expect(page["stopped"]?.array?.first?["stream"] == "directory")
        #expect(page["poisonCount"] == 1)
        #expect(try stage.send(.get, "/healthz").status == 503)
        #expect(try stage.mend(["action": "skip", "stream": "directory"]) == 409)
    }

    @Test func `and takes something away stops it instead`() throws {
        let stage = try stage()
        try stage.change(.personRemoved(PersonRemoval(person: anna.id)))
        try stage.change(.personChanged(budi))
        try stage.run(until: { try stage.streams["stopped"]?.array?.count == 1 })
        #expect(try stage.streams["stopped"]?.array?.first?["sequence"] == 2)
        #expect(try stage.streams["poisonCount"] == 0)
        #expect(try stage.effects(of: .directory) == [1])
        #expect(try stage.send(.get, "/healthz").status == 503)
    }

    @Test func `may take something away if it is about what is known`() throws {
        let stage = try stage()
        let replica = try #require(stage.host.directory?.replica)
        #expect(replica.mayTakeAway(.personChanged(anna)))
        #expect(!replica.mayTakeAway(.personChanged(budi)))
        let credential = CredentialRemoval(credential: CredentialID(.zero))
        #expect(replica.mayTakeAway(.credentialRemoved(credential)))
    }
}

@Suite struct `The directory in a store` {
    private let owner = ZoneOwner.circle(CircleID(ID128(high: 2, low: 1)))
    private let set = ZoneSet(id: ZoneSetID(ID128(high: 3, low: 1)), name: "Floods")

    @Test func `has everything again after a restart, and nothing that is gone`() throws {
        let messages = (1...2).map { number in
            ZoneMessage(
                id: MessageID(ID128(high: 4, low: UInt64(number))), owner: owner,
                number: "+1555000010\(number)")
        }
        let other = ZoneSet(id: ZoneSetID(ID128(high: 3, low: 2)), name: "Gone")
        let stage = try Stage()
        let changes: [EventBody] =
            [.setChanged(set), .setChanged(other)] + messages.map { .messageChanged($0) } + [
                .setRemoved(SetRemoval(set: other.id)),
                .messageRemoved(ZoneMessageRemoval(message: messages[1].id)),
                .messageRequested(
                    SealedMessage(expires: Timestamp(seconds: 1), sealed: "c2VhbGVk")),
            ]
        for change in changes { try stage.change(change) }
        try stage.run(until: { try stage.effects(of: .directory).last == changes.count })
        try stage.restart()
        let replica = try #require(stage.host.directory?.replica)
        #expect(replica.allEvents() == [.setChanged(set), .messageChanged(messages[0])])
    }
}
