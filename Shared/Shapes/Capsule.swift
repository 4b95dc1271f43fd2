import Geometry
import Glibc
import Model

/// Outline of all points within a distance of a line segment: a rectangle with round ends.
struct Capsule {
    let metres: Double
    /// Vertices of a circle around 0, counterclockwise, at fixed directions. Capsules that meet at
    /// an end share the vertices there.
    private let circle: [PlanarShape.Point]
    private let step: Double

    /// Creates capsules for a distance.
    ///
    /// - Parameter toleranceMetres: maximum distance of the outline inside the true arc
    init(metres: Double, toleranceMetres: Double) {
        self.metres = metres
        let half = acos(max(1 - toleranceMetres / metres, 0.7))
        let count = 4 * Int(nearest: .pi / 4 / half, .up)
        let step = 2 * .pi / Double(count)
        self.step = step
        circle = (0..<count).map { index in
            PlanarShape.Point(
                x: metres * cos(Double(index) * step), y: metres * sin(Double(index) * step))
        }
    }

    /// The outline of one segment, counterclockwise; a circle if both ends are equal.
    func outline(from start: PlanarShape.Point, to end: PlanarShape.Point) -> [PlanarShape.Point] {
        let dx = end.x - start.x
        let dy = end.y - start.y
        let length = (dx * dx + dy * dy).squareRoot()
        guard length > 0 else { return circle.map { moved($0, to: start) } }
        let side = PlanarShape.Point(x: dy / length * metres, y: -dx / length * metres)
        let other = PlanarShape.Point(x: -side.x, y: -side.y)
        let direction = atan2(side.y, side.x)
        return halfCircle(from: side, direction: direction, to: other).map { moved($0, to: end) }
            + halfCircle(from: other, direction: direction + .pi, to: side)
            .map { moved($0, to: start) }
    }

    private func halfCircle(
        from side: PlanarShape.Point, direction: Double, to other: PlanarShape.Point
    ) -> [PlanarShape.Point] {
        // Omits vertices that nearly coincide with the ends.
        let first = Int(nearest: direction / step + 0.01, .up)
        let last = Int(nearest: (direction + .pi) / step - 0.01, .down)
        let between = first <= last ? (first...last).map { circle[wrapped($0)] } : []
        return [side] + between + [other]
    }

    private func wrapped(_ index: Int) -> Int {
        let rest = index % circle.count
        return rest < 0 ? rest + circle.count : rest
    }

    private func moved(
        _ point: PlanarShape.Point, to middle: PlanarShape.Point
    ) -> PlanarShape.Point {
        PlanarShape.Point(x: middle.x + point.x, y: middle.y + point.y)
    }
}
