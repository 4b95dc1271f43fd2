import Directory
import JourneysCore
import Model
import Parsing
import Web

/// Replays a journey as server-sent events: the time between points is the original one divided by
/// the speed.
final class JourneyReplay: JourneyReader {
    let request: UInt64
    let head = ServerSentEvents.response()
    private let sightline: JourneySightline
    private let speed: Double
    /// The reader has the points before this one.
    private let known: Int

    private var path: JourneyPath
    private var steps: [JourneyStep] = []
    /// Points that were read; those from ``next`` on are not sent yet.
    private var points: [JourneyPoint] = []
    private var next = 0
    private var place = JourneyPlace.beginning
    private var isRead = false
    /// Number of points before the next one.
    private var number = 0
    /// Time of the last sent or known point, and when it was sent.
    private var last: (time: Timestamp, at: Timestamp)?
    private var text = TextBuffer()
    private var hasBegun = false

    /// - Parameter known: number of points that the reader already has
    init(_ request: UInt64, _ sightline: JourneySightline, speed: Double, known: Int = 0) {
        self.request = request
        self.sightline = sightline
        self.speed = speed
        self.known = known
        path = JourneyPath(sightline.windows)
    }

    func isAllowed(_ store: JourneyStore, in directory: Replica, at now: Timestamp) throws -> Bool {
        try sightline.isAllowed(store, in: directory, at: now)
    }

    /// When the next point is sent.
    var due: Timestamp? {
        guard next < points.count, number >= known, let last else { return nil }
        let microseconds = (points[next].time - last.time).microseconds
        let wait = min(
            Double(microseconds) / speed, Double(JourneyLimits.replayPauseSeconds) * 1_000_000)
        return last.at + .microseconds(Int64(nearest: wait, .towardZero))
    }

    func advance(_ store: JourneyStore, at now: Timestamp) throws -> JourneyPortion {
        if next == points.count, !isRead { try read(store) }
        while next < points.count {
            if let due, due > now { break }
            let point = points[next]
            let at = due ?? now
            next += 1
            number += 1
            if number > known { write(point) }
            last = (point.time, number > known ? at : now)
        }
        let isOver = isRead && next == points.count
        if isOver { text.append("event: end\ndata: {\"points\":\(number)}\n\n") }
        defer { hasBegun = true }
        if isOver { return .last(text.popBytes()) }
        return text.count == 0 && hasBegun ? .nothing : .piece(text.popBytes())
    }

    private func read(_ store: JourneyStore) throws {
        points.removeAll(keepingCapacity: true)
        next = 0
        var count = 0
        try store.fixes(
            of: sightline.header.span.number, after: place, limit: JourneyLimits.fixesPerPortion
        ) { point in
            count += 1
            path.append(point, into: &steps)
            place = JourneyPlace(time: point.time, number: point.number)
        }
        if count < JourneyLimits.fixesPerPortion {
            isRead = true
            path.finish(into: &steps)
        }
        for step in steps { if case .point(let point) = step { points.append(point) } }
        steps.removeAll(keepingCapacity: true)
    }

    private func write(_ point: JourneyPoint) {
        text.append("id: ")
        text.append(Int64(number))
        text.append("\ndata: {\"time\":\"")
        text.append(point.time)
        text.append("\",\"lat\":")
        text.append(degreesE7: point.position.latitudeE7)
        text.append(",\"lon\":")
        text.append(degreesE7: point.position.longitudeE7)
        if point.accuracyCentimetres > 0 {
            text.append(",\"accuracy\":")
            text.append(hundredths: point.accuracyCentimetres)
        }
        if let altitude = point.altitudeCentimetres {
            text.append(",\"altitude\":")
            text.append(hundredths: altitude)
        }
        if let speed = point.speedCentimetresPerSecond {
            text.append(",\"speed\":")
            text.append(hundredths: speed)
        }
        text.append("}\n\n")
    }
}
