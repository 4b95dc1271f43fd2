import CGEOS
import Geometry

extension Library {
    /// A polygon of rings, outer first; nil if GEOS cannot make one.
    func polygon(_ rings: [[PlanarShape.Point]]) -> OpaquePointer? {
        let closed = rings.map(linearRing)
        guard let outer = closed.first, let outer else { return nil }
        let holes = closed.dropFirst().compactMap { $0 }
        guard holes.count == rings.count - 1 else { return nil }
        var given: [OpaquePointer?] = holes.map(giveAway)
        return keep(
            GEOSGeom_createPolygon_r(
                context, giveAway(outer), &given, UInt32(given.count)))
    }

    private func linearRing(_ points: [PlanarShape.Point]) -> OpaquePointer? {
        var numbers: [Double] = []
        for point in points + points.prefix(1) { numbers += [point.x, point.y] }
        let count = UInt32(points.count + 1)
        let sequence = GEOSCoordSeq_copyFromBuffer_r(context, &numbers, count, 0, 0)
        guard let sequence else { return nil }
        return keep(GEOSGeom_createLinearRing_r(context, sequence))
    }

    /// What makes a polygon invalid and where; nil for a valid one.
    func fault(of polygon: OpaquePointer) -> (reason: String, place: PlanarShape.Point?)? {
        var reason: UnsafeMutablePointer<CChar>?
        var location: OpaquePointer?
        let valid = GEOSisValidDetail_r(context, polygon, 0, &reason, &location)
        defer { if let reason { GEOSFree_r(context, reason) } }
        if valid == 1 { return nil }
        let said = reason.map { String(cString: $0) } ?? lastError
        return (said, keep(location).flatMap(point))
    }

    /// A point's coordinates.
    func point(_ geometry: OpaquePointer) -> PlanarShape.Point? {
        var x = 0.0
        var y = 0.0
        guard GEOSGeomGetX_r(context, geometry, &x) == 1,
            GEOSGeomGetY_r(context, geometry, &y) == 1
        else { return nil }
        return PlanarShape.Point(x: x, y: y)
    }

    /// Where the insides of two polygons cover the same ground; nil if they do not.
    func overlap(_ one: OpaquePointer, _ other: OpaquePointer) -> PlanarShape.Point? {
        guard GEOSRelatePattern_r(context, one, other, "2********") == 1,
            let both = keep(GEOSIntersection_r(context, one, other)),
            let middle = keep(GEOSPointOnSurface_r(context, both))
        else { return nil }
        return point(middle)
    }

    /// Radius of the largest circle inside, metres, found within the tolerance; nil on an error.
    func inradius(of geometry: OpaquePointer, toleranceMetres: Double) -> Double? {
        guard
            let line = keep(GEOSMaximumInscribedCircle_r(context, geometry, toleranceMetres))
        else { return nil }
        var length = 0.0
        return GEOSLength_r(context, line, &length) == 1 ? length : nil
    }
}
