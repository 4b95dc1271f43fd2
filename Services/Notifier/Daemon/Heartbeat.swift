import Hashing
import Hosting
import Model
import Parsing
import Runtime
import Web

/// Tells a monitor outside, again and again, that the suite works; silence is the alarm.
///
/// It is told only of what was shown in the same round: every service that keeps something answers
/// 200 at `/healthz`, and a canary – a clock of nobody, of another partition each time – went from
/// here to the timer, to ingest, to the evaluator that has the partition, and came back as what
/// that decided. The call carries nothing: no body, no id, no person.
struct Heartbeat {
    /// What became of a round.
    enum Outcome: String, CaseIterable {
        case sent, refused, withheld
    }

    /// The monitor's address.
    private let url: String
    private let interval: Duration
    /// `/healthz` of each service.
    private let pages: [(service: String, url: String)]
    private var round: Round?
    private var rounds = 0
    /// When the next round begins.
    private(set) var nextRound: Timestamp
    private var outgoing: [Transfer] = []
    private var counts: [Outcome: Int] = [:]
    private let start: Timestamp
    /// When the monitor last took a heartbeat.
    private var lastSent: Timestamp?
    /// How long the last canary took that came back.
    private var canaryTook: Duration?
    /// What the last round that ended was withheld for.
    private var missing: [String] = []

    private struct Round {
        let number: Int
        let canary: ClockID
        let begun: Timestamp
        /// What has not been shown yet: services, and the canary.
        var open: Set<String>
        /// What a service answered instead of 200.
        var refusals: [String: String] = [:]
        var isSent = false

        /// In words, in a steady order.
        var missing: [String] {
            open.sorted().map { refusals[$0] ?? "\($0): no answer" }
        }
    }

    private static let canaryName = "canary"
    /// Marks tokens of these transfers among those of messages.
    private static let tokenMark: UInt64 = 1 << 63
    /// Token of the call to the monitor within a round; services count from 0.
    private static let monitorPlace = 255

    /// - Parameters:
    ///   - pages: name and `/healthz` of each service
    ///   - start: the first round begins an interval later
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

    /// Begins a round if it is time: the canary that is to be published, on `deliveries`.
    mutating func begin(at now: Timestamp, log: Log) -> Event? {
        guard nextRound <= now else { return nil }
        end(log)
        rounds += 1
        nextRound = now + interval
        let person = Heartbeat.nobody(in: Partition.all[rounds % Partition.count])
        let canary = WantedClock(
            id: ClockID(Hash.id(.text("canary"), .id(person), .number(now.microseconds))),
            rule: .canary, person: person, due: now)
        round = Round(
            number: rounds, canary: canary.id, begun: now,
            open: Set(pages.map(\.service) + [Heartbeat.canaryName]))
        for (place, page) in pages.enumerated() {
            ask(HTTPCall(.get, page.url, answerBytesMax: 4096, isRepeatable: true), place)
        }
        return Event(
            id: Hash.meaning(
                kind: .clockWanted, person: person, subject: .id(canary.id),
                cause: canary.id.raw),
            time: now, trace: "canary-\(canary.id)", body: .clockWanted(canary))
    }

    /// A canary came back.
    mutating func heard(_ canary: ClockID, at now: Timestamp) {
        guard let current = round, current.canary == canary else { return }
        canaryTook = now - current.begun
        show(Heartbeat.canaryName)
    }

    /// Takes the end of a transfer; whether it was one of these.
    mutating func take(_ result: TransferResult, at now: Timestamp, log: Log) -> Bool {
        guard result.token & Heartbeat.tokenMark != 0 else { return false }
        let place = Int(result.token & 255)
        guard let current = round, result.token == token(current.number, place) else {
            return true
        }
        let refusal = Heartbeat.refusal(result.outcome)
        if place == Heartbeat.monitorPlace {
            count(refusal, at: now, log)
            round = nil
        } else if let refusal {
            let name = pages[place].service
            let trouble = Heartbeat.firstTrouble(result.outcome).map { ": \($0)" } ?? ""
            round?.refusals[name] = "\(name): \(refusal)\(trouble)"
        } else {
            show(pages[place].service)
        }
        return true
    }

    /// What leaves after COMMIT.
    mutating func departures() -> [Transfer] {
        defer { outgoing.removeAll() }
        return outgoing
    }

    /// A turn was taken back: nobody knows what of this round has left.
    mutating func giveUp() {
        round = nil
        outgoing.removeAll()
    }

    private mutating func show(_ name: String) {
        round?.open.remove(name)
        guard let current = round, current.open.isEmpty, !current.isSent else { return }
        round?.isSent = true
        ask(HTTPCall(.get, url, answerBytesMax: 4096, isRepeatable: true), Heartbeat.monitorPlace)
    }

    private mutating func ask(_ call: HTTPCall, _ place: Int) {
        outgoing.append(
            Transfer(
                token: token(rounds, place), .http(call),
                timeoutMilliseconds: Heartbeat.callMillisecondsMax))
    }

    private func token(_ round: Int, _ place: Int) -> UInt64 {
        Heartbeat.tokenMark | UInt64(round) << 8 | UInt64(place)
    }

    /// A round that is not over when the next begins was withheld, or the monitor was silent.
    private mutating func end(_ log: Log) {
        guard let current = round else { return }
        round = nil
        missing = current.isSent ? ["monitor: no answer"] : current.missing
        counts[current.isSent ? .refused : .withheld, default: 0] += 1
        log.warning(
            "no heartbeat was sent",
            [
                "missing": missing.joined(separator: "; "),
                "hint": "the monitor will call: 'jaga status' shows what is wrong",
            ])
    }

    private mutating func count(_ refusal: String?, at now: Timestamp, _ log: Log) {
        guard let refusal else {
            counts[.sent, default: 0] += 1
            lastSent = now
            missing = []
            return
        }
        counts[.refused, default: 0] += 1
        missing = ["monitor: \(refusal)"]
        log.warning(
            "the monitor did not take the heartbeat",
            ["answer": refusal, "setting": "JAGA_HEARTBEAT_URL"])
    }

    /// Nil for any 2xx.
    private static func refusal(_ outcome: TransferOutcome) -> String? {
        switch outcome {
        case .answered(let answer) where (200..<300).contains(answer.status): nil
        case .answered(let answer): "status \(answer.status)"
        case .failed(let failure): failure.message
        }
    }

    /// What a service that is not well says of it at `/healthz`, and how much more.
    private static func firstTrouble(_ outcome: TransferOutcome) -> String? {
        guard case .answered(let answer) = outcome, let body = try? JSON.parse(answer.body),
            let troubles = body["troubles"]?.array, let first = troubles.first?.string
        else { return nil }
        return troubles.count == 1 ? first : "\(first) (and \(troubles.count - 1) more)"
    }

    /// An id of a person who does not exist, in a partition.
    static func nobody(in partition: Partition) -> PersonID {
        var number: UInt64 = 1
        while Partition.of(PersonID(ID128(high: 0, low: number))) != partition { number += 1 }
        return PersonID(ID128(high: 0, low: number))
    }

    // MARK: What is shown

    var json: JSON {
        [
            "lastSent": lastSent.map { .string($0.description) } ?? .null,
            "missing": .array(missing.map(JSON.string)),
        ]
    }

    func write(to metrics: Metrics) {
        let total = metrics.counter(
            "jaga_heartbeats_total", "Rounds of the heartbeat, by what became of them.", "outcome")
        for outcome in Outcome.allCases {
            total.set(Double(counts[outcome] ?? 0), outcome.rawValue)
        }
        metrics.gauge("jaga_heartbeat_interval_seconds", "How often a heartbeat is to be sent.")
            .set(interval.inSeconds)
        metrics.gauge(
            "jaga_heartbeat_timestamp_seconds",
            "When the monitor last took one; before the first, when this process began."
        ).set((lastSent ?? start).inSeconds)
        guard let canaryTook else { return }
        metrics.gauge("jaga_canary_seconds", "The way of the last canary through all services.")
            .set(canaryTook.inSeconds)
    }
}

extension Heartbeat {
    static let settings = [
        Setting(
            "JAGA_HEARTBEAT_URL", .url(["http", "https"]),
            help: "Called by GET while everything works; without it there is no heartbeat."),
        Setting(
            "JAGA_HEARTBEAT_URL_FILE", .secretFile,
            help: "File with that address, where it is a secret."),
        Setting(
            "JAGA_HEARTBEAT_SECONDS", .integer(2...3600), default: "60", unit: "seconds",
            help: "How often."),
    ]

    /// A call takes at most so long.
    private static let callMillisecondsMax = 10_000

    /// As the settings say; nil without an address, and in a rehearsal.
    init?(_ host: Host) throws {
        let configuration = host.configuration
        let secret = try configuration.secret("JAGA_HEARTBEAT_URL_FILE")
        guard let url = secret ?? configuration.optional("JAGA_HEARTBEAT_URL"), !host.isRehearsal
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
