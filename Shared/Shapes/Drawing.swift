import Geometry
import Model

/// Computes the outline of a corridor or an inset, with arcs around corners.
///
/// Simplification and rounding together move an edge by less than ``tolerance(_:)``.
struct Drawing {
    /// Polygons and holes with a smaller area are omitted, square metres.
    private static let areaMin = 1.0
    /// Grid widths in metres, tried in order until the rounded outline is valid.
    private static let grids = [0.05, 0.1, 0.2, 0.4]

    private let library = Library()
    private let chart: Chart
    private(set) var region: OpaquePointer

    /// Maximum error of an edge for a distance, both in metres.
    static func tolerance(_ metres: Double) -> Double { max(0.1, metres / 1000) }

    /// Draws all points within `metres` of a line.
    init(line: [Coordinate], metres: Double) throws(GeometryProblem) {
        chart = Chart(around: [line])
        let path = library.simplified(
            chart.path(through: line, isClosed: false),
            toleranceMetres: Drawing.tolerance(metres) / 4)
        guard let path else { throw library.failure(at: line[0]) }
        try Drawing.checkCount([path])
        if Crossings.isMore(than: GeometryLimits.lineCrossingsMax, in: path) { throw .lineTangled }
        let capsule = Capsule(metres: metres, toleranceMetres: Drawing.tolerance(metres) / 2)
        guard let region = library.surroundings(of: [path], capsule) else {
            throw library.failure(at: line[0])
        }
        self.region = region
    }

    /// Draws polygons that were checked.
    init(_ polygons: [Polygon]) throws(GeometryProblem) {
        let chart = Chart(around: polygons.map(\.outer))
        let rings = polygons.map { polygon in
            ([polygon.outer] + polygon.holes).map { chart.path(through: $0, isClosed: true) }
        }
        guard let region = library.region(rings) else {
            throw library.failure(at: polygons[0].outer[0])
        }
        self.chart = chart
        self.region = region
    }

    /// Moves all edges inwards, or outwards for a negative inset.
    mutating func apply(insetMetres: Double) throws(GeometryProblem) {
        let metres = insetMetres.magnitude
        let paths = library.polygons(of: region).joined().map { ring in
            library.simplified(
                ring + ring.prefix(1), toleranceMetres: Drawing.tolerance(metres) / 4)
        }
        let capsule = Capsule(metres: metres, toleranceMetres: Drawing.tolerance(metres) / 2)
        let isShrinking = insetMetres > 0
        let corners = paths.compactMap { $0 }
        try Drawing.checkCount(corners)
        guard corners.count == paths.count,
            let edge = library.surroundings(
                of: corners, capsule, and: isShrinking ? nil : region),
            let changed = isShrinking ? library.difference(region, edge) : edge
        else { throw library.failure(at: chart.middle) }
        region = changed
    }

    private static func checkCount(_ paths: [[PlanarShape.Point]]) throws(GeometryProblem) {
        let count = paths.reduce(0) { $0 + $1.count }
        if count > GeometryLimits.cornersMax { throw .tooManyCorners(count: count) }
    }

    /// The drawing as prepared geometry; nil if nothing is left.
    ///
    /// - Parameter metres: distance that determines the tolerance
    func prepared(metres: Double) throws(GeometryProblem) -> PreparedGeometry? {
        var failure = library.failure(at: chart.middle)
        for grid in Drawing.grids {
            let simple = library.simplified(
                region, toleranceMetres: Drawing.tolerance(metres) / 4, gridMetres: grid)
            guard let simple else { continue }
            let polygons = polygons(of: simple)
            if polygons.isEmpty { return nil }
            do {
                let prepared = try prepare(.polygons(polygons))
                guard let fault = fault(of: prepared) else { return prepared }
                failure = fault
            } catch {
                switch error {
                case .tooManyPoints(let count): throw .outlineTooLong(count: count)
                case .tooManyPolygons(let count): throw .tooManyPieces(count: count)
                case .tooLarge: throw error
                default: failure = error
                }
            }
        }
        throw .invalid(reason: failure.description, nil, at: failure.coordinate ?? chart.middle)
    }

    /// Converts a region to coordinates and omits tiny parts.
    private func polygons(of region: OpaquePointer) -> [Polygon] {
        library.polygons(of: region).compactMap { rings in
            guard rings[0].area >= Drawing.areaMin else { return nil }
            let holes = rings.dropFirst().filter { $0.area >= Drawing.areaMin }
            return Polygon(outer: ring(rings[0]), holes: holes.map(ring))
        }
    }

    private func ring(_ points: [PlanarShape.Point]) -> [Coordinate] {
        var ring: [Coordinate] = []
        for point in points.map(chart.coordinate) where point != ring.last { ring.append(point) }
        if ring.count > 1, ring.first == ring.last { ring.removeLast() }
        return ring
    }
}

extension Library {
    /// Reports the last error of GEOS.
    fileprivate func failure(at coordinate: Coordinate) -> GeometryProblem {
        .invalid(reason: lastError, nil, at: coordinate)
    }
}

extension [PlanarShape.Point] {
    /// Area of a ring in square metres.
    fileprivate var area: Double {
        var doubled = 0.0
        for (one, other) in zip(self, dropFirst() + prefix(1)) {
            doubled += one.x * other.y - one.y * other.x
        }
        return doubled.magnitude / 2
    }
}
