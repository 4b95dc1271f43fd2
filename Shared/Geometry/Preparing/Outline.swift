import Model

/// The rings of a shape in its plane, for checks of crossings and nesting.
struct Outline {
    /// An edge with its ring and vertex.
    struct Side {
        var ring: Int
        var vertex: Int
        var edge: Edge
        var box: Box
    }

    /// Minimum area of a ring, square metres.
    private static let areaMin = 1.0

    private let rings: ShapeRings
    /// Sides sorted by western end.
    private let sides: [Side]
    /// Edges of each ring, and their bounding boxes.
    private let edges: [[Edge]]
    private let boxes: [Box]

    init(_ rings: ShapeRings, in plane: Plane) {
        self.rings = rings
        edges = rings.rings.map { ring in
            let following = ring.points.dropFirst() + ring.points.prefix(1)
            return zip(ring.points, following).map { Edge(from: $0, to: $1, in: plane) }
        }
        boxes = edges.map { Box(around: $0) }
        var sides: [Side] = []
        for (ring, edges) in edges.enumerated() {
            for (vertex, edge) in edges.enumerated() {
                sides.append(Side(ring: ring, vertex: vertex, edge: edge, box: Box(around: [edge])))
            }
        }
        self.sides = sides.sorted {
            ($0.box.west, $0.ring, $0.vertex) < ($1.box.west, $1.ring, $1.vertex)
        }
    }

    /// Throws the first problem found.
    func check() throws(GeometryProblem) {
        try checkWidths()
        try checkCrossings()
        try checkAreas()
        try checkNesting()
    }

    /// Sweep: compares each side with those that start west of its eastern end.
    private func checkCrossings() throws(GeometryProblem) {
        for index in sides.indices {
            let side = sides[index]
            for later in sides[(index + 1)...] {
                if later.box.west > side.box.east { break }
                if !later.box.meets(side.box) { continue }
                try checkPair(side, later)
            }
        }
    }

    private func checkPair(_ one: Side, _ other: Side) throws(GeometryProblem) {
        let sameRing = one.ring == other.ring
        let count = rings.rings[one.ring].points.count
        if sameRing, (one.vertex + 1) % count == other.vertex {
            return try checkSpike(one, other)
        }
        if sameRing, (other.vertex + 1) % count == one.vertex {
            return try checkSpike(other, one)
        }
        guard let share = one.edge.meeting(other.edge, touching: sameRing) else { return }
        let location = one.edge.coordinate(at: share)
        let first = rings.rings[one.ring].position(one.vertex)
        let second = rings.rings[other.ring].position(other.vertex)
        if sameRing { throw .crossesItself(edge: first, other: second, at: location) }
        throw .ringsCross(edge: first, other: second, at: location)
    }

    /// Neighbouring sides must not overlap.
    private func checkSpike(_ one: Side, _ next: Side) throws(GeometryProblem) {
        let cross = one.edge.dx * next.edge.dy - one.edge.dy * next.edge.dx
        let along = one.edge.dx * next.edge.dx + one.edge.dy * next.edge.dy
        guard along < 0, cross.magnitude < Edge.touch * one.edge.length else { return }
        let ring = rings.rings[one.ring]
        throw .crossesItself(
            edge: ring.position(one.vertex), other: ring.position(next.vertex),
            at: ring.points[next.vertex])
    }

    /// A ring whose points are on one line, also on one line of the map, crosses itself everywhere.
    /// It is reported as a ring without area instead.
    private func checkWidths() throws(GeometryProblem) {
        for (number, edges) in edges.enumerated() {
            let first = edges[0]
            let farthest = edges.max { one, other in
                one.squaredDistance(to: first) < other.squaredDistance(to: first)
            }
            guard let farthest, farthest.squaredDistance(to: first) > 0 else { continue }
            let dx = farthest.x - first.x
            let dy = farthest.y - first.y
            let touching = Edge.touch * (dx * dx + dy * dy).squareRoot()
            let isLine = edges.allSatisfy { edge in
                (dx * (edge.y - first.y) - dy * (edge.x - first.x)).magnitude < touching
            }
            if isLine || isLineOfMap(rings.rings[number].points) {
                throw .noArea(rings.rings[number].position(0))
            }
        }
    }

    /// Whether all points are on one line of a longitude-latitude map, such as a parallel. The
    /// shortest path between two of them can deviate from it by a few millimetres.
    private func isLineOfMap(_ points: [Coordinate]) -> Bool {
        var east = 0.0
        var offsets: [(east: Double, north: Double)] = []
        for (index, point) in points.enumerated() {
            offsets.append((east, Double(point.latitudeE7) - Double(points[0].latitudeE7)))
            let next = points[index + 1 < points.count ? index + 1 : 0]
            let step = Angle.wrapped(Int64(next.longitudeE7) - Int64(point.longitudeE7))
            east += Double(step)
        }
        // A ring around a pole does not return to its starting longitude.
        guard east == 0 else { return false }
        func length(_ offset: (east: Double, north: Double)) -> Double {
            (offset.east * offset.east + offset.north * offset.north).squareRoot()
        }
        guard let far = offsets.max(by: { length($0) < length($1) }) else { return false }
        return offsets.allSatisfy { offset in
            (far.east * offset.north - far.north * offset.east).magnitude <= length(far)
        }
    }

    private func checkAreas() throws(GeometryProblem) {
        for (number, edges) in edges.enumerated() {
            let doubled = edges.reduce(0) { $0 + $1.x * $1.dy - $1.y * $1.dx }
            if doubled.magnitude / 2 < Outline.areaMin {
                throw .noArea(rings.rings[number].position(0))
            }
        }
    }

    /// Rings do not cross at this point, so one point off the other's edges shows where a ring is.
    private func checkNesting() throws(GeometryProblem) {
        let outers = rings.rings.indices.filter { rings.rings[$0].number == 0 }
        for number in rings.rings.indices where rings.rings[number].number > 0 {
            let position = rings.rings[number].position(0)
            switch isInside(ring: number, of: outers[rings.rings[number].polygon]) {
            case true?: try checkHoles(with: number)
            case false?: throw .holeOutside(position)
            case nil: throw .holeFillsPolygon(position)
            }
        }
        guard outers.count > 1 else { return }
        for number in outers {
            for other in outers where other != number && boxes[other].meets(boxes[number]) {
                guard isInside(ring: number, of: other) ?? true, !isInHole(number, of: other)
                else { continue }
                throw .polygonsOverlap(
                    rings.rings[number].position(0), other: rings.rings[other].polygon)
            }
        }
    }

    /// No hole may be inside another hole of its polygon.
    private func checkHoles(with number: Int) throws(GeometryProblem) {
        for other in rings.rings.indices
        where other != number && rings.rings[other].polygon == rings.rings[number].polygon
            && rings.rings[other].number > 0 && boxes[other].meets(boxes[number])
        {
            guard isInside(ring: number, of: other) ?? true else { continue }
            throw .holesOverlap(
                rings.rings[number].position(0), other: rings.rings[other].number)
        }
    }

    private func isInHole(_ number: Int, of outer: Int) -> Bool {
        rings.rings.indices.contains { hole in
            rings.rings[hole].polygon == rings.rings[outer].polygon
                && rings.rings[hole].number > 0 && isInside(ring: number, of: hole) ?? true
        }
    }

    /// Returns nil if every point of the ring is on the other's edges.
    private func isInside(ring: Int, of other: Int) -> Bool? {
        for edge in edges[ring] {
            let points = [(edge.x, edge.y), (edge.x + edge.dx / 2, edge.y + edge.dy / 2)]
            for (x, y) in points where edges[other].clearance(x: x, y: y) > Edge.touch {
                return edges[other].enclose(x: x, y: y)
            }
        }
        return nil
    }
}

/// Bounding box of edges in the plane, metres.
struct Box {
    var west = Double.infinity
    var east = -Double.infinity
    var south = Double.infinity
    var north = -Double.infinity

    init(around edges: [Edge]) {
        for edge in edges {
            west = min(west, edge.x, edge.x + edge.dx)
            east = max(east, edge.x, edge.x + edge.dx)
            south = min(south, edge.y, edge.y + edge.dy)
            north = max(north, edge.y, edge.y + edge.dy)
        }
    }

    func meets(_ other: Box) -> Bool {
        west <= other.east && other.west <= east && south <= other.north && other.south <= north
    }
}

extension Edge {
    /// Squared distance between the starts of two edges in the plane.
    fileprivate func squaredDistance(to other: Edge) -> Double {
        (x - other.x) * (x - other.x) + (y - other.y) * (y - other.y)
    }
}
