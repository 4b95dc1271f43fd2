import Geometry
import Model

/// A place where a person stayed for a while during a journey.
package struct JourneyStop: Hashable, Sendable, Codable {
    package var from: Timestamp
    package var to: Timestamp
    package var position: Coordinate

    package init(from: Timestamp, to: Timestamp, position: Coordinate) {
        self.from = from
        self.to = to
        self.position = position
    }
}

/// Distance, duration and stops of a journey.
package struct JourneySummary: Hashable, Sendable {
    /// Points of the path.
    package var points = 0
    package var metres = 0.0
    /// Sum over the visible parts, each from its first to its last fix.
    package var microseconds: Int64 = 0
    /// Duration without stops.
    package var movingMicroseconds: Int64 { microseconds - stoppedMicroseconds }
    package var stoppedMicroseconds: Int64 = 0
    /// The first ``JourneyLimits/stopsShown`` stops.
    package var stops: [JourneyStop] = []
    package var stopCount = 0
    package var first: Timestamp?
    package var last: Timestamp?
}

/// Sums up a journey fix by fix, in the order of ``JourneyPath``. Its state can be stored in
/// between.
///
/// A stop is a stay within ``JourneyLimits/stopMetres`` for at least ``JourneyLimits/stopSeconds``,
/// from the first fix there to the last.
package struct JourneyTally: Hashable, Sendable, Codable {
    /// The last fix added; nil before the first.
    package private(set) var time: Timestamp?
    package private(set) var number: Int32 = 0
    private var points = 0
    private var metres = 0.0
    private var microseconds: Int64 = 0
    private var stopped: Int64 = 0
    private var stops: [JourneyStop] = []
    private var stopCount = 0
    private var first: Timestamp?

    private var window = 0
    /// Start of the current part.
    private var begun: Timestamp?
    private var kept: Coordinate?
    private var spare: Coordinate?
    /// The current stay: its start and its last fix.
    private var stay: JourneyStop?

    package init() {}

    /// Adds the next fix.
    ///
    /// - Parameter windows: the visible parts; the same in each call
    package mutating func append(_ point: JourneyPoint, _ windows: [JourneyWindow]) {
        while window < windows.count, windows[window].to <= point.time {
            endPart()
            window += 1
        }
        guard window < windows.count, windows[window].from <= point.time else { return }
        let place = EarthPoint(point.position)
        if let kept {
            let step = EarthPoint(kept).straightMetres(to: place)
            if step < JourneyLimits.thinningMetres {
                spare = point.position
            } else {
                move(to: point.position, step)
            }
            updateStay(point, place)
        } else {
            first = first ?? point.time
            begun = point.time
            move(to: point.position, 0)
            stay = JourneyStop(from: point.time, to: point.time, position: point.position)
        }
        time = point.time
        number = point.number
    }

    private mutating func move(to position: Coordinate, _ step: Double) {
        points += 1
        metres += JourneyTally.arc(step)
        kept = position
        spare = nil
    }

    private mutating func updateStay(_ point: JourneyPoint, _ place: EarthPoint) {
        guard var going = stay else { return }
        if EarthPoint(going.position).straightMetres(to: place) <= JourneyLimits.stopMetres {
            going.to = point.time
            stay = going
        } else {
            endStay()
            stay = JourneyStop(from: point.time, to: point.time, position: point.position)
        }
    }

    private mutating func endStay() {
        defer { stay = nil }
        guard let stay, stay.to - stay.from >= .seconds(JourneyLimits.stopSeconds) else { return }
        stopped += (stay.to - stay.from).microseconds
        stopCount += 1
        if stops.count < JourneyLimits.stopsShown { stops.append(stay) }
    }

    private mutating func endPart() {
        guard let begun, let time, let kept else { return }
        microseconds += (time - begun).microseconds
        if let spare {
            move(to: spare, EarthPoint(kept).straightMetres(to: EarthPoint(spare)))
        }
        endStay()
        self.begun = nil
        self.kept = nil
    }

    /// The summary if no fix followed.
    package var summary: JourneySummary {
        var ended = self
        ended.endPart()
        return JourneySummary(
            points: ended.points, metres: ended.metres, microseconds: ended.microseconds,
            stoppedMicroseconds: ended.stopped, stops: ended.stops, stopCount: ended.stopCount,
            first: first, last: time)
    }

    /// Length of the arc on the earth's surface for a chord.
    private static func arc(_ chord: Double) -> Double {
        let angle = chord / 6_371_008.8
        let squared = angle * angle
        return chord * (1 + squared / 24 + 3 * squared * squared / 640)
    }
}
