import Hashing
import Hosting
import Model
import Parsing
import Runtime
import Web

/// Dead man's switch: calls an external monitor as long as the suite works.
///
/// A round is reported only if all of this succeeded in it: every stateful service answered 200 at
/// `/healthz`, and a canary went from here to the timer, to ingest, to the evaluator of its
/// partition and back as that evaluator's record. The canary is a deadline of a person who does not
/// exist, in another partition each round. The call carries no data.
struct Heartbeat {
    /// Outcome of a round.
    enum Outcome: String, CaseIterable {
        case sent, rejected, suppressed
    }

    /// URL of the monitor.
    private let url: String
    private let interval: Duration
    /// `/healthz` URL of each service.
    private let pages: [(service: String, url: String)]
    private var round: Round?
    private var rounds = 0
    /// When the next round starts.
    private(set) var nextRound: Timestamp
    private var pending: [Transfer] = []
    private var counts: [Outcome: Int] = [:]
    private let start: Timestamp
    /// When the monitor last accepted a heartbeat.
    private var lastSent: Timestamp?
    /// Round trip of the last canary that returned.
    private var canaryLatency: Duration?
    /// What was missing in the last round without a heartbeat.
    private var missing: [String] = []

    private struct Round {
        let number: Int
        let canary: DeadlineID
        let begun: Timestamp
        /// Services, and the canary, without success so far.
        var open: Set<String>
        /// What a service answered instead of 200.
        var refusals: [String: String] = [:]
        var isSent = false

        /// One line per missing part, in stable order.
        var missing: [String] {
            open.sorted().map { refusals[$0] ?? "\($0): no answer" }
        }
    }

    private static let canaryName = "canary"
    /// Marks tokens of heartbeat transfers.
    private static let tokenMark: UInt64 = 1 << 63
    /// Index of the monitor within a round's tokens; services count from 0.
    private static let monitorIndex = 255

    /// - Parameters:
    ///   - pages: name and `/healthz` URL of each service
    ///   - start: the first round starts an interval later
    init(
        url: String, interval: Duration, pages: [(service: String, url: String)],
        start: Timestamp
    ) {
        self.url = url
        self.interval = interval
        self.pages = pages
        self.start = start
        nextRound = start + interval
    }

    // MARK: Rounds

    /// Starts a round if it is due.
    ///
    /// - Returns: the canary to publish on `deliveries`
    mutating func beginRound(at now: Timestamp, log: Log) -> Event? {
        guard nextRound <= now else { return nil }
        endRound(log)
        rounds += 1
        nextRound = now + interval
        let person = Heartbeat.nobody(in: Partition.all[rounds % Partition.count])
        let canary = Deadline(
            id: DeadlineID(Hash.id(.text("canary"), .id(person), .number(now.microseconds))),
            kind: .canary, person: person, due: now)
        round = Round(
            number: rounds, canary: canary.id, begun: now,
            open: Set(pages.map(\.service) + [Heartbeat.canaryName]))
        for (index, page) in pages.enumerated() {
            enqueue(HTTPCall(.get, page.url, answerBytesMax: 4096, isRepeatable: true), index)
        }
        return Event(
            id: Hash.derivedID(
                kind: .deadlineScheduled, person: person, subject: .id(canary.id),
                cause: canary.id.raw),
            time: now, trace: "canary-\(canary.id)", body: .deadlineScheduled(canary))
    }

    /// Records that a canary returned.
    mutating func canaryReturned(_ canary: DeadlineID, at now: Timestamp) {
        guard let current = round, current.canary == canary else { return }
        canaryLatency = now - current.begun
        markShown(Heartbeat.canaryName)
    }

    /// Handles the end of a transfer.
    ///
    /// - Returns: whether it belongs to the heartbeat
    mutating func handle(_ result: TransferResult, at now: Timestamp, log: Log) -> Bool {
        guard result.token & Heartbeat.tokenMark != 0 else { return false }
        let index = Int(result.token & 255)
        guard let current = round, result.token == token(current.number, index) else {
            return true
        }
        let refusal = Heartbeat.refusal(result.outcome)
        if index == Heartbeat.monitorIndex {
            count(refusal, at: now, log)
            round = nil
        } else if let refusal {
            let name = pages[index].service
            let problem = Heartbeat.firstHealthProblem(result.outcome).map { ": \($0)" } ?? ""
            round?.refusals[name] = "\(name): \(refusal)\(problem)"
        } else {
            markShown(pages[index].service)
        }
        return true
    }

    /// Removes and returns transfers to start after COMMIT.
    mutating func popTransfers() -> [Transfer] {
        defer { pending.removeAll() }
        return pending
    }

    /// Abandons the round after a rolled-back turn, because it is unknown which transfers have
    /// started.
    mutating func abandonRound() {
        round = nil
        pending.removeAll()
    }

    private mutating func markShown(_ name: String) {
        round?.open.remove(name)
        guard let current = round, current.open.isEmpty, !current.isSent else { return }
        round?.isSent = true
        enqueue(
            HTTPCall(.get, url, answerBytesMax: 4096, isRepeatable: true), Heartbeat.monitorIndex)
    }

    private mutating func enqueue(_ call: HTTPCall, _ index: Int) {
        pending.append(
            Transfer(
                token: token(rounds, index), .http(call),
                timeoutMilliseconds: Heartbeat.callMillisecondsMax))
    }

    private func token(_ round: Int, _ index: Int) -> UInt64 {
        Heartbeat.tokenMark | UInt64(round) << 8 | UInt64(index)
    }

    /// Ends the previous round: something was missing, or the monitor did not answer.
    private mutating func endRound(_ log: Log) {
        guard let current = round else { return }
        round = nil
        missing = current.isSent ? ["monitor: no answer"] : current.missing
        counts[current.isSent ? .rejected : .suppressed, default: 0] += 1
        log.warning(
            "heartbeat not sent",
            [
                "missing": missing.joined(separator: "; "),
                "hint": "Expect an alarm from the monitor. Run 'jaga status' to see what is wrong.",
            ])
    }

    private mutating func count(_ refusal: String?, at now: Timestamp, _ log: Log) {
        guard let refusal else {
            counts[.sent, default: 0] += 1
            lastSent = now
            missing = []
            return
        }
        counts[.rejected, default: 0] += 1
        missing = ["monitor: \(refusal)"]
        log.warning(
            "monitor rejected the heartbeat",
            ["answer": refusal, "setting": "JAGA_HEARTBEAT_URL"])
    }

    /// Nil for 2xx.
    private static func refusal(_ outcome: TransferOutcome) -> String? {
        switch outcome {
        case .answered(let answer) where (200..<300).contains(answer.status): nil
        case .answered(let answer): "status \(answer.status)"
        case .failed(let failure): failure.message
        }
    }

    /// The first health problem of a service's `/healthz` page, and the number of others.
    private static func firstHealthProblem(_ outcome: TransferOutcome) -> String? {
        guard case .answered(let answer) = outcome, let body = try? JSON.parse(answer.body),
            let healthProblems = body["problems"]?.array, let first = healthProblems.first?.string
        else { return nil }
        return healthProblems.count == 1 ? first : "\(first) (and \(healthProblems.count - 1) more)"
    }

    /// Id of a person who does not exist, in a partition.
    static func nobody(in partition: Partition) -> PersonID {
        var number: UInt64 = 1
        while Partition.of(PersonID(ID128(high: 0, low: number))) != partition { number += 1 }
        return PersonID(ID128(high: 0, low: number))
    }

    // MARK: Status

    var json: JSON {
        [
            "lastSent": lastSent.map { .string($0.description) } ?? .null,
            "missing": .array(missing.map(JSON.string)),
        ]
    }

    func write(to metrics: Metrics) {
        let total = metrics.counter(
            "jaga_heartbeats_total", "Heartbeat rounds, by outcome.", "outcome")
        for outcome in Outcome.allCases {
            total.set(Double(counts[outcome] ?? 0), outcome.rawValue)
        }
        metrics.gauge("jaga_heartbeat_interval_seconds", "Interval of the heartbeat.")
            .set(interval.inSeconds)
        metrics.gauge(
            "jaga_heartbeat_timestamp_seconds",
            "When the monitor last accepted a heartbeat; "
                + "before the first, the start of this process."
        ).set((lastSent ?? start).inSeconds)
        guard let canaryLatency else { return }
        metrics.gauge("jaga_canary_seconds", "Round trip of the last canary through all services.")
            .set(canaryLatency.inSeconds)
    }
}

extension Heartbeat {
    static let settings = [
        Setting(
            "JAGA_HEARTBEAT_URL", .url(["http", "https"]),
            help:
                "URL called by GET while all services are healthy; "
                + "without it there is no heartbeat."
        ),
        Setting(
            "JAGA_HEARTBEAT_URL_FILE", .secretFile,
            help: "File with that URL, if it is a secret."),
        Setting(
            "JAGA_HEARTBEAT_SECONDS", .integer(2...3600), default: "60", unit: "seconds",
            help: "Interval of the heartbeat."),
    ]

    /// Timeout of a call.
    private static let callMillisecondsMax = 10_000

    /// Creates the heartbeat from the settings.
    ///
    /// Nil without a URL, and in a dry run.
    init?(_ host: Host) throws {
        let configuration = host.configuration
        let secret = try configuration.secret("JAGA_HEARTBEAT_URL_FILE")
        guard let url = secret ?? configuration.optional("JAGA_HEARTBEAT_URL"), !host.isDryRun
        else { return nil }
        let topology = host.topology
        self.init(
            url: url, interval: .seconds(configuration.int("JAGA_HEARTBEAT_SECONDS")),
            pages: ServiceName.keepers.map { service in
                let address = "\(topology.host(of: service)):\(topology.httpPort(service))"
                return (service.rawValue, "http://\(address)/healthz")
            },
            start: host.now)
    }
}

extension Timestamp {
    /// Seconds since 1970.
    var inSeconds: Double { Double(microseconds) / 1e6 }
}

extension Duration {
    var inSeconds: Double { Double(microseconds) / 1e6 }
}
