import Hashing
import Model
import Parsing
import Runtime
import Testing
import Wire

@testable import IngestCore
@testable import IngestDaemon

@Suite struct OwnershipTests {
    @Test func `evaluators get their assignments and each change`() throws {
        let world = try World()
        let (first, second) = (Evaluator(1, in: world), Evaluator(2, in: world))
        try world.wait(seconds: 3)
        try first.join()
        #expect(first.assignments.count == 64)
        try first.renew()
        try second.join()
        #expect(first.assignments.count == 64 && second.assignments.count == 32)
        try second.renew()
        #expect(first.assignments.count == 32, "the successor is live")
        try second.say(.leave(member: second.member))
        #expect(first.assignments.count == 64)
    }

    @Test func `outputs of a turn that was rolled back come with the next renewal`()
        throws
    {
        let world = try World()
        let (first, second) = (Evaluator(1, in: world), Evaluator(2, in: world))
        try world.wait(seconds: 3)
        try first.join()
        try first.renew()
        let before = world.sentControls.count
        try world.failingTurn {
            try world.service.coordinate(
                .join(member: second.member, logic: 1...1), from: second.route)
        }
        #expect(world.sentControls.count == before)
        try second.renew()
        try second.renew()
        try first.renew()
        #expect(first.assignments.count == 32 && second.assignments.count == 32)
    }

    @Test func `a restart of ingest keeps all assignments`() throws {
        let world = try World()
        let evaluators = (1...3).map { Evaluator($0, in: world) }
        try world.wait(seconds: 3)
        for evaluator in evaluators { try evaluator.join() }
        for _ in 0..<2 { for evaluator in evaluators { try evaluator.renew() } }
        let before = evaluators.map(\.assignments)
        try world.restart()
        try world.wait(seconds: 5, with: evaluators)
        #expect(evaluators.map(\.assignments) == before)
    }

    @Test func `with an existing store nothing is assigned before claims arrive`() throws {
        let world = try World()
        try world.restart()
        let evaluator = Evaluator(1, in: world)
        try evaluator.join()
        #expect(evaluator.assignments.isEmpty)
        try world.wait(seconds: 2, with: [evaluator])
        #expect(evaluator.assignments.count == 64)
    }

    @Test func `the logs switch to a logic that every evaluator can run`() throws {
        let world = try World()
        var evaluators = (1...2).map { Evaluator($0, in: world) }
        evaluators[0].logic = 1...2
        try world.wait(seconds: 3)
        for evaluator in evaluators.reversed() { try evaluator.join() }
        #expect(try announced(world, logic: 2) == 0)
        evaluators[1].logic = 1...3
        try world.failingTurn {
            try world.service.coordinate(
                .renew(member: evaluators[1].member, logic: 1...3, leases: []),
                from: evaluators[1].route)
        }
        #expect(world.service.runner.core.sequencer.logic == 1)
        #expect(world.service.ownership.coordinator.logic == 1)
        try evaluators[1].renew()
        let begun = Set(World.partitions).count
        #expect(try announced(world, logic: 2) == begun)
        try world.restart()
        try world.wait(seconds: 3, with: evaluators)
        #expect(world.service.runner.core.sequencer.logic == 2)
        #expect(try announced(world, logic: 2) == begun)
        for index in evaluators.indices { evaluators[index].logic = 1...65_535 }
        try world.wait(seconds: 3, with: evaluators)
        #expect(world.service.runner.core.sequencer.logic == 2, "no newer one is known")
    }

    private func announced(_ world: World, logic: Int) throws -> Int {
        world.records(.inputLogic).filter {
            $0.body == .inputLogic(LogicVersion(version: logic))
        }.count
    }

    @Test func `partitions without owner are unhealthy if records wait`() throws {
        let world = try World()
        try world.wait(seconds: 10)
        #expect(world.service.healthProblems.count == 1, "people were placed, nobody has read it")
        let evaluator = Evaluator(1, in: world)
        try evaluator.join()
        for partition in World.partitions {
            #expect(try evaluator.send(world.checkpoint(of: partition)) == .stored)
        }
        try world.wait(seconds: 1)
        #expect(world.service.healthProblems.isEmpty)
        try evaluator.say(.leave(member: evaluator.member))
        try world.wait(seconds: 10)
        #expect(world.service.healthProblems.isEmpty, "nothing has come since its checkpoints")
        try world.report()
        try world.wait(seconds: 4)
        #expect(world.service.healthProblems.isEmpty, "not so quick")
        try world.wait(seconds: 3)
        let problem = "partition \(Partition.of(person(1))) without owner"
        #expect(world.service.healthProblems.first?.hasPrefix(problem) == true)
        try evaluator.join()
        try world.wait(seconds: 1, with: [evaluator])
        #expect(world.service.healthProblems.isEmpty)
        try world.wait(seconds: 10)
        #expect(world.service.healthProblems.count == 1, "the evaluator is gone")
    }

    @Test func `a partition stuck in restoring is unhealthy, with its owner`() throws {
        let world = try World()
        let evaluator = Evaluator(1, in: world)
        try evaluator.join()
        func read(seconds: Int) throws {
            for _ in 0..<seconds {
                try world.wait(seconds: 1)
                let leases = evaluator.assignments.map {
                    Lease(partition: $0.partition, epoch: $0.epoch, state: .restoring)
                }
                try evaluator.say(
                    .renew(member: evaluator.member, logic: 1...1, leases: leases))
            }
        }
        try read(seconds: Int(Limits.restoringSeconds) - 2)
        #expect(world.service.healthProblems.isEmpty)
        try read(seconds: 4)
        let problem = try #require(world.service.healthProblems.first)
        let name = "evaluator \(evaluator.member.text.prefix(6))…"
        #expect(problem.hasPrefix("\(name) has been restoring"))
        #expect(problem.contains("restart it"))
        let metrics = Metrics()
        world.service.writeMetrics(metrics)
        let line = "jaga_ingest_partitions_unhealthy{reason=\"restoring\"} "
        #expect(metrics.render().contains(line + "\(World.partitions.count)\n"))
        try world.wait(seconds: 1, with: [evaluator])
        #expect(world.service.healthProblems.isEmpty)
    }

    @Test func `records that no checkpoint includes for long are an alarm that says why`() throws {
        let world = try World()
        let evaluator = Evaluator(1, in: world)
        try evaluator.join()
        let partition = World.partitions[0]
        try world.wait(seconds: 2, with: [evaluator])
        for other in World.partitions.dropFirst() {
            #expect(try evaluator.send(world.checkpoint(of: other)) == .stored)
        }
        var wrong = world.checkpoint(of: partition)
        wrong.stateHash += 1
        _ = try evaluator.send(wrong)
        try world.wait(seconds: Int(Limits.uncheckpointedSeconds) - 5, with: [evaluator])
        #expect(world.service.alarms.isEmpty)
        try world.wait(seconds: 10, with: [evaluator])
        #expect(
            world.service.alarms == [
                "no checkpoint of partition \(partition) for 15 min, so its log cannot be "
                    + "pruned: the last was rejected: the state does not match its hash; "
                    + "see the log of evaluator \(evaluator.member.text.prefix(6))…"
            ])
        #expect(
            world.service.healthProblems.isEmpty, "all that is sent here is decided and announced")
        #expect(try evaluator.send(world.checkpoint(of: partition)) == .stored)
        try world.wait(seconds: 1, with: [evaluator])
        #expect(world.service.alarms.isEmpty)
    }

    @Test func `an evaluator that cannot run the logic gets nothing and is reported`() throws {
        let world = try World()
        var evaluator = Evaluator(1, in: world)
        evaluator.logic = 2...3
        try evaluator.join()
        try world.wait(seconds: 3, with: [evaluator])
        #expect(evaluator.assignments.isEmpty)
        #expect(world.service.healthProblems.contains { $0.contains("knows logic 2 to 3") })
    }

    @Test func `the operator sees members, owners, moves and checkpoints`() throws {
        let world = try World()
        let (first, second) = (Evaluator(1, in: world), Evaluator(2, in: world))
        try world.wait(seconds: 3)
        try first.join()
        try first.renew()
        try second.join()
        let partition = World.partitions[0]
        #expect(try first.send(world.checkpoint(of: partition, state: [1, 2])) == .stored)
        let details = world.service.statusDetails
        let members = details["members"]?.array ?? []
        #expect(members.count == 2)
        #expect(members[0]["member"]?.string == first.member.text)
        #expect(members[0]["partitions"]?.array?.count == 64)
        #expect(members[0]["live"]?.int == 64)
        #expect(members[1]["partitions"]?.array?.isEmpty == true)
        #expect(details["moves"]?.int == 32)
        let seats = details["partitions"]?.array ?? []
        #expect(seats.count == 64)
        #expect(seats.filter { $0["successor"]?.string == second.member.text }.count == 32)
        let checkpoints = seats[Int(partition.number)]["checkpoints"]?.array ?? []
        #expect(checkpoints.count == 1)
        #expect(checkpoints[0]["sequence"]?.int == Int(world.end(partition).sequence))
        #expect(checkpoints[0]["bytes"]?.int == 2)
        let hash = CheckpointRules.text(of: Hash.state([1, 2]))
        #expect(checkpoints[0]["stateHash"]?.string == hash)
        let metrics = Metrics()
        world.service.writeMetrics(metrics)
        let page = metrics.render()
        for line in [
            "jaga_ingest_members 2", "jaga_ingest_partitions_unowned 0",
            "jaga_ingest_moves_total 32", "jaga_ingest_checkpoints_total 1",
        ] { #expect(page.contains(line + "\n"), "\(line)") }
    }
}
