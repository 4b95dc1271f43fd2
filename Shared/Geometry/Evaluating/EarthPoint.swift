import Model

/// A position on the ellipsoid, as metres from the middle of the earth.
///
/// Made once for a fix, then asked of as many regions as there are: no region needs an angle again,
/// and neither antimeridian nor pole is a special place.
public struct EarthPoint: Hashable, Sendable {
    public let coordinate: Coordinate
    /// Towards 0° N 0° E.
    let x: Double
    /// Towards 0° N 90° E.
    let y: Double
    /// Towards the north pole.
    let z: Double

    public init(_ coordinate: Coordinate) {
        self.init(
            coordinate, latitude: Angle.sineCosine(Int64(coordinate.latitudeE7)),
            longitude: Angle.sineCosine(Int64(coordinate.longitudeE7)))
    }

    /// - Parameters latitude, longitude: the coordinate's
    @inline(__always)
    init(
        _ coordinate: Coordinate, latitude: (sine: Double, cosine: Double),
        longitude: (sine: Double, cosine: Double)
    ) {
        let normal = Ellipsoid.normalLength(sine: latitude.sine)
        self.coordinate = coordinate
        x = normal * latitude.cosine * longitude.cosine
        y = normal * latitude.cosine * longitude.sine
        z = normal * (1 - Ellipsoid.eccentricitySquared) * latitude.sine
    }

    /// The straight distance through the earth; up to 100 km less than a metre short of the way on
    /// its surface.
    public func straightMetres(to other: EarthPoint) -> Double {
        squaredChord(to: other).squareRoot()
    }

    /// How far a point is from where somebody would be who came from `start` to here and moved on
    /// in the same direction at the same speed, metres.
    ///
    /// - Parameter ratio: time from here to the point, divided by the time from `start` to here
    public func metresOff(_ other: EarthPoint, after start: EarthPoint, times ratio: Double)
        -> Double
    {
        let dx = x + (x - start.x) * ratio - other.x
        let dy = y + (y - start.y) * ratio - other.y
        let dz = z + (z - start.z) * ratio - other.z
        return (dx * dx + dy * dy + dz * dz).squareRoot()
    }

    /// Square of the straight distance through the earth, square metres.
    func squaredChord(to other: EarthPoint) -> Double {
        let dx = x - other.x
        let dy = y - other.y
        let dz = z - other.z
        return dx * dx + dy * dy + dz * dz
    }

    /// Whether this point lies on or north of the edge between two others that its meridian meets.
    ///
    /// The edge is the cut of the ellipsoid by the plane through both ends and the middle of where
    /// their normals meet the axis: within 1 cm of the geodesic at 100 km. The answer depends on
    /// the three points alone, never on a zone, so zones that share an edge agree on its sides.
    func isNorthOfEdge(west: EarthPoint, east: EarthPoint) -> Bool {
        let foot = -Ellipsoid.footPerHeight * (west.z + east.z) / 2
        let ux = west.x - x
        let uy = west.y - y
        let uz = west.z - z
        let vx = east.x - x
        let vy = east.y - y
        let vz = east.z - z
        let volume =
            (uy * vz - uz * vy) * x + (uz * vx - ux * vz) * y + (ux * vy - uy * vx) * (z - foot)
        return volume >= 0
    }
}
