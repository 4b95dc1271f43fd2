import Geometry
import Model

/// What comes out of a ``JourneyPath``.
public enum JourneyStep: Hashable, Sendable {
    /// Another part begins: between it and the one before is nothing that may be seen.
    case begins
    case point(JourneyPoint)
    case ends
}

/// Makes the journey of its fixes, which are given in order: fix time, then arrival.
///
/// A fix closer than ``Limits/journeyThinningMetres`` to the last one kept is left out; the first
/// and the last of each part that may be seen are always kept. So the journey depends on what
/// arrived alone, never on when.
public struct JourneyPath: Sendable {
    private let windows: [JourneyWindow]
    /// The window that the last fix was in, or the first that may come.
    private var window = 0
    private var isInside = false
    /// The last fix kept.
    private var kept: EarthPoint?
    /// The newest fix, if it was left out.
    private var spare: JourneyPoint?
    private var simplifier: JourneySimplifier?

    /// - Parameters:
    ///   - windows: what may be seen; ascending and apart from each other
    ///   - toleranceMetres: the path may be so far off the journey; 0 = not at all
    public init(_ windows: [JourneyWindow], toleranceMetres: Double = 0) {
        self.windows = windows
        if toleranceMetres > 0 { simplifier = JourneySimplifier(toleranceMetres) }
    }

    /// Takes the next fix.
    public mutating func take(_ point: JourneyPoint, into steps: inout [JourneyStep]) {
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
        if let kept, kept.straightMetres(to: place) < Limits.journeyThinningMetres {
            spare = point
            return
        }
        kept = place
        spare = nil
        keep(point, place, into: &steps)
    }

    /// Nothing follows.
    public mutating func finish(into steps: inout [JourneyStep]) { end(into: &steps) }

    private mutating func keep(
        _ point: JourneyPoint, _ place: EarthPoint, into steps: inout [JourneyStep]
    ) {
        guard simplifier != nil else {
            steps.append(.point(point))
            return
        }
        simplifier?.take(point, place, into: &steps)
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

/// Leaves points out that lie within a tolerance of the line through those that stay, by the way of
/// Douglas and Peucker in blocks of ``Limits/journeySimplifyBlock``: so the work is bounded, and
/// the ends of a block stay whatever they are.
struct JourneySimplifier: Sendable {
    private let tolerance: Double
    private var points: [JourneyPoint] = []
    private var places: [EarthPoint] = []

    init(_ toleranceMetres: Double) { tolerance = toleranceMetres }

    mutating func take(
        _ point: JourneyPoint, _ place: EarthPoint, into steps: inout [JourneyStep]
    ) {
        points.append(point)
        places.append(place)
        guard points.count == Limits.journeySimplifyBlock else { return }
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
    /// earth: where it is long the point seems farther off than it is, and stays.
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
