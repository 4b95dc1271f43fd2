import Model

/// A shape's rings in one list, with what can be said of them before there is a plane.
struct ShapeRings {
    struct Ring {
        var polygon: Int
        /// 0 is the outer one.
        var number: Int
        var points: [Coordinate]
        /// Longitudes relative to the first point's, without jumps.
        var eastward: [Int64]
        /// Sum of all longitude steps around: 0, or ±360° around a pole.
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

    /// Counts before anything is made of so many points.
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

    /// Ranges, neighbours, different points.
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
            guard ring.hasThreePlaces else {
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

    /// Middle of all latitudes and longitudes; the pole for a shape around it.
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

    /// Radius around the origin that holds every point, centimetres, a little more than needed.
    func reach(from origin: EarthPoint) throws(GeometryProblem) -> Int32 {
        let squared = rings.joined().map { EarthPoint($0).squaredChord(to: origin) }.max() ?? 0
        // An edge may bulge beyond the straight chord between its ends.
        let centimetres = Int64((squared.squareRoot() * 100 * 1.0001).rounded(.up)) + 1
        guard centimetres <= Int64(GeometryLimits.reachCentimetresMax) else {
            throw .tooLarge(reachCentimetres: centimetres)
        }
        return Int32(centimetres)
    }

    /// The rings as they are shipped.
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
    /// Whether it has more than two different points.
    fileprivate var hasThreePlaces: Bool {
        points.contains { !$0.isSamePlace(as: points[0]) && !$0.isSamePlace(as: points[1]) }
    }
}

extension [ShapeRings.Ring] {
    /// All points of all rings.
    fileprivate func joined() -> [Coordinate] { flatMap(\.points) }
}
