import Geometry
import Model
import TestSupport
import Testing

@testable import JourneysCore

/// Fixes as they come from a phone, and what a slow and simple reader makes of them.
struct Trip {
    var points: [JourneyPoint]

    static let all = [JourneyWindow(from: start, to: .distantFuture)]

    /// Walks, stands, jumps and comes back: steps of 0 to 10 m, some of kilometres.
    init(_ count: Int, using generator: inout SeededGenerator) {
        var latitude: Int32 = 31_390_000
        var longitude: Int32 = 1_016_869_000
        var time = start
        points = (0..<count).map { _ in
            switch UInt64.random(in: 0..<20, using: &generator) {
            case 0: latitude += Int32.random(in: -100_000...100_000, using: &generator)
            case 1...8: break
            default:
                latitude += Int32.random(in: -500...500, using: &generator)
                longitude += Int32.random(in: -500...500, using: &generator)
            }
            time = time + .seconds(Int64.random(in: 0...90, using: &generator))
            return JourneyPoint(
                time: time,
                position: Coordinate(latitudeE7: latitude, longitudeE7: longitude))
        }
        number()
    }

    /// Counts fixes of one time, as the store does.
    private mutating func number() {
        for index in points.indices.dropFirst() where points[index].time == points[index - 1].time {
            points[index].number = points[index - 1].number + 1
        }
    }

    static func metres(_ from: JourneyPoint, _ to: JourneyPoint) -> Double {
        EarthPoint(from.position).straightMetres(to: EarthPoint(to.position))
    }

    /// Sorted, then thinned.
    func kept(_ window: JourneyWindow = all[0]) -> [JourneyPoint] {
        let seen = points.filter { window.holds($0.time) }
        var kept: [JourneyPoint] = []
        for point in seen where kept.last.map({ Trip.metres($0, point) >= 3 }) ?? true {
            kept.append(point)
        }
        if let last = seen.last, kept.last != last { kept.append(last) }
        return kept
    }

    func steps(_ windows: [JourneyWindow] = all, tolerance: Double = 0) -> [JourneyStep] {
        var path = JourneyPath(windows, toleranceMetres: tolerance)
        var steps: [JourneyStep] = []
        for point in points { path.append(point, into: &steps) }
        path.finish(into: &steps)
        return steps
    }
}

extension [JourneyStep] {
    var points: [JourneyPoint] {
        compactMap { if case .point(let point) = $0 { point } else { nil } }
    }

    var parts: [[JourneyPoint]] {
        split(separator: .begins).map { Array($0).points }
    }
}

@Suite struct `The path of a journey` {
    @Test func `consists of its sorted and thinned fixes`() {
        var generator = SeededGenerator(seed: 6)
        for count in 0..<200 {
            let trip = Trip(count, using: &generator)
            let steps = trip.steps()
            #expect(steps.points == trip.kept())
            #expect(steps.first == (count == 0 ? nil : .begins))
            #expect(steps.last == (count == 0 ? nil : .ends))
        }
    }

    @Test func `has no points closer than 3 m except the last`() {
        var generator = SeededGenerator(seed: 7)
        let points = Trip(2000, using: &generator).steps().points
        #expect(points.count > 500)
        for (left, right) in zip(points, points.dropFirst().dropLast()) {
            #expect(Trip.metres(left, right) >= 3)
        }
    }

    @Test func `has a part with its own ends for each visible window`() {
        var generator = SeededGenerator(seed: 8)
        for _ in 0..<200 {
            let trip = Trip(80, using: &generator)
            var times = (0..<6).map { _ in
                start + .seconds(Int64.random(in: -100...5000, using: &generator))
            }
            times.sort()
            let windows = stride(from: 0, to: 6, by: 2)
                .map { JourneyWindow(from: times[$0], to: times[$0 + 1]) }
            let expected = windows.map(trip.kept).filter { !$0.isEmpty }
            #expect(trip.steps(windows).parts == expected)
        }
    }

    @Test func `stays within the tolerance when simplified`() {
        var generator = SeededGenerator(seed: 9)
        for tolerance in [1.0, 5, 50, 500] {
            let trip = Trip(3000, using: &generator)
            let whole = trip.steps().points
            let simple = trip.steps(tolerance: tolerance).points
            #expect(simple.first == whole.first && simple.last == whole.last)
            #expect(simple.count < whole.count)
            var next = 1
            for point in whole {
                while next < simple.count - 1,
                    (simple[next].time, simple[next].number) < (point.time, point.number)
                {
                    next += 1
                }
                let off = JourneySimplifier.metres(
                    from: EarthPoint(point.position),
                    toLine: EarthPoint(simple[next - 1].position),
                    EarthPoint(simple[next].position))
                #expect(off <= tolerance)
            }
        }
    }

    @Test func `needs two points per block along a straight line`() {
        let points = (0..<Int32(JourneyLimits.simplifyBlock)).map { index in
            JourneyPoint(
                time: start + .seconds(Int64(index)),
                position: Coordinate(latitudeE7: 10_000_000 + index * 1000, longitudeE7: 5))
        }
        var trip = Trip(points: points)
        #expect(trip.steps(tolerance: 1).points == [points[0], points[points.count - 1]])
        trip.points[100].position.longitudeE7 = 1000
        #expect(trip.steps(tolerance: 1).points.contains(trip.points[100]))
    }

    @Test func `crosses the antimeridian and the pole`() {
        let places: [(Int32, Int32)] = [
            (-160_000_000, 1_799_999_900), (-160_000_000, -1_799_999_900), (900_000_000, 0),
            (900_000_000, 1_200_000_000), (899_999_990, -600_000_000),
        ]
        let points = places.enumerated().map { index, place in
            JourneyPoint(
                time: start + .seconds(Int64(index)),
                position: Coordinate(latitudeE7: place.0, longitudeE7: place.1))
        }
        // The second is 2 m from the first, and the last two are where the third is.
        let kept = Trip(points: points).steps().points
        #expect(kept == [points[0], points[2], points[4]])
    }
}

extension Trip {
    init(points: [JourneyPoint]) { self.points = points }
}
