import TestSupport
import Testing

@testable import EvaluatorCore

@Suite struct CirclesTests {
    @Test func `a point is on all required sides, or the first violated circle is named`() {
        var random = SeededGenerator(seed: 16)
        var held = 0
        for _ in 0..<2000 {
            var circles = Circles()
            let sides = (0..<Int.random(in: 0...Circles.count, using: &random)).map { _ in
                let isInside = Bool.random(using: &random)
                return Circles.Side(
                    middle: point(&random),
                    radius: .random(in: isInside ? 700...2000 : 1...90, using: &random),
                    isInside: isInside, edge: .random(in: 0...500, using: &random),
                    isRound: Bool.random(using: &random))
            }
            for (index, side) in sides.enumerated() { circles.set(index, side) }
            let here = point(&random)
            let away = sides.map { $0.middle.squaredMetres(to: here).squareRoot() }
            let beyond = sides.indices.filter {
                (away[$0] < sides[$0].radius) != sides[$0].isInside
            }
            let found = circles.firstViolated(here, from: 0, to: sides.count)
            let least = zip(sides, away).map { ($0.edge - $1).magnitude }.min() ?? .infinity
            #expect(circles.allContain(here) == beyond.isEmpty)
            #expect(found == beyond.first)
            let nearest = circles.nearest(to: here).least
            #expect(nearest == least || (nearest - least).magnitude < 0.01)
            held += beyond.isEmpty ? 1 : 0
        }
        #expect(held > 100)
    }

    @Test func `no point is on the required side of a circle with a negative radius`() {
        var circles = Circles()
        let none = Circles.Side(
            middle: Circles.LocalPoint(east: 0, north: 0), radius: -1, isInside: true, edge: 0,
            isRound: false)
        #expect(circles.allContain(none.middle))
        circles.set(7, none)
        #expect(!circles.allContain(none.middle))
        #expect(circles.firstViolated(none.middle, from: 0, to: 8) == 7)
        #expect(circles.firstViolated(none.middle, from: 0, to: 7) == nil)
    }

    private func point(_ random: inout SeededGenerator) -> Circles.LocalPoint {
        Circles.LocalPoint(
            east: .random(in: -300...300, using: &random),
            north: .random(in: -300...300, using: &random))
    }
}
