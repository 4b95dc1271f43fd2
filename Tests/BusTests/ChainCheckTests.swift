import Bus
import Model
import Store
import Testing
import Wire

@Suite(.closingWorlds) struct `A chain check` {
    /// Runs a check of a publisher over the transport of the test.
    private func check(_ stream: StreamName, of writer: Node) throws -> ChainCheck {
        var configuration = Bus.Configuration(name: "verify")
        configuration.peers = [
            Bus.Peer(
                name: "writer", publishEndpoint: writer.configuration.publishEndpoint ?? "",
                controlEndpoint: writer.configuration.controlEndpoint ?? "", streams: [])
        ]
        let transport = try writer.world.transport(configuration)
        var check = ChainCheck(stream, name: "verify")
        var isAsked = false
        try writer.world.run(until: {
            if !isAsked { isAsked = transport.sendRequest(check.request, to: 0) }
            while let event = transport.next() {
                if case .replied(_, let frame) = event, check.receive(frame) { isAsked = false }
            }
            return check.outcome != nil
        })
        transport.close()
        return check
    }

    @Test(arguments: Carrier.allCases)
    func `reads all records and counts them`(carrier: Carrier) throws {
        let world = try World(carrier)
        let writer = try world.writer("writer", [.init(.sos), .init(.deadlines)])
        try writer.append(5000, to: .sos, size: 200)
        let whole = try check(.sos, of: writer)
        #expect(whole.outcome == .whole)
        #expect(whole.records == 5000)
        #expect(whole.bytes == 5000 * 224)
        #expect(whole.position?.sequence == 5000)
        let empty = try check(.deadlines, of: writer)
        #expect(empty.outcome == .whole)
        #expect(empty.records == 0)
        writer.work = { bus in
            if bus.heads[0].base.sequence == 0 { try bus.prune(.sos, through: 1234) }
        }
        try world.run(for: .milliseconds(50))
        let rest = try check(.sos, of: writer)
        #expect(rest.outcome == .whole)
        #expect(rest.records == 5000 - 1234)
        #expect(writer.bus?.acknowledgements.isEmpty == true)
    }

    @Test(arguments: [
        "UPDATE outbox SET payload = x'00' WHERE place % 10000 = 777",
        "UPDATE outbox SET id = randomblob(16) WHERE place % 10000 = 777",
        "UPDATE outbox SET hash = hash + 1 WHERE place % 10000 = 777",
        "DELETE FROM outbox WHERE place % 10000 = 777",
    ])
    func `finds a record that was changed in the store`(sql: String) throws {
        let world = try World(.memory)
        let writer = try world.writer("writer", [.init(.input(0))])
        try writer.append(2000, to: .input(0))
        try writer.database.execute(sql)
        let broken = try check(.input(0), of: writer)
        guard case .broken(let sequence, _) = broken.outcome else {
            Issue.record("\(sql) was not found")
            return
        }
        #expect(sequence == 777)
        #expect(broken.records >= 776)
    }

    @Test func `finds a head that differs from the last record`() throws {
        let world = try World(.memory)
        let writer = try world.writer("writer", [.init(.input(0))])
        try writer.append(100, to: .input(0))
        try writer.database.execute("DELETE FROM outbox WHERE place > 90")
        let cut = try check(.input(0), of: writer)
        guard case .broken(91, let reason) = cut.outcome else {
            Issue.record("\(String(describing: cut.outcome))")
            return
        }
        #expect(reason.contains("missing"))
    }
}
