import Geometry

/// Counts where a path crosses itself.
enum Crossings {
    private struct Piece {
        var start: PlanarShape.Point
        var end: PlanarShape.Point
        var west: Double { min(start.x, end.x) }
        var east: Double { max(start.x, end.x) }

        func crosses(_ other: Piece) -> Bool {
            isParted(other.start, other.end) && other.isParted(start, end)
        }

        /// Whether two points are on different sides of the piece's line.
        private func isParted(_ one: PlanarShape.Point, _ other: PlanarShape.Point) -> Bool {
            side(one) * side(other) < 0
        }

        private func side(_ point: PlanarShape.Point) -> Double {
            (end.x - start.x) * (point.y - start.y) - (end.y - start.y) * (point.x - start.x)
        }
    }

    /// Stops as soon as there are more than the limit.
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
