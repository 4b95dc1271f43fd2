import Glibc
import Model
import TestSupport
import Testing
import Wire

/// Partitions are assigned to and revoked from the real program, over real sockets.
@Suite struct OwnershipTests {
    private let village = Village()

    private func count(_ coordinator: FakeCoordinator) -> Int {
        coordinator.checkpoints.values.reduce(0) { $0 + $1.count }
    }

    /// Fetches a page of a running evaluator.
    private func page(_ path: String, of evaluator: Capture) throws -> String {
        let port = try #require(evaluator.port)
        return try PlainHTTP(port: port).send("GET", path).text
    }

    private func metric(_ name: String, of evaluator: Capture) throws -> Int? {
        let line = try page("/metrics", of: evaluator).split(separator: "\n").first {
            $0.hasPrefix("\(name) ")
        }
        return line.flatMap { Int($0.dropFirst(name.count + 1)) }
    }

    private func end(_ evaluators: Capture..., of coordinator: FakeCoordinator) throws {
        for evaluator in evaluators { evaluator.process.send(SIGTERM) }
        #expect(try coordinator.run { evaluators.allSatisfy { $0.process.reap() != nil } })
        for evaluator in evaluators { #expect(evaluator.process.exitStatus == 0) }
    }

    /// Rounds of walks, followed by a checkpoint of every partition with people.
    private func checkpoint(_ coordinator: FakeCoordinator, rounds: Int) throws {
        try village.walk(coordinator, rounds: 0..<Int64(rounds))
        #expect(try coordinator.run { village.isComplete(coordinator, rounds: rounds) })
        let partitions = Set(village.people.map(Partition.of))
        #expect(
            try coordinator.run {
                partitions.allSatisfy { partition in
                    let end = coordinator.end(of: partition)
                    return coordinator.checkpoints[partition]?.last?.input.sequence == end
                }
            })
    }

    @Test func `a new owner starts at the checkpoint, not at the first record`() throws {
        let coordinator = try FakeCoordinator()
        try village.configure(coordinator)
        var evaluator = try coordinator.startEvaluator(checkpointsEvery: 1)
        try checkpoint(coordinator, rounds: 5)
        evaluator.process.send(SIGKILL)
        #expect(try coordinator.run { evaluator.process.reap() != nil })
        try village.walk(coordinator, rounds: 5..<8)
        coordinator.bury(try #require(coordinator.members.first))
        evaluator = try coordinator.startEvaluator()
        #expect(try coordinator.run { village.isComplete(coordinator, rounds: 8) })
        // Three rounds of twenty people who leave and enter, and nothing from before.
        #expect(try metric("jaga_evaluator_records_total", of: evaluator) == 3 * 20 * 2)
        #expect(coordinator.notices.filter(\.needsAttention).isEmpty)
        try end(evaluator, of: coordinator)
    }

    @Test func `only changed partitions get a checkpoint, one each`() throws {
        let coordinator = try FakeCoordinator()
        try village.configure(coordinator)
        let evaluator = try coordinator.startEvaluator(checkpointsEvery: 1)
        try checkpoint(coordinator, rounds: 1)
        let partitions = Set(village.people.map(Partition.of))
        #expect(Set(coordinator.checkpoints.keys) == partitions)
        let before = count(coordinator)
        try coordinator.run(seconds: 2.5)
        #expect(count(coordinator) == before)
        try village.walk(coordinator, rounds: 1..<2)
        #expect(try coordinator.run { count(coordinator) == before + partitions.count })
        #expect(
            try coordinator.run {
                try metric("jaga_evaluator_checkpoints_total", of: evaluator) == count(coordinator)
            })
        try end(evaluator, of: coordinator)
    }

    @Test func `a shutdown sends checkpoints of all changes and announces the departure`()
        throws
    {
        let coordinator = try FakeCoordinator()
        try village.configure(coordinator)
        let evaluator = try coordinator.startEvaluator()
        try village.walk(coordinator, rounds: 0..<2)
        #expect(
            try coordinator.run {
                village.isComplete(coordinator, rounds: 2) && coordinator.isAllLive
            })
        #expect(coordinator.checkpoints.isEmpty)
        try end(evaluator, of: coordinator)
        #expect(coordinator.members.isEmpty)
        for partition in Set(village.people.map(Partition.of)) {
            let kept = try #require(coordinator.checkpoints[partition])
            #expect(kept.map(\.input.sequence) == [coordinator.end(of: partition)])
        }
    }

    @Test func `a shutdown without ingest does not wait for long`() async throws {
        var coordinator: FakeCoordinator? = try FakeCoordinator()
        let evaluator = try #require(try coordinator?.startEvaluator())
        #expect(try coordinator?.run { coordinator?.isAllLive == true } == true)
        coordinator = nil
        #expect(await evaluator.stop() == 0)
    }

    @Test func `moved partitions are discarded by the old owner`() throws {
        let coordinator = try FakeCoordinator()
        try village.configure(coordinator)
        let first = try coordinator.startEvaluator(checkpointsEvery: 1)
        try checkpoint(coordinator, rounds: 2)
        let second = try coordinator.startEvaluator()
        #expect(try coordinator.run { coordinator.members.count == 2 })
        coordinator.owners = { partition, members in
            members.isEmpty ? [] : [members[Int(partition.number) % members.count]]
        }
        #expect(
            try coordinator.run {
                let states = coordinator.members.map { coordinator.leases[$0]?.map(\.state) }
                return states
                    == [[Lease.State]](
                        repeating: Array(repeating: .live, count: 32), count: 2)
            })
        #expect(try metric("jaga_evaluator_partitions", of: first) == 32)
        let odd = village.people.filter { !Partition.of($0).number.isMultiple(of: 2) }
        let details = try page("/v1/status/evaluator", of: second)
        #expect(details.contains("\"people\":\(odd.count),"))
        try village.walk(coordinator, rounds: 2..<4)
        #expect(try coordinator.run { village.isComplete(coordinator, rounds: 4) })
        #expect(try metric("jaga_evaluator_fixes_total", of: second) == odd.count * 4)
        #expect(coordinator.notices.filter(\.needsAttention).isEmpty)
        try end(first, second, of: coordinator)
    }

    @Test func `two simultaneous owners publish everything once`() throws {
        let coordinator = try FakeCoordinator()
        try village.configure(coordinator)
        coordinator.owners = { _, members in members }
        let first = try coordinator.startEvaluator(checkpointsEvery: 1)
        let second = try coordinator.startEvaluator(checkpointsEvery: 1)
        for round in 0..<5 as Range<Int64> {
            try village.walk(coordinator, rounds: round..<round + 1)
            #expect(try coordinator.run { village.isComplete(coordinator, rounds: Int(round) + 1) })
        }
        #expect(
            try coordinator.run { try metric("jaga_evaluator_records_total", of: first) == 240 })
        #expect(
            try coordinator.run { try metric("jaga_evaluator_records_total", of: second) == 240 })
        #expect(coordinator.notices.filter(\.needsAttention).isEmpty)
        // States at the same position are equal.
        #expect(
            try coordinator.run {
                coordinator.checkpoints.values.contains { kept in
                    Set(kept.map(\.input)).count < kept.count
                }
            })
        for kept in coordinator.checkpoints.values {
            for (input, same) in Dictionary(grouping: kept, by: \.input) {
                #expect(Set(same.map(\.stateHash)).count == 1, "\(input)")
            }
        }
        try end(first, second, of: coordinator)
    }

    @Test func `a state that differs from another owner's is reported`() throws {
        let coordinator = try FakeCoordinator()
        try village.configure(coordinator)
        let partition = Partition.of(village.people[0])
        let first = try coordinator.startEvaluator(checkpointsEvery: 1)
        try checkpoint(coordinator, rounds: 1)
        try village.walk(coordinator, rounds: 1..<2)
        #expect(try coordinator.run { coordinator.checkpoints[partition]?.count == 2 })
        let right = try #require(coordinator.checkpoints[partition]?.last)
        // All start from the older checkpoint: most with the newer one's hash, one partition with
        // another.
        coordinator.handedOut = { kept in
            guard kept.count > 1 else { return kept.last.map { ($0, nil) } }
            let newer = kept[kept.count - 1]
            let hash = newer.partition == partition ? newer.stateHash ^ 1 : newer.stateHash
            return (
                kept[kept.count - 2],
                PartitionSnapshot.Audit(input: newer.input, stateHash: hash)
            )
        }
        first.process.send(SIGKILL)
        #expect(try coordinator.run { first.process.reap() != nil })
        coordinator.bury(try #require(coordinator.members.first))
        let second = try coordinator.startEvaluator()
        #expect(try coordinator.run { coordinator.isAllLive })
        #expect(try metric("jaga_evaluator_state_mismatches_total", of: second) == 1)
        let health = try page("/healthz", of: second)
        #expect(
            health.contains(
                "partition \(partition): state at record \(right.input.sequence) differs"))
        #expect(second.text.contains("partition state mismatch"))
        try end(second, of: coordinator)
    }

    @Test func `a rejected checkpoint is retried, and its reason is logged`() throws {
        let coordinator = try FakeCoordinator()
        var refused = 0
        coordinator.refusal = { _ in
            refused += 1
            return refused == 1 ? "the disk is full" : nil
        }
        try village.configure(coordinator)
        let evaluator = try coordinator.startEvaluator(checkpointsEvery: 1)
        try checkpoint(coordinator, rounds: 1)
        #expect(evaluator.text.contains("reason=\"the disk is full\""))
        #expect(
            try coordinator.run {
                try metric("jaga_evaluator_checkpoints_rejected_total", of: evaluator) == 1
            })
        try end(evaluator, of: coordinator)
    }

    @Test func `an invalid checkpoint fails only its partition`() throws {
        let coordinator = try FakeCoordinator()
        try village.configure(coordinator)
        let partition = Partition.of(village.people[0])
        let first = try coordinator.startEvaluator(checkpointsEvery: 1)
        try checkpoint(coordinator, rounds: 1)
        try end(first, of: coordinator)
        coordinator.handedOut = { kept in
            kept.last.map { checkpoint in
                var given = checkpoint
                if given.partition == partition { given.state = [1, 0, 1] }
                return (given, nil)
            }
        }
        let second = try coordinator.startEvaluator()
        #expect(
            try coordinator.run {
                let states = coordinator.leases.values.joined()
                return states.count { $0.state == .live } == Partition.count - 1
                    && states.contains { $0.partition == partition && $0.state == .failed }
            })
        #expect(try page("/healthz", of: second).contains("in/\(partition) failed here: restore"))
        let ready = try PlainHTTP(port: try #require(second.port)).send("GET", "/readyz")
        #expect(ready.status == 503)
        try end(second, of: coordinator)
    }

    @Test func `it works with an empty disk and leaves it empty`() throws {
        let coordinator = try FakeCoordinator()
        try village.configure(coordinator)
        let evaluator = try coordinator.startEvaluator(checkpointsEvery: 1)
        #expect(try coordinator.run { evaluator.port != nil })
        try checkpoint(coordinator, rounds: 1)
        let ready = try PlainHTTP(port: try #require(evaluator.port)).send("GET", "/readyz")
        #expect(ready.status == 200)
        let status = try page("/v1/status/evaluator", of: evaluator)
        #expect(status.contains("\"member\":\"\(try #require(coordinator.members.first).text)\""))
        #expect(status.contains("\"state\":\"live\""))
        #expect(status.contains("\"checkpoint\":{\"input\":"))
        try end(evaluator, of: coordinator)
        #expect(try coordinator.filesAtHome().allSatisfy { $0.hasPrefix("secrets") })
    }
}
