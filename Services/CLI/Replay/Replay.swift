import Model
import Parsing
import Runtime
import Web
import ZoneFiles

/// `jaga replay`: sends a recorded track as a phone would.
enum Replay: Command {
    static let speedMax = 1_000_000.0

    static let syntax = Syntax(
        name: "replay", parameters: ["FILE"],
        summary: "send a recorded track as a phone would",
        details: """
            FILE is GPX 1.0 or 1.1, or CSV with the columns lat,lon,time,uid (see
            docs/zone-files.md); either may be compressed with gzip. Points are posted one after the
            other as the OwnTracks app does. Requests that fail are repeated, as the app does.

            Every point has the time at which it is sent, so zones are evaluated live. At speeds
            above 70 m/s fixes are suspects, and zones wait for further ones. With --keep-times
            points keep their time differences: the last one is now and the others lie in the past,
            like a phone's backlog.

            Where the file has no usable times, the track is walked at \(Track.walkingSpeed) m/s.
            """,
        options: [
            .init(
                name: "--device", value: "@FILE",
                help: "file with the device's token in its first line, or the token"),
            .init(
                name: "--speed", value: "N", help: "factor of the recorded speed (default 1)"),
            .init(
                name: "--gap", value: "SECONDS",
                help: "maximum pause between points (default 600)"),
            .init(name: "--limit", value: "N", help: "only the first N points"),
            .init(
                name: "--accuracy", value: "METRES", help: "accuracy of every fix (default 10)"),
            .init(name: "--user", value: "UID", help: "person in a CSV with several people"),
            .init(
                name: "--keep-times", value: nil,
                help: "keep time differences; the last point is now"),
            .url, .authorities,
        ])

    static func run(_ call: Call) throws -> Int32 {
        guard let device = call.value("--device") else {
            throw CommandError.usage("--device TOKEN is required", syntax)
        }
        let plan = try ReplayPlan(call)
        let token = try Token.device(device)
        let phone = ReplayPhone(api: try API(call, as: token), token: token, plan: plan)
        if !plan.track.isTimed {
            Console.printError(
                "jaga replay: some points have no usable times; these steps are walked at "
                    + "\(Track.walkingSpeed) m/s")
        }
        try phone.play()
        return 0
    }
}

/// Send time and reported time of each point of a track.
struct ReplayPlan {
    let track: Track
    let accuracyMetres: Int
    let keepsTimes: Bool
    /// Send times, seconds after the start.
    let sendAt: [Double]
    /// Times in the track, seconds after its start.
    private let offsets: [Double]

    init(_ call: Call) throws {
        let speed = try ReplayPlan.speed(call)
        let gap = try call.number("--gap", default: 600, in: 1...1_000_000)
        let limit = try call.number("--limit", default: Int.max, in: 1...Int.max)
        accuracyMetres = try call.number("--accuracy", default: 10, in: 1...100_000)
        keepsTimes = call.has("--keep-times")
        let whole = try TrackFile.read(call.parameters[0], user: call.value("--user"))
        track = Track(points: Array(whole.points.prefix(limit)))
        offsets = track.offsets(gapSecondsMax: Double(gap))
        sendAt = offsets.map { $0 / speed }
    }

    private static func speed(_ call: Call) throws(CommandError) -> Double {
        guard let text = call.value("--speed") else { return 1 }
        guard let speed = Double(text), speed > 0, speed <= Replay.speedMax else {
            throw .usage("--speed must be a number above 0, such as 60, not \(text)", call.syntax)
        }
        return speed
    }

    /// The time that a point reports when it is sent.
    func time(of index: Int, sentAt now: Timestamp) -> Timestamp {
        guard keepsTimes, let last = offsets.last, let end = sendAt.last else { return now }
        let untilEnd = max(0, end - sendAt[index])
        let beforeLast = last - offsets[index]
        return now + .milliseconds(Int64(nearest: untilEnd * 1000, .towardZero))
            - .milliseconds(Int64(nearest: beforeLast * 1000, .towardZero))
    }

    /// Velocity at a point, as it is sent, km/h; nil for the first point.
    private func velocity(at index: Int) -> Int64? {
        guard index > 0 else { return nil }
        let times = keepsTimes ? offsets : sendAt
        let metres = Track.metres(track.points[index - 1].position, track.points[index].position)
        let seconds = times[index] - times[index - 1]
        return Int64(nearest: min(metres / max(0.001, seconds) * 3.6, 10_000))
    }

    /// The body of a point's request, as the OwnTracks app writes it.
    func body(of index: Int, id: String, sentAt now: Timestamp) -> JSON {
        let point = track.points[index]
        var members: [JSON.Member] = [
            .init("_type", "location"), .init("_id", .string(id)),
            .init("lat", .number(point.position.latitude)),
            .init("lon", .number(point.position.longitude)),
            .init("tst", .integer(time(of: index, sentAt: now).seconds)),
            .init("created_at", .integer(now.seconds)),
            .init("acc", .integer(Int64(accuracyMetres))),
        ]
        if let velocity = velocity(at: index) { members.append(.init("vel", .integer(velocity))) }
        if let altitude = point.altitudeCentimetres {
            let metres = (Double(altitude) / 100).rounded()
            members.append(.init("alt", .integer(Int64(metres))))
        }
        members += [.init("t", "p"), .init("m", 2), .init("tid", "RE")]
        return .object(members)
    }
}
