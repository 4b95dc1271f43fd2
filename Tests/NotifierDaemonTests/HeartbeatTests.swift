import Hashing
import Model
import Runtime
import Testing
import Web

@testable import NotifierDaemon

struct HeartbeatTests {
    private static let monitor = "http://monitor.example/ping"

    /// A notifier with a heartbeat each minute over two services, in its first round.
    private func started() throws -> TestHost {
        let host = try TestHost()
        host.service.heartbeat.heartbeat = Heartbeat(
            url: Self.monitor, interval: .seconds(60),
            pages: [("ingest", "http://i/healthz"), ("timer", "http://t/healthz")], start: noon)
        host.now = noon + .seconds(60)
        try host.turn { _ in }
        return host
    }

    /// Answers the calls so far with a status each; calls to others are not answered.
    private func answer(_ host: TestHost, _ statuses: [String: Int]) throws {
        let transfers = host.transfers
        host.transfers = []
        for transfer in transfers {
            guard case .http(let call) = transfer.call, let status = statuses[call.url] else {
                continue
            }
            let outcome = TransferOutcome.answered(TransferAnswer(status: status, body: []))
            try host.turn {
                try $0.transferCompleted(
                    TransferResult(token: transfer.token, outcome: outcome, elapsed: .zero))
            }
        }
    }

    @Test(arguments: [
        (#"{"problems":["3 messages are held"]}"#, "ingest: status 503: 3 messages are held"),
        (#"{"problems":["a","b","c"]}"#, "ingest: status 503: a (and 2 more)"),
        ("<html>", "ingest: status 503"),
    ])
    func `a suppressed heartbeat names the first problem of a service`(body: String, says: String)
        throws
    {
        let host = try started()
        let asked = try #require(
            host.transfers.first {
                if case .http(let call) = $0.call { call.url == "http://i/healthz" } else { false }
            })
        let outcome = TransferOutcome.answered(
            TransferAnswer(status: 503, body: Array(body.utf8)))
        try host.turn {
            try $0.transferCompleted(
                TransferResult(token: asked.token, outcome: outcome, elapsed: .zero))
        }
        host.now = host.now + .seconds(60)
        try host.turn { _ in }
        let missing = host.service.statusDetails["heartbeat"]?["missing"]?.array ?? []
        #expect(missing.contains(.string(says)), "\(missing)")
    }

    private func canary(_ host: TestHost) throws -> Deadline {
        try #require(
            host.published.reversed().compactMap { event -> Deadline? in
                guard case .deadlineScheduled(let clock) = event.body, clock.kind == .canary else {
                    return nil
                }
                return clock
            }.first)
    }

    /// Returns the canary, as an evaluator cancels it.
    private func returnCanary(_ canary: Deadline, to host: TestHost) throws {
        try host.receive(.deadlineCancelled(canary), on: .events(.of(canary.person)))
    }

    private func urls(_ host: TestHost) -> [String] {
        host.transfers.compactMap { transfer in
            if case .http(let call) = transfer.call { call.url } else { nil }
        }
    }

    private func metrics(_ host: TestHost) -> String {
        let metrics = Metrics()
        host.service.writeMetrics(metrics)
        return metrics.render()
    }

    private func timestamp(_ page: String) -> Double? {
        page.split(separator: "\n").first { $0.hasPrefix("jaga_heartbeat_timestamp_seconds ") }
            .flatMap { Double($0.split(separator: " ")[1]) }
    }

    private let wells = ["http://i/healthz": 200, "http://t/healthz": 200]

    @Test func `the monitor is called once all services are healthy and the canary is back`() throws
    {
        let host = try started()
        #expect(urls(host) == ["http://i/healthz", "http://t/healthz"])
        try answer(host, wells)
        #expect(urls(host).isEmpty, "the canary is not back")
        host.now = host.now + .milliseconds(20)
        try returnCanary(try canary(host), to: host)
        #expect(urls(host) == [Self.monitor])
        guard case .http(let call) = try #require(host.transfers.first).call else { return }
        #expect(call.method == .get && call.body.isEmpty)
        try answer(host, [Self.monitor: 200])
        try returnCanary(try canary(host), to: host)
        #expect(urls(host).isEmpty, "one round, one call")
        let page = metrics(host)
        #expect(page.contains("jaga_heartbeats_total{outcome=\"sent\"} 1\n"))
        #expect(page.contains("jaga_canary_seconds 0.02\n"))
        #expect(timestamp(page) == Double(host.now.microseconds) / 1e6)
        #expect(page.contains("jaga_heartbeat_interval_seconds 60\n"))
    }

    @Test(arguments: [
        ["http://i/healthz": 503, "http://t/healthz": 200], ["http://i/healthz": 200],
    ])
    func `nothing is sent while a service is unhealthy or does not answer`(
        statuses: [String: Int]
    ) throws {
        let host = try started()
        try answer(host, statuses)
        try returnCanary(try canary(host), to: host)
        host.now = noon + .seconds(119)
        try host.turn { _ in }
        #expect(urls(host).isEmpty)
        host.now = noon + .seconds(120)
        try host.turn { _ in }
        #expect(urls(host).count == 2, "the next round asks again")
        #expect(metrics(host).contains("jaga_heartbeats_total{outcome=\"suppressed\"} 1\n"))
        #expect(host.service.statusDetails["heartbeat"]?["missing"]?.array?.count == 1)
        try answer(host, wells)
        try returnCanary(try canary(host), to: host)
        #expect(urls(host) == [Self.monitor])
    }

    @Test func `a canary of another round does not count`() throws {
        let host = try started()
        let first = try canary(host)
        host.now = noon + .seconds(120)
        try host.turn { _ in }
        host.transfers.removeFirst(2)
        try answer(host, wells)
        try returnCanary(first, to: host)
        #expect(urls(host).isEmpty)
        #expect(metrics(host).contains("outcome=\"suppressed\"} 1\n"))
        #expect(Partition.of(first.person) != Partition.of(try canary(host).person))
    }

    @Test func `a rolled-back round sends nothing, and the next one does`() throws {
        let host = try started()
        try answer(host, ["http://i/healthz": 200])
        let first = try canary(host)
        try host.rolledBackTurn { _ in }
        try returnCanary(first, to: host)
        #expect(urls(host).isEmpty)
        host.now = noon + .seconds(120)
        try host.turn { _ in }
        try answer(host, wells)
        try returnCanary(try canary(host), to: host)
        #expect(urls(host) == [Self.monitor])
    }

    @Test func `a failing monitor is counted and called again in the next round`() throws {
        let host = try started()
        try answer(host, wells)
        try returnCanary(try canary(host), to: host)
        try answer(host, [Self.monitor: 404])
        let page = metrics(host)
        #expect(page.contains("jaga_heartbeats_total{outcome=\"rejected\"} 1\n"))
        let start = Double(noon.microseconds) / 1e6
        #expect(timestamp(page) == start, "nobody waits longer than since the start")
        host.now = noon + .seconds(120)
        try host.turn { _ in }
        #expect(urls(host).count == 2)
    }

    @Test func `a canary belongs to nobody, and every partition has one`() {
        for partition in Partition.all {
            #expect(Partition.of(Heartbeat.nobody(in: partition)) == partition)
        }
        #expect(Heartbeat.nobody(in: Partition.all[0]) == Heartbeat.nobody(in: Partition.all[0]))
    }

    @Test func `the age of an unacknowledged emergency is a metric`() throws {
        let host = try TestHost()
        #expect(metrics(host).contains("jaga_emergency_unacknowledged_seconds 0\n"))
        try host.receive(TestHost.opened(), on: .events(.of(person(1))))
        host.now = host.now + .seconds(90)
        #expect(metrics(host).contains("jaga_emergency_unacknowledged_seconds 90\n"))
    }
}
