import Geometry
import Model

/// Output of ``JourneyPath``.
package enum JourneyStep: Hashable, Sendable {
    /// A new visible part begins.
    case begins
    case point(JourneyPoint)
    case ends
}

/// Builds the path of a journey from its fixes, given in order of fix time, then arrival.
///
/// Fixes closer than ``JourneyLimits/thinningMetres`` to the last one kept are skipped; the first
/// and the last of each visible part are always kept. The path therefore depends only on what
/// arrived, never on when.
package struct JourneyPath: Sendable {
    private let windows: [JourneyWindow]
    /// The window of the last fix, or the next one.
    private var window = 0
    private var isInside = false
    /// The last fix kept.
    private var kept: EarthPoint?
    /// The newest fix, if it was skipped.
    private var spare: JourneyPoint?
    private var simplifier: JourneySimplifier?

    /// - Parameters:
    ///   - windows: the visible parts; ascending and disjoint
    ///   - toleranceMetres: maximum deviation of a simplified path; 0 = not simplified
    package init(_ windows: [JourneyWindow], toleranceMetres: Double = 0) {
        self.windows = windows
        if toleranceMetres > 0 { simplifier = JourneySimplifier(toleranceMetres) }
    }

    /// Adds the next fix.
    package mutating func append(_ point: JourneyPoint, into steps: inout [JourneyStep]) {
        while window < windows.count, windows[window].to <= point.time {
            end(into: &steps)
            window += 1
        }
        guard window < windows.count, windows[window].from <= point.time else { return }
        if !isInside {
            isInside = true
            steps.append(.begins)
        }
        let place = EarthPoint(point.position)
        if let kept, kept.straightMetres(to: place) < JourneyLimits.thinningMetres {
            spare = point
            return
        }
        kept = place
        spare = nil
        keep(point, place, into: &steps)
    }

    /// Ends the path after the last fix.
    package mutating func finish(into steps: inout [JourneyStep]) { end(into: &steps) }

    private mutating func keep(
        _ point: JourneyPoint, _ place: EarthPoint, into steps: inout [JourneyStep]
    ) {
        guard simplifier != nil else {
            steps.append(.point(point))
            return
        }
        simplifier?.append(point, place, into: &steps)
    }

    private mutating func end(into steps: inout [JourneyStep]) {
        guard isInside else { return }
        if let spare { keep(spare, EarthPoint(spare.position), into: &steps) }
        simplifier?.finish(into: &steps)
        steps.append(.ends)
        isInside = false
        kept = nil
        spare = nil
    }
}

/// Drops points within a tolerance of the line through the remaining ones: Douglas–Peucker in
/// blocks of ``JourneyLimits/simplifyBlock``, which bounds the work. Ends of blocks are always
/// kept.
struct JourneySimplifier: Sendable {
    private let tolerance: Double
    private var points: [JourneyPoint] = []
    private var places: [EarthPoint] = []

    init(_ toleranceMetres: Double) { tolerance = toleranceMetres }

    mutating func append(
        _ point: JourneyPoint, _ place: EarthPoint, into steps: inout [JourneyStep]
    ) {
        points.append(point)
        places.append(place)
        guard points.count == JourneyLimits.simplifyBlock else { return }
        let isKept = chosen()
        for index in points.indices.dropLast() where isKept[index] {
            steps.append(.point(points[index]))
        }
        points = [points[points.count - 1]]
        places = [places[places.count - 1]]
    }

    mutating func finish(into steps: inout [JourneyStep]) {
        let isKept = chosen()
        for index in points.indices where isKept[index] { steps.append(.point(points[index])) }
        points = []
        places = []
    }

    private func chosen() -> [Bool] {
        var isKept = [Bool](repeating: false, count: points.count)
        guard points.count > 0 else { return isKept }
        isKept[0] = true
        isKept[points.count - 1] = true
        var open = [(first: 0, last: points.count - 1)]
        while let part = open.popLast() {
            guard part.last - part.first > 1 else { continue }
            var farthest = part.first
            var distance = tolerance
            for index in part.first + 1..<part.last {
                let off = JourneySimplifier.metres(
                    from: places[index], toLine: places[part.first], places[part.last])
                if off > distance {
                    distance = off
                    farthest = index
                }
            }
            guard farthest > part.first else { continue }
            isKept[farthest] = true
            open.append((part.first, farthest))
            open.append((farthest, part.last))
        }
        return isKept
    }

    /// Distance of a point from the straight line between two others. The line runs through the
    /// earth, so on long lines points seem farther off than they are, and are kept.
    static func metres(
        from point: EarthPoint, toLine start: EarthPoint, _ end: EarthPoint
    ) -> Double {
        let length = start.straightMetres(to: end)
        let left = start.straightMetres(to: point)
        let right = end.straightMetres(to: point)
        guard length > 0 else { return left }
        let along = (left * left + length * length - right * right) / (2 * length)
        if along <= 0 { return left }
        if along >= length { return right }
        return max(0, left * left - along * along).squareRoot()
    }
}
