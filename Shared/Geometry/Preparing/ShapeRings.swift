import Model

/// The rings of a shape in one list, and checks that need no plane.
struct ShapeRings {
    struct Ring {
        var polygon: Int
        /// 0 is the outer ring.
        var number: Int
        var points: [Coordinate]
        /// Longitudes relative to the first point, without jumps at the antimeridian.
        var eastward: [Int64]
        /// Sum of all longitude steps: 0, or ±360° around a pole.
        var winding: Int64

        init(polygon: Int, number: Int, points: [Coordinate]) {
            self.polygon = polygon
            self.number = number
            self.points = points
            var east: Int64 = 0
            eastward = []
            for (point, next) in zip(points, points.dropFirst() + points.prefix(1)) {
                eastward.append(east)
                east += Angle.wrapped(Int64(next.longitudeE7) - Int64(point.longitudeE7))
            }
            winding = east
        }

        func position(_ vertex: Int) -> ShapePosition {
            ShapePosition(
                polygon: polygon, ring: number, vertex: vertex, coordinate: points[vertex])
        }
    }

    let rings: [Ring]

    /// Checks the counts before any per-point work.
    static func checkCounts(_ polygons: [Polygon]) throws(GeometryProblem) {
        if polygons.isEmpty { throw .noPolygon }
        if polygons.count > GeometryLimits.polygonsMax {
            throw .tooManyPolygons(count: polygons.count)
        }
        let count = polygons.reduce(0) { sum, polygon in
            polygon.holes.reduce(sum + polygon.outer.count) { $0 + $1.count }
        }
        if count > GeometryLimits.verticesMax { throw .tooManyPoints(count: count) }
    }

    init(_ polygons: [Polygon]) {
        rings = polygons.enumerated().flatMap { index, polygon in
            ([polygon.outer] + polygon.holes).enumerated().map { number, points in
                Ring(polygon: index, number: number, points: points)
            }
        }
    }

    /// Checks ranges, neighbours and the number of distinct points.
    func checkPoints() throws(GeometryProblem) {
        for ring in rings {
            for (index, point) in ring.points.enumerated() where !point.isOnEarth {
                throw .outOfRange(ring.position(index))
            }
            guard ring.points.count >= 3 else {
                throw .tooFewPoints(
                    ring.points.isEmpty ? nil : ring.position(0), polygon: ring.polygon,
                    ring: ring.number, count: ring.points.count)
            }
            try checkNeighbours(ring)
            guard ring.hasThreeDistinctPoints else {
                throw .tooFewPoints(
                    ring.position(0), polygon: ring.polygon, ring: ring.number, count: 2)
            }
        }
    }

    private func checkNeighbours(_ ring: Ring) throws(GeometryProblem) {
        for index in ring.points.indices {
            let previous = index == 0 ? ring.points.count - 1 : index - 1
            let here = ring.points[index]
            let before = ring.points[previous]
            let east = Angle.wrapped(Int64(here.longitudeE7) - Int64(before.longitudeE7))
            if east == 0, here.latitudeE7 == before.latitudeE7 {
                throw .repeatedPoint(ring.position(index))
            }
            if east == -Angle.halfTurn { throw .edgeOverPole(ring.position(previous)) }
        }
    }

    /// Centre of the latitude and longitude ranges, or the pole that the shape encloses.
    var middle: Coordinate {
        let latitudes = rings.joined().map { Int64($0.latitudeE7) }
        let south = latitudes.min() ?? 0
        let north = latitudes.max() ?? 0
        if rings.contains(where: { $0.winding != 0 }) {
            return Coordinate(
                latitudeE7: south + north >= 0 ? 900_000_000 : -900_000_000, longitudeE7: 0)
        }
        let first = Int64(rings[0].points[0].longitudeE7)
        var west: Int64 = 0
        var east: Int64 = 0
        for ring in rings {
            let start = Angle.wrapped(Int64(ring.points[0].longitudeE7) - first)
            west = min(west, start + (ring.eastward.min() ?? 0))
            east = max(east, start + (ring.eastward.max() ?? 0))
        }
        return Coordinate(
            latitudeE7: Int32((south + north) / 2),
            longitudeE7: Int32(Angle.wrapped(first + (west + east) / 2)))
    }

    /// Radius around the origin that contains every point, centimetres, rounded up.
    func reach(from origin: EarthPoint) throws(GeometryProblem) -> Int32 {
        let squared = rings.joined().map { EarthPoint($0).squaredChord(to: origin) }.max() ?? 0
        // An edge can bulge beyond the chord between its ends.
        let centimetres = Int64((squared.squareRoot() * 100 * 1.0001).rounded(.up)) + 1
        guard centimetres <= Int64(GeometryLimits.reachCentimetresMax) else {
            throw .tooLarge(reachCentimetres: centimetres)
        }
        return Int32(centimetres)
    }

    /// Vertices relative to the origin, as published.
    func offsets(from origin: Coordinate) -> [[[VertexOffset]]] {
        var polygons: [[[VertexOffset]]] = []
        for ring in rings {
            let offsets = ring.points.map { point in
                VertexOffset(
                    longitudeE7: Int32(
                        Angle.wrapped(Int64(point.longitudeE7) - Int64(origin.longitudeE7))),
                    latitudeE7: point.latitudeE7 - origin.latitudeE7)
            }
            if ring.number == 0 { polygons.append([]) }
            polygons[polygons.count - 1].append(offsets)
        }
        return polygons
    }
}

extension ShapeRings.Ring {
    /// Whether the ring has more than two distinct points.
    fileprivate var hasThreeDistinctPoints: Bool {
        points.contains { !$0.isSamePosition(as: points[0]) && !$0.isSamePosition(as: points[1]) }
    }
}

extension [ShapeRings.Ring] {
    /// The points of all rings.
    fileprivate func joined() -> [Coordinate] { flatMap(\.points) }
}
