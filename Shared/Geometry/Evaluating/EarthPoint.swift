import Model

/// A position on the ellipsoid in earth-centred coordinates, metres.
///
/// Computed once per fix and then compared with any number of regions without further trigonometry.
/// The antimeridian and the poles need no special treatment.
public struct EarthPoint: Hashable, Sendable {
    public let coordinate: Coordinate
    /// Axis towards 0° N 0° E.
    let x: Double
    /// Axis towards 0° N 90° E.
    let y: Double
    /// Axis towards the north pole.
    let z: Double

    public init(_ coordinate: Coordinate) {
        self.init(
            coordinate, latitude: Angle.sineCosine(Int64(coordinate.latitudeE7)),
            longitude: Angle.sineCosine(Int64(coordinate.longitudeE7)))
    }

    /// Creates a point from known sines and cosines of the coordinate.
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

    /// Straight distance through the earth, metres. At most 1 m shorter than the surface distance
    /// up to 100 km.
    public func straightMetres(to other: EarthPoint) -> Double {
        squaredChord(to: other).squareRoot()
    }

    /// Distance of a point from the extrapolated movement from `start` to here, metres.
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

    /// Squared straight distance through the earth, square metres.
    func squaredChord(to other: EarthPoint) -> Double {
        let dx = x - other.x
        let dy = y - other.y
        let dz = z - other.z
        return dx * dx + dy * dy + dz * dz
    }

    /// Whether this point is on or north of an edge that its meridian intersects.
    ///
    /// The edge is the intersection of the ellipsoid with the plane through both ends and the
    /// midpoint of the feet of their normals on the axis. It deviates from the geodesic by less
    /// than 1 cm at 100 km. The result depends only on the three points, so zones that share an
    /// edge agree on its sides.
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
