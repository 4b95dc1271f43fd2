import Bus
import Foundation
import Model
import Parsing
import Runtime
import TestSupport
import Testing
import Wire

/// A process on this machine that misuses the evaluators' key.
actor RogueEvaluator {
    private let transport: ZeroMQTransport
    let member = SecureRandom.id()
    private(set) var assignments: [Assignment] = []
    private var heads: [StreamName: Position] = [:]
    private var isRunning = true

    init(home: String, portBase: Int) throws {
        let settings = try Runtime.Configuration(
            settings: BusSecurity.settings, environment: ["JAGA_HOME": home])
        func endpoint(_ distance: Int) -> String { "tcp://127.0.0.1:\(portBase + distance)" }
        var peer = Bus.Peer(
            name: "ingest", publishEndpoint: endpoint(101), controlEndpoint: endpoint(201),
            streams: [], derivedEndpoint: endpoint(301), inputsEndpoint: endpoint(302))
        peer.assignsPartitions = true
        var configuration = Bus.Configuration(name: "evaluator-rogue")
        configuration.peers = [peer]
        configuration.security = try BusSecurity.read(settings, role: .evaluator)
        transport = try ZeroMQTransport(configuration)
    }

    /// Claims its assigned partitions, reports all of them as live, and evaluates nothing.
    func idle() async {
        var saidAt = Date.distantPast
        while isRunning {
            receive()
            if Date().timeIntervalSince(saidAt) > 0.5 {
                saidAt = Date()
                let leases = assignments.map {
                    Lease(partition: $0.partition, epoch: $0.epoch, state: .live)
                }
                _ = transport.sendRequest(
                    Control.renew(member: member, logic: 1...99, leases: leases).encoded(),
                    to: 0)
            }
            try? await Task.sleep(for: .milliseconds(20))
        }
        transport.close()
    }

    /// Joins repeatedly with new ids.
    func flood() async -> Int {
        var count = 0
        while isRunning {
            for _ in 0..<500 {
                let join = Control.join(member: SecureRandom.id(), logic: 1...99)
                if transport.sendRequest(join.encoded(), to: 0) { count += 1 }
            }
            receive()
            await Task.yield()
        }
        transport.close()
        return count
    }

    func stop() { isRunning = false }

    /// Proposes an unreadable record after the existing ones of its partition.
    ///
    /// - Returns: false while the end of the partition is unknown
    func proposeGarbage(in partition: Partition) -> Bool {
        guard let output = heads[.events(partition)], let input = heads[.input(partition)] else {
            return false
        }
        let record = Record(kind: 41, schema: 1, id: SecureRandom.id(), payload: [1, 2, 3])
        let batch = Batch(
            stream: .events(partition), after: output, records: [record], head: 0,
            published: .zero)
        transport.sendProposal(Proposal(batch, from: input, by: member).encoded(), to: 0)
        return true
    }

    private func receive() {
        while let arrival = transport.next() {
            switch arrival {
            case .replied(_, let bytes):
                guard case .control(.assign(member, _, let list))? = try? Frame(bytes) else {
                    continue
                }
                assignments = list
            case .published(_, let bytes):
                guard case .heads(let found)? = try? Frame(bytes) else { continue }
                for extent in found.extents { heads[extent.stream] = extent.head }
            default: continue
            }
        }
    }
}

extension Household {
    /// Partitions that are finally evaluated, and the number of their evaluators.
    fileprivate func liveShares() throws -> [Int] {
        _ = suite.log
        let details = try admin.call("GET", "/v1/status/ingest")["details"]
        return (details?["members"]?.array ?? []).map { Int($0["live"]?.int ?? 0) }
    }

    fileprivate func health() throws -> PlainHTTP.Answer {
        try PlainHTTP(port: suite.portBase + 1).send("GET", "/healthz")
    }

    /// Adds people until each half of the partitions has some with records.
    fileprivate func addPeople() throws {
        for number in 0..<16 {
            let person = try admin.call("POST", "/v1/people", ["name": .string("P\(number)")])
            try admin.call(
                "POST", "/v1/circles/\(circle)/members",
                ["person": .string(try person.text("id")), "role": "member"])
        }
    }

    /// Waits until the rogue owns half of the partitions.
    fileprivate func assignPartitions(_ rogue: RogueEvaluator) async throws {
        let isAssigned = try await eventually {
            try liveShares().sorted() == [32, 32] ? await rogue.assignments.count == 32 : false
        }
        #expect(isAssigned, "\(suite.log)")
    }

    /// A crossing is notified in every partition.
    fileprivate func expectEntry() async throws {
        try await phone.report(Zone.outside)
        try await phone.report(Zone.park.inside)
        try await expectNotifications(
            NotificationSummary.all("Anna entered Park", to: "Bob", "Cara"))
    }
}

extension `The suite` {
    @Suite struct `With a rogue holder of the evaluators' key` {
        @Test func `a member that claims half of the partitions and evaluates nothing loses them`()
            async throws
        {
            try await Household.run(zones: [.park]) { home in
                try home.addPeople()
                let rogue = try RogueEvaluator(
                    home: home.suite.home, portBase: home.suite.portBase)
                let work = Task { await rogue.idle() }
                try await home.assignPartitions(rogue)
                let start = Date()
                let isReported = try await eventually(every: 200) {
                    let health = try home.health()
                    return health.status == 503
                        && health.text.contains("has evaluated nothing of")
                }
                #expect(isReported, "\(home.suite.log)")
                let isReassigned = try await eventually(every: 200) {
                    try home.liveShares().sorted() == [0, 64]
                }
                #expect(isReassigned, "\(home.suite.log)")
                #expect(Date().timeIntervalSince(start) < 20)
                #expect(await rogue.assignments.isEmpty)
                #expect(try home.health().text.contains("was revoked at"))
                try await home.expectEntry()
                #expect(try home.liveShares().sorted() == [0, 64], "permanently")
                await rogue.stop()
                await work.value
            }
        }

        @Test func `a member that proposes unreadable records does not stop others`() async throws {
            try await Household.run(zones: [.park]) { home in
                try home.addPeople()
                let rogue = try RogueEvaluator(
                    home: home.suite.home, portBase: home.suite.portBase)
                let work = Task { await rogue.idle() }
                try await home.assignPartitions(rogue)
                let partition = try #require(await rogue.assignments.first?.partition)
                #expect(await eventually { await rogue.proposeGarbage(in: partition) })
                let isReassigned = try await eventually(within: 5, every: 100) {
                    try home.liveShares().sorted() == [0, 64]
                }
                #expect(isReassigned, "\(home.suite.log)")
                let health = try home.health()
                #expect(health.text.contains("proposed an invalid record of events/"))
                #expect(health.text.contains("dead letter"))
                try await home.expectEntry()
                let stopped = try home.admin.call("GET", "/v1/streams/ingest")["stopped"]?.array
                #expect(stopped?.isEmpty == true)
                await rogue.stop()
                await work.value
            }
        }

        @Test func `a flood of JOINs delays no panic`() async throws {
            try await Household.run { home in
                var rogues: [RogueEvaluator] = []
                for _ in 0..<2 {
                    rogues.append(
                        try RogueEvaluator(home: home.suite.home, portBase: home.suite.portBase))
                }
                let floods = rogues.map { rogue in Task { await rogue.flood() } }
                try await Task.sleep(for: .seconds(1))
                var waits: [Double] = []
                var expected: [NotificationSummary] = []
                for number in 1...3 {
                    let start = Date()
                    try await home.button.callForHelp("call \(number)")
                    waits.append(Date().timeIntervalSince(start))
                    if number == 1 {
                        expected = NotificationSummary.all(
                            "SOS Anna: panic button (call 1)", to: "Bob")
                        #expect(try await home.wait(for: expected))
                        waits.append(Date().timeIntervalSince(start))
                    }
                }
                for rogue in rogues { await rogue.stop() }
                var count = 0
                for flood in floods { count += await flood.value }
                #expect(count > 10_000, "\(count) JOINs")
                #expect(waits.allSatisfy { $0 < 5 }, "\(waits)")
                print("JOIN flood: \(count) JOINs; seconds: \(waits)")
                let isOwned = try await eventually {
                    try home.liveShares().reduce(0, +) == 64
                }
                #expect(isOwned, "\(home.suite.log)")
            }
        }
    }
}
