import Model

/// A zone's shape ready to be asked: how far is this point from the edge, is it inside?
///
/// Distances are along the ellipsoid to the true edge, exact within 0.1 % or 0.5 m (whichever is
/// larger) up to 10 km from it; edges are shortest lines between neighbouring points. Only + − × ÷
/// and √ are used, so every processor gives the same answer to the last bit.
///
///     let region = Region(zone.geometry)
///     let distance = region?.signedDistance(from: EarthPoint(fix.position))
public struct Region: Sendable {
    let shape: Shape
    let corners: [Corner]

    /// Nil for a geometry of a format that this program does not know.
    public init?(_ prepared: PreparedGeometry) {
        guard let (shape, corners) = Shape.prepared(prepared) else { return nil }
        self.shape = shape
        self.corners = corners
    }

    /// Radius of the largest circle that fits inside, centimetres.
    public var inradiusCentimetres: Int32 { shape.inradiusCentimetres }

    /// Whether the region is farther than so many metres from the point, told without looking at
    /// its edges. False says nothing.
    public func isSurelyBeyond(metres: Double, from point: EarthPoint) -> Bool {
        shape.isSurelyBeyond(metres: metres, from: point)
    }

    /// Whether the point is inside. A point on an edge that two regions share is in exactly one.
    public func contains(_ point: EarthPoint) -> Bool { shape.contains(point, corners) }

    /// Distance to the true edge, negative inside. More than 500 km beyond the circle around the
    /// origin that encloses the region it is the straight distance to that circle, which is less.
    public func signedDistance(from point: EarthPoint) -> SignedDistance {
        shape.signedDistance(from: point, corners)
    }
}
