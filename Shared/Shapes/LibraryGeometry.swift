import CGEOS
import Geometry

extension Library {
    /// Creates a polygon from rings, outer ring first; nil if GEOS cannot.
    func polygon(_ rings: [[PlanarShape.Point]]) -> OpaquePointer? {
        let closed = rings.map(linearRing)
        guard let outer = closed.first, let outer else { return nil }
        let holes = closed.dropFirst().compactMap { $0 }
        guard holes.count == rings.count - 1 else { return nil }
        var handles: [OpaquePointer?] = holes.map(release)
        return keep(
            GEOSGeom_createPolygon_r(
                context, release(outer), &handles, UInt32(handles.count)))
    }

    private func linearRing(_ points: [PlanarShape.Point]) -> OpaquePointer? {
        var numbers: [Double] = []
        for point in points + points.prefix(1) { numbers += [point.x, point.y] }
        let count = UInt32(points.count + 1)
        let sequence = GEOSCoordSeq_copyFromBuffer_r(context, &numbers, count, 0, 0)
        guard let sequence else { return nil }
        return keep(GEOSGeom_createLinearRing_r(context, sequence))
    }

    /// Why and where a polygon is invalid; nil if it is valid.
    func fault(of polygon: OpaquePointer) -> (reason: String, point: PlanarShape.Point?)? {
        var reason: UnsafeMutablePointer<CChar>?
        var location: OpaquePointer?
        let valid = GEOSisValidDetail_r(context, polygon, 0, &reason, &location)
        defer { if let reason { GEOSFree_r(context, reason) } }
        if valid == 1 { return nil }
        let message = reason.map { String(cString: $0) } ?? lastError
        return (message, keep(location).flatMap(point))
    }

    /// Coordinates of a point.
    func point(_ geometry: OpaquePointer) -> PlanarShape.Point? {
        var x = 0.0
        var y = 0.0
        guard GEOSGeomGetX_r(context, geometry, &x) == 1,
            GEOSGeomGetY_r(context, geometry, &y) == 1
        else { return nil }
        return PlanarShape.Point(x: x, y: y)
    }

    /// A point inside the overlap of two polygons; nil if their interiors do not overlap.
    func overlap(_ one: OpaquePointer, _ other: OpaquePointer) -> PlanarShape.Point? {
        guard GEOSRelatePattern_r(context, one, other, "2********") == 1,
            let both = keep(GEOSIntersection_r(context, one, other)),
            let middle = keep(GEOSPointOnSurface_r(context, both))
        else { return nil }
        return point(middle)
    }

    /// Radius of the largest inscribed circle in metres, within the tolerance; nil on an error.
    func inradius(of geometry: OpaquePointer, toleranceMetres: Double) -> Double? {
        guard
            let line = keep(GEOSMaximumInscribedCircle_r(context, geometry, toleranceMetres))
        else { return nil }
        var length = 0.0
        return GEOSLength_r(context, line, &length) == 1 ? length : nil
    }
}
