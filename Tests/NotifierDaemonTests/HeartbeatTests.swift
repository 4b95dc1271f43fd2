import Hashing
import Model
import Runtime
import Testing
import Web

@testable import NotifierDaemon

struct HeartbeatTests {
    private static let monitor = "http://monitor.example/ping"

    /// A notifier with a heartbeat each minute over two services; a round has begun.
    private func begun() throws -> House {
        let house = try House()
        house.service.heartbeat = Heartbeat(
            url: Self.monitor, interval: .seconds(60),
            pages: [("ingest", "http://i/healthz"), ("timer", "http://t/healthz")], start: noon)
        house.now = noon + .seconds(60)
        try house.turn { _ in }
        return house
    }

    /// Answers what has left so far with a status each; calls to others are not answered.
    private func answer(_ house: House, _ statuses: [String: Int]) throws {
        let transfers = house.transfers
        house.transfers = []
        for transfer in transfers {
            guard case .http(let call) = transfer.call, let status = statuses[call.url] else {
                continue
            }
            let outcome = TransferOutcome.answered(TransferAnswer(status: status, body: []))
            try house.turn {
                try $0.transferred(
                    TransferResult(token: transfer.token, outcome: outcome, elapsed: .zero))
            }
        }
    }

    @Test(arguments: [
        (#"{"troubles":["3 messages are held"]}"#, "ingest: status 503: 3 messages are held"),
        (#"{"troubles":["a","b","c"]}"#, "ingest: status 503: a (and 2 more)"),
        ("<html>", "ingest: status 503"),
    ])
    func `withheld names the first trouble of a service`(body: String, says: String) throws {
        let house = try begun()
        let asked = try #require(
            house.transfers.first {
                if case .http(let call) = $0.call { call.url == "http://i/healthz" } else { false }
            })
        let outcome = TransferOutcome.answered(
            TransferAnswer(status: 503, body: Array(body.utf8)))
        try house.turn {
            try $0.transferred(
                TransferResult(token: asked.token, outcome: outcome, elapsed: .zero))
        }
        house.now = house.now + .seconds(60)
        try house.turn { _ in }
        let missing = house.service.statusDetails["heartbeat"]?["missing"]?.array ?? []
        #expect(missing.contains(.string(says)), "\(missing)")
    }

    private func canary(_ house: House) throws -> WantedClock {
        try #require(
            house.published.reversed().compactMap { event -> WantedClock? in
                guard case .clockWanted(let clock) = event.body, clock.rule == .canary else {
                    return nil
                }
                return clock
            }.first)
    }

    /// The canary comes back as an evaluator gives it up.
    private func giveBack(_ canary: WantedClock, to house: House) throws {
        try house.tell(.clockUnwanted(canary), on: .events(.of(canary.person)))
    }

    private func urls(_ house: House) -> [String] {
        house.transfers.compactMap { transfer in
            if case .http(let call) = transfer.call { call.url } else { nil }
        }
    }

    private func metrics(_ house: House) -> String {
        let metrics = Metrics()
        house.service.writeMetrics(metrics)
        return metrics.render()
    }

    private func timestamp(_ page: String) -> Double? {
        page.split(separator: "\n").first { $0.hasPrefix("jaga_heartbeat_timestamp_seconds ") }
            .flatMap { Double($0.split(separator: " ")[1]) }
    }

    private let wells = ["http://i/healthz": 200, "http://t/healthz": 200]

    @Test func `the monitor is called once all services are well and the canary is back`() throws {
        let house = try begun()
        #expect(urls(house) == ["http://i/healthz", "http://t/healthz"])
        try answer(house, wells)
        #expect(urls(house).isEmpty, "the canary is not back")
        house.now = house.now + .milliseconds(20)
        try giveBack(try canary(house), to: house)
        #expect(urls(house) == [Self.monitor])
        guard case .http(let call) = try #require(house.transfers.first).call else { return }
        #expect(call.method == .get && call.body.isEmpty)
        try answer(house, [Self.monitor: 200])
        try giveBack(try canary(house), to: house)
        #expect(urls(house).isEmpty, "one round, one call")
        let page = metrics(house)
        #expect(page.contains("jaga_heartbeats_total{outcome=\"sent\"} 1\n"))
        #expect(page.contains("jaga_canary_seconds 0.02\n"))
        #expect(timestamp(page) == Double(house.now.microseconds) / 1e6)
        #expect(page.contains("jaga_heartbeat_interval_seconds 60\n"))
    }

    @Test(arguments: [
        ["http://i/healthz": 503, "http://t/healthz": 200], ["http://i/healthz": 200],
    ])
    func `nothing is sent while a service is in trouble or silent`(
        statuses: [String: Int]
    ) throws {
        let house = try begun()
        try answer(house, statuses)
        try giveBack(try canary(house), to: house)
        house.now = noon + .seconds(119)
        try house.turn { _ in }
        #expect(urls(house).isEmpty)
        house.now = noon + .seconds(120)
        try house.turn { _ in }
        #expect(urls(house).count == 2, "the next round asks again")
        #expect(metrics(house).contains("jaga_heartbeats_total{outcome=\"withheld\"} 1\n"))
        #expect(house.service.statusDetails["heartbeat"]?["missing"]?.array?.count == 1)
        try answer(house, wells)
        try giveBack(try canary(house), to: house)
        #expect(urls(house) == [Self.monitor])
    }

    @Test func `a canary of another round shows nothing`() throws {
        let house = try begun()
        let first = try canary(house)
        house.now = noon + .seconds(120)
        try house.turn { _ in }
        house.transfers.removeFirst(2)
        try answer(house, wells)
        try giveBack(first, to: house)
        #expect(urls(house).isEmpty)
        #expect(metrics(house).contains("outcome=\"withheld\"} 1\n"))
        #expect(Partition.of(first.person) != Partition.of(try canary(house).person))
    }

    @Test func `a round that was taken back sends nothing, and the next one does`() throws {
        let house = try begun()
        try answer(house, ["http://i/healthz": 200])
        let first = try canary(house)
        try house.lostTurn { _ in }
        try giveBack(first, to: house)
        #expect(urls(house).isEmpty)
        house.now = noon + .seconds(120)
        try house.turn { _ in }
        try answer(house, wells)
        try giveBack(try canary(house), to: house)
        #expect(urls(house) == [Self.monitor])
    }

    @Test func `a monitor that refuses is counted and called again in the next round`() throws {
        let house = try begun()
        try answer(house, wells)
        try giveBack(try canary(house), to: house)
        try answer(house, [Self.monitor: 404])
        let page = metrics(house)
        #expect(page.contains("jaga_heartbeats_total{outcome=\"refused\"} 1\n"))
        let start = Double(noon.microseconds) / 1e6
        #expect(timestamp(page) == start, "nobody waits longer than since the start")
        house.now = noon + .seconds(120)
        try house.turn { _ in }
        #expect(urls(house).count == 2)
    }

    @Test func `a canary is of nobody, and every partition has one`() {
        for partition in Partition.all {
            #expect(Partition.of(Heartbeat.nobody(in: partition)) == partition)
        }
        #expect(Heartbeat.nobody(in: Partition.all[0]) == Heartbeat.nobody(in: Partition.all[0]))
    }

    @Test func `the age of an emergency that nobody takes is told`() throws {
        let house = try House()
        #expect(metrics(house).contains("jaga_emergency_unacknowledged_seconds 0\n"))
        try house.tell(House.opened(), on: .events(.of(person(1))))
        house.now = house.now + .seconds(90)
        #expect(metrics(house).contains("jaga_emergency_unacknowledged_seconds 90\n"))
    }
}
