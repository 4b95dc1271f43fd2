import Geometry

/// Counts the self-crossings of a path.
enum Crossings {
    private struct Piece {
        var start: PlanarShape.Point
        var end: PlanarShape.Point
        var west: Double { min(start.x, end.x) }
        var east: Double { max(start.x, end.x) }

        func crosses(_ other: Piece) -> Bool {
            isParted(other.start, other.end) && other.isParted(start, end)
        }

        /// Whether two points are on different sides of the segment's line.
        private func isParted(_ one: PlanarShape.Point, _ other: PlanarShape.Point) -> Bool {
            side(one) * side(other) < 0
        }

        private func side(_ point: PlanarShape.Point) -> Double {
            (end.x - start.x) * (point.y - start.y) - (end.y - start.y) * (point.x - start.x)
        }
    }

    /// Whether a path crosses itself more than `limit` times. Stops counting beyond the limit.
    static func isMore(than limit: Int, in path: [PlanarShape.Point]) -> Bool {
        let pieces = zip(path, path.dropFirst()).map { Piece(start: $0, end: $1) }
            .sorted { $0.west < $1.west }
        var count = 0
        for index in pieces.indices {
            for later in pieces[(index + 1)...] {
                if later.west > pieces[index].east { break }
                if later.crosses(pieces[index]) { count += 1 }
            }
            if count > limit { return true }
        }
        return false
    }
}
