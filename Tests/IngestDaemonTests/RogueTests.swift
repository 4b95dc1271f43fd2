import Bus
import Model
import Runtime
import Testing
import Wire

@testable import IngestCore
@testable import IngestDaemon

/// Members that have the evaluators' key and misuse it.
@Suite struct `A rogue evaluator` {
    private let partition = Partition.of(person(1))

    private func metrics(_ world: World) -> String {
        let metrics = Metrics()
        world.service.writeMetrics(metrics)
        return metrics.render()
    }

    @Test func `is unhealthy, then revoked once there is another evaluator`()
        throws
    {
        let world = try World()
        var rogue = Evaluator(1, in: world)
        rogue.isIdle = true
        try world.wait(seconds: 3)
        try rogue.join()
        try rogue.renew()
        #expect(
            world.service.ownership.coordinator.assignmentViews.allSatisfy { $0.state == .live })
        try world.wait(seconds: Int(Limits.idleUnhealthySeconds) - 2, with: [rogue])
        #expect(world.service.healthProblems.isEmpty)
        try world.wait(seconds: 4, with: [rogue])
        let problem = try #require(world.service.healthProblems.first)
        let name = "evaluator \(rogue.member.text.prefix(6))…"
        #expect(problem.hasPrefix("\(name) has evaluated nothing of"))
        let count = World.partitions.count
        #expect(
            metrics(world).contains("jaga_ingest_partitions_unhealthy{reason=\"idle\"} \(count)\n"))
        try world.wait(seconds: 8, with: [rogue])
        #expect(world.service.alarms.contains { $0.hasPrefix("\(name) was revoked at ") })
        #expect(metrics(world).contains("jaga_ingest_members_revoked_total{cause=\"idle\"} 1\n"))
        #expect(rogue.assignments.count == 64, "nobody else is there")
        let honest = Evaluator(2, in: world)
        try honest.join()
        #expect(honest.assignments.count == 64)
        try rogue.renew()
        #expect(rogue.assignments.isEmpty)
        try world.wait(seconds: 20, with: [rogue, honest])
        #expect(honest.assignments.count == 64)
        #expect(world.service.healthProblems.isEmpty)
    }

    @Test func `is not revoked for an emergency that was never stored`() throws {
        let world = try World()
        let honest = Evaluator(1, in: world)
        try world.wait(seconds: 3)
        try honest.join()
        try honest.renew()
        let request = world.request(.post, "/v1/emergencies", token: "phone-1")
        try world.failingTurn { try world.service.handle(request) }
        try world.wait(seconds: 15, with: [honest])
        #expect(!metrics(world).contains("members_revoked_total{cause=\"idle\"} 1"))
        #expect(honest.assignments.count == 64)
        #expect(world.service.alarms.isEmpty && world.service.healthProblems.isEmpty)
    }

    @Test func `is detected by the first unanswered emergency`() throws {
        let world = try World()
        let liar = Evaluator(1, in: world)
        let honest = Evaluator(2, in: world)
        try world.wait(seconds: 3)
        try liar.join()
        try liar.renew()
        try world.wait(seconds: 30, with: [liar])
        #expect(world.service.healthProblems.isEmpty)
        let answer = try world.send(
            .post, "/v1/emergencies", #"{"trigger":"panic","countdown":0}"#, token: "phone-1")
        #expect(answer.status == 202)
        try world.wait(seconds: 7, with: [liar])
        let problem = "has evaluated nothing of partition"
        #expect(world.service.healthProblems.first?.contains(problem) == true)
        try world.wait(seconds: 5, with: [liar])
        try honest.join()
        #expect(honest.assignments.count == 64)
        try world.wait(seconds: 30, with: [liar, honest])
        #expect(honest.assignments.count == 64, "it is held against one of them only")
    }

    @Test func `is not blamed for a pause of ingest`() throws {
        let world = try World()
        let evaluator = Evaluator(1, in: world)
        try world.wait(seconds: 3)
        try evaluator.join()
        try world.wait(seconds: 3, with: [evaluator])
        try world.report()
        world.now = world.now + .seconds(60)
        try world.turn {}
        #expect(world.service.alarms.isEmpty)
        try world.wait(seconds: 3, with: [evaluator])
        #expect(world.service.alarms.isEmpty && world.service.healthProblems.isEmpty)
    }

    @Test func `may propose nothing more after an invalid proposal`() throws {
        let world = try World()
        let (rogue, honest) = (Evaluator(1, in: world), Evaluator(2, in: world))
        try world.wait(seconds: 3)
        for evaluator in [rogue, honest] {
            try evaluator.join()
            try evaluator.renew()
        }
        try rogue.renew()
        let stream = StreamName.events(try #require(rogue.assignments.first?.partition))
        #expect(world.service.mayPropose(stream, by: rogue.member))
        #expect(!world.service.mayPropose(stream, by: honest.member), "it has not the lease")
        #expect(!world.service.mayPropose(stream, by: Evaluator(3, in: world).member))
        try world.turn {
            try world.service.proposalRejected(stream, by: rogue.member, because: "a test says so")
        }
        #expect(!world.service.mayPropose(stream, by: rogue.member))
        #expect(world.service.mayPropose(stream, by: honest.member))
        #expect(honest.assignments.count == 64 && rogue.assignments.isEmpty)
        #expect(world.service.alarms.contains { $0.contains("a test says so") })
    }

    @Test func `cannot displace members with a flood of JOINs`()
        throws
    {
        let world = try World()
        let honest = Evaluator(1, in: world)
        try world.wait(seconds: 3)
        try honest.join()
        try world.wait(seconds: 2, with: [honest])
        let route = Route(bytes: Array("flood".utf8))
        try world.turn {
            for number in 100..<5100 as Range<UInt64> {
                try world.service.coordinate(
                    .join(member: ID128(high: 9, low: number), logic: 1...1), from: route)
            }
        }
        #expect(world.service.ownership.coordinator.memberIDs.count == 2, "one a connection")
        #expect(world.service.ownership.requestsDropped >= 4900)
        try world.turn {
            for number in 6000..<11_000 as Range<UInt64> {
                let member = ID128(high: 9, low: number)
                try world.service.coordinate(
                    .join(member: member, logic: 1...1), from: Route(bytes: member.bytes))
            }
        }
        #expect(world.service.ownership.coordinator.memberIDs.count <= Limits.membersMax)
        try honest.renew()
        try world.wait(seconds: 5, with: [honest])
        #expect(honest.assignments.count == 64, "the flood did not stay")
    }
}
