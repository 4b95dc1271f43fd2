import Model
import Parsing
import Runtime
import TestSupport

/// A phone that does as real ones do: what was not answered with success is sent again, the same,
/// until it is; and nothing overtakes it.
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

    /// Reports where it is now.
    ///
    /// - Returns: the report as it was sent
    @discardableResult
    func report(_ place: Place) async throws -> JSON {
        let report = next(place)
        try await api.insist("POST", "/v1/reports", report)
        return report
    }

    /// Reports as an OwnTracks app, which knows whole seconds only.
    ///
    /// - Parameter walked: seconds since the last report, of a way that was walked before now
    /// - Returns: what the app is to show
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
        // Kilometres an hour.
        if let speed = place.speed { report.append(.init("vel", .number((speed * 3.6).rounded()))) }
        return try await api.insist("POST", "/pub", .object(report)).array ?? []
    }

    /// Goes back in time, for reports of a way that was walked before now.
    func goBack(seconds: Int64) { lastFix = clock.now - .seconds(seconds) }

    /// Calls for help.
    ///
    /// - Parameter note: tells the call from others in what people are told
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

    /// Goes into a zone and out of it, again and again, until it is told to stop.
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

    /// Ends the walk outside of the zone.
    func stopWalking() { isWalking = false }

    /// A report of this moment, later than the last; also for a request of one's own.
    func next(_ place: Place) -> JSON {
        lastFix = max(clock.now, lastFix + .milliseconds(1))
        sent += 1
        return place.report("\(name)-\(sent)", at: lastFix)
    }
}

/// A place on earth.
struct Place: Sendable {
    var latitude: Double
    var longitude: Double
    /// What a phone there tells, metres a second; nil = nothing.
    var speed: Double?

    /// What a phone there reports.
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
