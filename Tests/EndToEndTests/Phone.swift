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
    /// Requests that had to be sent again, and what they were answered.
    private(set) var failures: [String] = []

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
        try await deliver("/v1/reports", report)
        return report
    }

    /// Reports as an OwnTracks app.
    func reportAsOwnTracks(_ place: Place) async throws {
        let now = clock.now
        lastFix = now
        try await deliver(
            "/pub",
            [
                "_type": "location", "lat": .number(place.latitude),
                "lon": .number(place.longitude), "acc": 5, "tst": .integer(now.seconds),
                "tid": "PH",
            ])
    }

    /// Calls for help.
    ///
    /// - Parameter note: tells the call from others in what people are told
    /// - Returns: the emergency's id
    @discardableResult
    func callForHelp(_ note: String, countdown: Int64 = 0) async throws -> String {
        let answer = try await deliver(
            "/v1/emergencies",
            [
                "trigger": "panic", "countdown": .integer(countdown), "id": .string(note),
                "note": .string(note),
            ])
        return try answer.text("id")
    }

    /// A report of this moment, later than the last.
    private func next(_ place: Place) -> JSON {
        lastFix = max(clock.now, lastFix + .milliseconds(1))
        sent += 1
        return [
            "id": .string("\(name)-\(sent)"), "time": .string(lastFix.description),
            "lat": .number(place.latitude), "lon": .number(place.longitude), "accuracy": 5,
        ]
    }

    /// Sends until it is answered with success, as long as a person would wait at most.
    @discardableResult
    private func deliver(_ path: String, _ body: JSON) async throws -> JSON {
        for _ in 0..<300 {
            do {
                let answer = try api.send("POST", path, body)
                if (200..<300).contains(answer.status) { return answer.json }
                guard answer.status >= 500 else {
                    throw Refused(status: answer.status, text: answer.text)
                }
                failures.append("\(path): \(answer.status)")
            } catch let failure as TestFailure {
                failures.append("\(path): \(failure)")
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw TestFailure("\(name) got no success for \(path): \(failures.suffix(3))")
    }

    /// A phone would not send this again.
    struct Refused: Error {
        let status: Int
        let text: String
    }
}

/// A place on earth.
struct Place: Sendable {
    var latitude: Double
    var longitude: Double
}
