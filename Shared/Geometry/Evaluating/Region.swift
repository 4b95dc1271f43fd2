import Model

/// A zone's shape, prepared for containment tests and distances.
///
/// Distances are measured along the ellipsoid to the true edge, with an error below 0.1 % or 0.5 m,
/// whichever is larger, up to 10 km from it. Edges are shortest paths between neighbouring points.
/// Only + − × ÷ and √ are used, so results are identical on all processors.
///
///     let region = Region(zone.geometry)
///     let distance = region?.signedDistance(from: EarthPoint(fix.position))
public struct Region: Sendable {
    let shape: Shape
    let corners: [Corner]

    /// Returns nil for a geometry in an unknown format.
    public init?(_ prepared: PreparedGeometry) {
        guard let (shape, corners) = Shape.prepared(prepared) else { return nil }
        self.shape = shape
        self.corners = corners
    }

    /// Radius of the largest inscribed circle, centimetres.
    public var inradiusCentimetres: Int32 { shape.inradiusCentimetres }

    /// Whether the region is certainly farther than `metres` from the point. Fast, because it
    /// ignores edges; false proves nothing.
    public func isSurelyBeyond(metres: Double, from point: EarthPoint) -> Bool {
        shape.isSurelyBeyond(metres: metres, from: point)
    }

    /// Whether the point is inside. A point on an edge shared by two regions is in exactly one of
    /// them.
    public func contains(_ point: EarthPoint) -> Bool { shape.contains(point, corners) }

    /// Distance to the true edge, negative inside. At more than 500 km from the region's enclosing
    /// circle, it is the straight distance to that circle, which is a lower bound.
    public func signedDistance(from point: EarthPoint) -> SignedDistance {
        shape.signedDistance(from: point, corners)
    }
}
