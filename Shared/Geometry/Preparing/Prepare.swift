import Model

/// Checks a shape and makes it ready to be evaluated.
///
/// Done once, when a zone is made or changed. Rings may run either way; neighbouring points are
/// joined the short way, also over the antimeridian, and a ring may go around a pole.
///
/// - Throws: the first fault found, with its place.
public func prepare(_ shape: ZoneShape) throws(GeometryProblem) -> PreparedGeometry {
    switch shape {
    case .circle(let center, let radius): try prepareCircle(center, radius)
    case .polygons(let polygons): try preparePolygons(polygons)
    case .corridor(let line, _):
        throw .invalid(
            reason: "a corridor has no outline yet",
            at: line.first ?? Coordinate(latitudeE7: 0, longitudeE7: 0))
    }
}

private func prepareCircle(
    _ center: Coordinate, _ radius: Int32
) throws(GeometryProblem) -> PreparedGeometry {
    guard center.isOnEarth else {
        throw .outOfRange(ShapePosition(polygon: 0, ring: 0, vertex: 0, coordinate: center))
    }
    guard radius >= GeometryLimits.radiusCentimetresMin else {
        throw .radiusTooSmall(centimetres: radius)
    }
    guard radius <= GeometryLimits.reachCentimetresMax else {
        throw .radiusTooLarge(centimetres: radius)
    }
    return PreparedGeometry(
        origin: center, coefficients: Plane.coefficients(at: center), radiusCentimetres: radius,
        polygons: [], inradiusCentimetres: radius, reachCentimetres: radius)
}

private func preparePolygons(_ polygons: [Polygon]) throws(GeometryProblem) -> PreparedGeometry {
    let rings = ShapeRings(polygons)
    try rings.checkPoints()
    let origin = rings.middle
    let plane = Plane(at: origin)
    let reach = try rings.reach(from: plane.origin)
    let outline = Outline(rings, in: plane)
    try outline.check()
    var prepared = PreparedGeometry(
        origin: origin, coefficients: Plane.coefficients(at: origin), radiusCentimetres: 0,
        polygons: rings.offsets(from: origin), inradiusCentimetres: 0, reachCentimetres: reach)
    prepared.inradiusCentimetres = prepared.largestInscribedRadius(in: plane)
    return prepared
}

extension Coordinate {
    /// Whether it is within ±90° and ±180°.
    public var isOnEarth: Bool {
        latitudeE7.magnitude <= 900_000_000 && longitudeE7.magnitude <= 1_800_000_000
    }
}
