import Foundation
import Model
import Parsing
import Runtime
import Synchronization
import TestSupport

/// People who cross a zone with every report, and a recipient who is notified of each crossing.
/// Detects lost, repeated and reordered notifications.
final class Crowd: Sendable {
    /// A person with a phone.
    private struct Walker: Sendable {
        let name: String
        let phone: API
    }

    private struct Walk: Sendable {
        /// Whether the last report was inside the zone.
        var isInside = false
        /// When each crossing got a success response.
        var accepted: [Timestamp] = []
    }

    let admin: API
    /// Reads the built-in sink at the notifier.
    let sink: API
    private let walkers: [Walker]
    private let walks: Mutex<[Walk]>
    private let isWalking = Atomic(false)
    private let running = Atomic(0)

    /// Creates the circle; all people start outside.
    init(of suite: RunningSuite, people count: Int, sink: PlainHTTP? = nil) async throws {
        let admin = API(http: suite.http, token: try suite.operatorToken())
        self.admin = admin
        self.sink = API(http: sink ?? suite.http, token: admin.token)
        let circle = try admin.call("POST", "/v1/circles", ["name": "Crowd"]).text("id")
        func join(_ name: String, _ role: String, _ contacts: JSON) throws -> String {
            let id = try admin.call(
                "POST", "/v1/people", ["name": .string(name), "contacts": contacts]
            ).text("id")
            try admin.call(
                "POST", "/v1/circles/\(circle)/members",
                ["person": .string(id), "role": .string(role)])
            return id
        }
        _ = try join(
            "Gate", "guardian", [["channel": "sms", "address": "+15550009000", "vouched": true]])
        try admin.call("POST", "/v1/circles/\(circle)/zones", Zone.park.feature)
        walkers = try (1...count).map { number in
            let name = "W\(number)."
            let id = try join(name, "member", [])
            let device = try admin.call("POST", "/v1/people/\(id)/devices", ["name": "phone"])
            let token = try device.member("credential").text("token")
            return Walker(name: name, phone: API(http: suite.http, token: token))
        }
        walks = Mutex(walkers.map { _ in Walk() })
        for number in walkers.indices { try await report(number, Zone.outside) }
    }

    // MARK: Walking

    /// Starts all walkers, on threads that may block.
    ///
    /// - Parameter pause: milliseconds between two reports of a thread
    func walk(pause: Int = 20) {
        isWalking.store(true, ordering: .relaxed)
        let threads = 4
        for first in 0..<min(threads, walkers.count) {
            running.add(1, ordering: .relaxed)
            let thread = Thread { [self] in
                while isWalking.load(ordering: .relaxed) {
                    for number in stride(from: first, to: walkers.count, by: threads)
                    where isWalking.load(ordering: .relaxed) {
                        cross(number)
                        usleep(UInt32(pause) * 1000)
                    }
                }
                running.subtract(1, ordering: .relaxed)
            }
            thread.start()
        }
    }

    /// Stops all walkers after the response to their last report.
    func stop() async throws {
        isWalking.store(false, ordering: .relaxed)
        let areDone = await eventually(within: 90) { running.load(ordering: .relaxed) == 0 }
        guard areDone else { throw TestFailure("a report was not answered") }
    }

    /// Walks while the closure runs.
    func walk(during body: () async throws -> Void) async throws {
        walk()
        do {
            try await body()
        } catch {
            try await stop()
            throw error
        }
        try await stop()
    }

    /// Reports a crossing until it is accepted.
    private func cross(_ number: Int) {
        let isInside = walks.withLock { walks in
            walks[number].isInside.toggle()
            return walks[number].isInside
        }
        let report = report(at: isInside ? Zone.park.inside : Zone.outside)
        for _ in 0..<900 {
            let answer = try? walkers[number].phone.send("POST", "/v1/reports", report)
            if let answer, (200..<300).contains(answer.status) { break }
            usleep(100_000)
        }
        let now = Crowd.now
        walks.withLock { $0[number].accepted.append(now) }
    }

    private func report(_ number: Int, _ place: Place) async throws {
        try await walkers[number].phone.insist("POST", "/v1/reports", report(at: place))
    }

    private func report(at place: Place) -> JSON {
        place.report("\(UUID())", at: Crowd.now)
    }

    private static var now: Timestamp { SystemClock().now }

    /// The number of accepted crossings.
    var crossings: Int { walks.withLock { $0.reduce(0) { $0 + $1.accepted.count } } }

    /// Moves all people outside.
    func moveOutside() async throws {
        for number in walkers.indices {
            let isInside = walks.withLock { $0[number].isInside }
            if isInside { cross(number) }
        }
    }

    /// The number of evaluators that own partitions, once every partition is owned.
    func owners() throws -> Int {
        let members = try admin.call("GET", "/v1/status/ingest")["details"]?["members"]?.array
        let live = members?.map { $0["live"]?.int ?? 0 }.filter { $0 > 0 } ?? []
        return live.reduce(0, +) == Partition.count ? live.count : 0
    }

    // MARK: Notifications

    /// Compares delivered notifications with accepted crossings.
    func tally() throws -> Tally {
        var arrived: [String: [(entered: Bool, at: Timestamp)]] = [:]
        for item in try sink.list("/v1/outbox").reversed() {
            let text = try item.text("text")
            guard let match = text.firstMatch(of: /(W\d+\.) (entered|left) Park/),
                let at = Timestamp(try item.text("at"))
            else { continue }
            arrived[String(match.1), default: []].append((match.2 == "entered", at))
        }
        let walks = walks.withLock { $0 }
        var tally = Tally()
        for (walker, walk) in zip(walkers, walks) {
            let summary = arrived[walker.name] ?? []
            tally.add(accepted: walk.accepted, summary: summary)
        }
        return tally
    }

    /// Waits until everything has arrived, 90 s at most.
    func complete() async throws -> Tally {
        let start = Crowd.now
        var tally = try tally()
        for _ in 0..<180 where !tally.isComplete {
            try await Task.sleep(for: .milliseconds(500))
            tally = (try? self.tally()) ?? tally
        }
        tally.secondsToCompletion = (Crowd.now - start).seconds
        return tally
    }
}

/// The differences between notifications and crossings.
struct Tally: Sendable {
    var crossings = 0
    var missing = 0
    var repeated = 0
    var disordered = 0
    /// The longest delay of a notification, seconds.
    var longestDelay = 0.0
    /// Time from the end of the fault until everything had arrived.
    var secondsToCompletion = 0.0

    var isComplete: Bool { missing == 0 && repeated == 0 && disordered == 0 }

    /// Adds one walker, whose crossings alternate and start with an entry.
    mutating func add(accepted: [Timestamp], summary: [(entered: Bool, at: Timestamp)]) {
        crossings += accepted.count
        missing += max(0, accepted.count - summary.count)
        repeated += max(0, summary.count - accepted.count)
        for (index, item) in summary.enumerated() where item.entered != index.isMultiple(of: 2) {
            disordered += 1
        }
        for (crossing, item) in zip(accepted, summary) {
            longestDelay = max(longestDelay, (item.at - crossing).seconds)
        }
    }
}

extension Duration {
    /// Seconds with fraction.
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
