import Foundation
import Model
import Parsing
import Runtime
import Synchronization
import TestSupport

/// People who go in and out of a zone all the time, each report a crossing, and somebody who is
/// told of every one: whatever is lost, doubled or out of order on the way is found at this end.
final class Crowd: Sendable {
    /// Somebody with a phone.
    private struct Walker: Sendable {
        let name: String
        let phone: API
    }

    private struct Walk: Sendable {
        /// Whether the last report was inside of the zone.
        var isInside = false
        /// When each crossing was answered with success.
        var accepted: [Timestamp] = []
    }

    let admin: API
    /// Whoever can say what the built-in sink was told: the notifier, by whichever door.
    let sink: API
    private let walkers: [Walker]
    private let walks: Mutex<[Walk]>
    private let isWalking = Atomic(false)
    private let running = Atomic(0)

    /// Makes the circle; everybody stands outside then.
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
        _ = try join("Gate", "guardian", [["channel": "sms", "address": "+15550009000"]])
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

    /// Everybody begins to walk, on threads that may wait for answers.
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

    /// Everybody stops, once the last report is answered.
    func stop() async throws {
        isWalking.store(false, ordering: .relaxed)
        let areDone = await eventually(within: 90) { running.load(ordering: .relaxed) == 0 }
        guard areDone else { throw TestFailure("a report was not answered") }
    }

    /// Walks while something happens.
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

    /// Goes in, or out, and insists until that is taken.
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

    /// Crossings taken until now.
    var crossings: Int { walks.withLock { $0.reduce(0) { $0 + $1.accepted.count } } }

    /// Whoever is inside goes out.
    func goHome() async throws {
        for number in walkers.indices {
            let isInside = walks.withLock { $0[number].isInside }
            if isInside { cross(number) }
        }
    }

    /// How many evaluators own partitions, once every partition is owned.
    func owners() throws -> Int {
        let members = try admin.call("GET", "/v1/status/ingest")["details"]?["members"]?.array
        let live = members?.map { $0["live"]?.int ?? 0 }.filter { $0 > 0 } ?? []
        return live.reduce(0, +) == Partition.count ? live.count : 0
    }

    // MARK: The far end

    /// What arrived, against what was taken.
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
            let told = arrived[walker.name] ?? []
            tally.add(accepted: walk.accepted, told: told)
        }
        return tally
    }

    /// Waits until everything has arrived, for a minute and a half.
    func whole() async throws -> Tally {
        let begun = Crowd.now
        var tally = try tally()
        for _ in 0..<180 where !tally.isWhole {
            try await Task.sleep(for: .milliseconds(500))
            tally = (try? self.tally()) ?? tally
        }
        tally.secondsToWhole = (Crowd.now - begun).seconds
        return tally
    }
}

/// How what was told differs from what happened.
struct Tally: Sendable {
    var crossings = 0
    var missing = 0
    var twice = 0
    var disordered = 0
    /// The longest that anybody waited for news, in seconds.
    var longestDelay = 0.0
    /// From the end of everything until all had arrived.
    var secondsToWhole = 0.0

    var isWhole: Bool { missing == 0 && twice == 0 && disordered == 0 }

    /// Of one walker: the first crossing goes in, every further one the other way.
    mutating func add(accepted: [Timestamp], told: [(entered: Bool, at: Timestamp)]) {
        crossings += accepted.count
        missing += max(0, accepted.count - told.count)
        twice += max(0, told.count - accepted.count)
        for (place, news) in told.enumerated() where news.entered != place.isMultiple(of: 2) {
            disordered += 1
        }
        for (taken, news) in zip(accepted, told) {
            longestDelay = max(longestDelay, (news.at - taken).seconds)
        }
    }
}

extension Duration {
    /// With its fraction.
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
