import Directory
import Model
import Testing
import Wire

@testable import Hosting

@Suite struct `A change of the directory that cannot be applied` {
    private struct InvalidRecord: Error {}
    private let anna = Person(id: PersonID(ID128(high: 1, low: 1)), name: "Anna")
    private let budi = Person(id: PersonID(ID128(high: 1, low: 2)), name: "Budi")

    /// A stage that knows Anna, and whose service fails at the second change.
    private func stage() throws -> Stage {
        let stage = try Stage()
        try stage.change(.personChanged(anna))
        try stage.run(until: { try stage.effects(of: .directory) == [1] })
        stage.script.onApply = { _, stream, position in
            if stream == .directory, position.sequence == 2 { throw InvalidRecord() }
        }
        return stage
    }

    private func retry(_ stage: Stage) throws {
        #expect(try stage.command(["action": "retry", "entry": 1]) == 202)
    }

    @Test func `is dead-lettered until a snapshot has been applied`() throws {
        let stage = try stage()
        try stage.change(.personChanged(budi))
        try stage.run(until: { try stage.streams["deadLetterCount"] == 1 })
        #expect(stage.host.directory?.replica.person(budi.id) == nil)
        var tries = 0
        stage.script.onReplace = {
            tries += 1
            throw InvalidRecord()
        }
        try retry(stage)
        try stage.run(until: { tries == 3 })
        #expect(try stage.streams["deadLetterCount"] == 1, "a failed snapshot keeps the entry")
        #expect(stage.host.directory?.replica.person(budi.id) == nil)
        let health = try stage.send(.get, "/healthz")
        #expect(health.text.contains("snapshot of directory could not be applied, 3 attempts"))
        try stage.run(for: .seconds(60))
        #expect((5...8).contains(tries), "\(tries) tries")
        stage.script.onReplace = {}
        try stage.run(until: { try stage.streams["deadLetterCount"] == 0 })
        #expect(stage.host.directory?.replica.person(budi.id) == budi)
        try stage.run(for: .seconds(1))
        #expect(try stage.send(.get, "/healthz").status == 200)
    }

    @Test func `stops the stream if a snapshot has records of a newer version`() throws {
        let stage = try stage()
        try stage.change(.personChanged(budi))
        try stage.run(until: { try stage.streams["deadLetterCount"] == 1 })
        stage.peers[.membership]?.directory.append(
            Record(kind: 50, schema: 99, id: .zero, payload: [1]))
        try retry(stage)
        try stage.run(until: { try stage.streams["stopped"]?.array?.count == 1 })
        let page = try stage.streams
        #expect(page["stopped"]?.array?.first?["stream"] == "directory")
        #expect(page["deadLetterCount"] == 1)
        #expect(try stage.send(.get, "/healthz").status == 503)
        #expect(try stage.command(["action": "skip", "stream": "directory"]) == 409)
    }

    @Test func `and revokes something stops the stream`() throws {
        let stage = try stage()
        try stage.change(.personRemoved(PersonRemoval(person: anna.id)))
        try stage.change(.personChanged(budi))
        try stage.run(until: { try stage.streams["stopped"]?.array?.count == 1 })
        #expect(try stage.streams["stopped"]?.array?.first?["sequence"] == 2)
        #expect(try stage.streams["deadLetterCount"] == 0)
        #expect(try stage.effects(of: .directory) == [1])
        #expect(try stage.send(.get, "/healthz").status == 503)
    }

    @Test func `may revoke something if it changes a known entity`() throws {
        let stage = try stage()
        let replica = try #require(stage.host.directory?.replica)
        #expect(EventBody.personChanged(anna).mayRevoke(in: replica))
        #expect(!EventBody.personChanged(budi).mayRevoke(in: replica))
        let credential = CredentialRemoval(credential: CredentialID(.zero))
        #expect(EventBody.credentialRemoved(credential).mayRevoke(in: replica))
    }
}

@Suite struct `The directory in a store` {
    private let owner = ZoneOwner.circle(CircleID(ID128(high: 2, low: 1)))
    private let set = ZoneSet(id: ZoneSetID(ID128(high: 3, low: 1)), name: "Floods")

    @Test func `is complete after a restart, without removed entities`() throws {
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
        #expect(
            DirectorySnapshot(of: replica).events == [
                .setChanged(set), .messageChanged(messages[0]),
            ])
    }
}
