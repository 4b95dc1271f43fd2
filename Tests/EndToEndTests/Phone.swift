import Model
import Parsing
import Runtime
import TestSupport

/// A phone that behaves like real ones: failed requests are repeated unchanged, in order.
actor Phone {
    private let api: API
    private let name: String
    private let clock = SystemClock()
    private var lastFix = Timestamp.zero
    private var sent = 0

    init(_ api: API, name: String) {
        self.api = api
        self.name = name
    }

    /// Reports its current position.
    ///
    /// - Returns: the sent report
    @discardableResult
    func report(_ place: Place) async throws -> JSON {
        let report = next(place)
        try await api.insist("POST", "/v1/reports", report)
        return report
    }

    /// Reports like an OwnTracks app, with whole seconds.
    ///
    /// - Parameter walked: seconds since the last report
    /// - Returns: the messages for the app
    @discardableResult
    func reportAsOwnTracks(_ place: Place, walked: Int64? = nil) async throws -> [JSON] {
        let now =
            walked.map { Timestamp(seconds: lastFix.seconds + $0) }
            ?? max(clock.now, Timestamp(seconds: lastFix.seconds + 1))
        lastFix = now
        var report: [JSON.Member] = [
            .init("_type", "location"), .init("lat", .number(place.latitude)),
            .init("lon", .number(place.longitude)), .init("acc", 5),
            .init("tst", .integer(now.seconds)), .init("tid", "PH"),
        ]
        // Kilometres per hour.
        if let speed = place.speed { report.append(.init("vel", .number((speed * 3.6).rounded()))) }
        return try await api.insist("POST", "/pub", .object(report)).array ?? []
    }

    /// Moves its clock back, for reports of past movements.
    func goBack(seconds: Int64) { lastFix = clock.now - .seconds(seconds) }

    /// Raises an emergency.
    ///
    /// - Parameter note: distinguishes the emergency in messages
    /// - Returns: the emergency's id
    @discardableResult
    func callForHelp(_ note: String, countdown: Int64 = 0) async throws -> String {
        try await api.insist(
            "POST", "/v1/emergencies",
            [
                "trigger": "panic", "countdown": .integer(countdown), "id": .string(note),
                "note": .string(note),
            ]
        ).text("id")
    }

    private var isWalking = false

    /// Enters and leaves a zone until it is stopped.
    ///
    /// - Returns: how often
    func walk(through zone: Zone) async throws -> Int {
        isWalking = true
        var rounds = 0
        while isWalking {
            for place in [zone.inside, Zone.outside] {
                try await report(place)
                try await Task.sleep(for: .milliseconds(400))
            }
            rounds += 1
        }
        return rounds
    }

    /// Ends the walk outside the zone.
    func stopWalking() { isWalking = false }

    /// A report of this moment, later than the last one; also for custom requests.
    func next(_ place: Place) -> JSON {
        lastFix = max(clock.now, lastFix + .milliseconds(1))
        sent += 1
        return place.report("\(name)-\(sent)", at: lastFix)
    }
}

/// A geographic position.
struct Place: Sendable {
    var latitude: Double
    var longitude: Double
    /// The reported speed, metres per second; nil = none.
    var speed: Double?

    /// The report of a phone at this position.
    func report(_ id: String, at time: Timestamp) -> JSON {
        var members: [JSON.Member] = [
            .init("id", .string(id)), .init("time", .string(time.description)),
            .init("lat", .number(latitude)), .init("lon", .number(longitude)),
            .init("accuracy", 5),
        ]
        if let speed { members.append(.init("speed", .number(speed))) }
        return .object(members)
    }
}
