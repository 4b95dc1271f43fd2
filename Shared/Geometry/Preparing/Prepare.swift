import Model

/// Checks a circle or polygons and prepares them for evaluation. `Shapes` prepares corridors.
///
/// Runs once, when a zone is created or changed. Rings may have either orientation. Neighbouring
/// points are joined by the shorter path, also across the antimeridian, and a ring may enclose a
/// pole.
///
/// - Throws: the first problem found, with its location
public func prepare(_ shape: ZoneShape) throws(GeometryProblem) -> PreparedGeometry {
    switch shape {
    case .circle(let center, let radius): return try prepareCircle(center, radius)
    case .polygons(let polygons): return try preparePolygons(polygons)
    case .corridor(let line, let halfWidth):
        try checkCorridor(line: line, halfWidthCentimetres: halfWidth)
        throw .invalid(reason: "corridors are prepared by `Shapes`", nil, at: line[0])
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
    try ShapeRings.checkCounts(polygons)
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
    /// Whether the coordinate is within ±90° and ±180°.
    public var isOnEarth: Bool {
        latitudeE7.magnitude <= 900_000_000 && longitudeE7.magnitude <= 1_800_000_000
    }

    /// Whether the coordinate is valid only with latitude and longitude swapped.
    var isSwapped: Bool {
        !isOnEarth && Coordinate(latitudeE7: longitudeE7, longitudeE7: latitudeE7).isOnEarth
    }

    /// Compares coordinates; longitudes of 180° and −180° are equal.
    func isSamePosition(as other: Coordinate) -> Bool {
        latitudeE7 == other.latitudeE7
            && Angle.wrapped(Int64(longitudeE7) - Int64(other.longitudeE7)) == 0
    }
}

/// Checks the line and the half-width of a corridor. `Shapes` draws its outline.
///
/// - Throws: the first problem found, with its location
public func checkCorridor(
    line: [Coordinate], halfWidthCentimetres: Int32
) throws(GeometryProblem) {
    if line.count > GeometryLimits.verticesMax { throw .tooManyPoints(count: line.count) }
    func position(_ index: Int) -> ShapePosition {
        ShapePosition(polygon: 0, ring: nil, vertex: index, coordinate: line[index])
    }
    for (index, point) in line.enumerated() where !point.isOnEarth {
        throw .outOfRange(position(index))
    }
    guard line.count >= 2 else { throw .tooFewLinePoints(count: line.count) }
    for index in line.indices.dropFirst() where line[index].isSamePosition(as: line[index - 1]) {
        throw .repeatedPoint(position(index))
    }
    guard halfWidthCentimetres >= GeometryLimits.radiusCentimetresMin else {
        throw .halfWidthTooSmall(centimetres: halfWidthCentimetres)
    }
    guard halfWidthCentimetres <= GeometryLimits.reachCentimetresMax else {
        throw .halfWidthTooLarge(centimetres: halfWidthCentimetres)
    }
    let points = ShapeRings([Polygon(outer: line)])
    _ = try points.reach(from: EarthPoint(points.middle))
}
