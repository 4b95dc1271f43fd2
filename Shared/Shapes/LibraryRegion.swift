import CGEOS
import Geometry

/// Set operations on regions. They return nil on failure and set ``Library/lastError``.
extension Library {
    /// All points within the capsule's distance of the paths, plus `region`.
    func surroundings(
        of paths: [[PlanarShape.Point]], _ capsule: Capsule, and region: OpaquePointer? = nil
    ) -> OpaquePointer? {
        var parts: [OpaquePointer?] = region.map { [GEOSGeom_clone_r(context, $0)] } ?? []
        for path in paths {
            for (start, end) in zip(path, path.dropFirst()) where start != end {
                parts.append(outlined(capsule.outline(from: start, to: end)))
            }
            if path.count == 1 {
                parts.append(outlined(capsule.outline(from: path[0], to: path[0])))
            }
        }
        return union(parts)
    }

    /// The union of polygons, each a list of rings, outer ring first.
    func region(_ polygons: [[[PlanarShape.Point]]]) -> OpaquePointer? {
        union(polygons.map { polygon($0).map(release) })
    }

    /// The part of the first region that is outside the second.
    func difference(_ region: OpaquePointer, _ other: OpaquePointer) -> OpaquePointer? {
        keep(GEOSDifference_r(context, region, other))
    }

    /// Simplifies a region within the tolerance and rounds its points to a grid.
    ///
    /// Skips the simplification if edges would cross.
    func simplified(
        _ region: OpaquePointer, toleranceMetres: Double, gridMetres: Double
    ) -> OpaquePointer? {
        let polygons = polygons(of: region).compactMap { rings -> OpaquePointer? in
            guard let outer = simplified(ring: rings[0], toleranceMetres) else { return nil }
            let holes = rings.dropFirst().compactMap { simplified(ring: $0, toleranceMetres) }
            return polygon([outer] + holes).map(release)
        }
        let simple = collected(polygons, GEOS_MULTIPOLYGON)
        let isClean = simple.map { GEOSisValid_r(context, $0) == 1 } ?? false
        let best = isClean ? simple ?? region : region
        return keep(GEOSGeom_setPrecision_r(context, best, gridMetres, 0))
    }

    /// Simplifies a ring; nil if less than a triangle remains.
    private func simplified(
        ring: [PlanarShape.Point], _ toleranceMetres: Double
    ) -> [PlanarShape.Point]? {
        let simple = simplified(ring + ring.prefix(1), toleranceMetres: toleranceMetres)
        return simple.flatMap { $0.count > 3 ? $0.dropLast() : nil }
    }

    /// Simplifies a path within the tolerance. Returns at least the first point.
    func simplified(
        _ path: [PlanarShape.Point], toleranceMetres: Double
    ) -> [PlanarShape.Point]? {
        guard path.count > 2 else { return path }
        guard let line = line(path),
            let simple = keep(GEOSSimplify_r(context, line, toleranceMetres))
        else { return nil }
        let points = points(of: simple)
        return points.count > 1 ? points : Array(path.prefix(1))
    }

    /// The polygons of a region as lists of open rings, outer ring first.
    func polygons(of region: OpaquePointer) -> [[[PlanarShape.Point]]] {
        (0..<GEOSGetNumGeometries_r(context, region)).compactMap { index in
            guard let polygon = GEOSGetGeometryN_r(context, region, index),
                GEOSGeomTypeId_r(context, polygon) == Int32(GEOS_POLYGON.rawValue),
                let outer = GEOSGetExteriorRing_r(context, polygon)
            else { return nil }
            let holes = (0..<GEOSGetNumInteriorRings_r(context, polygon)).compactMap {
                GEOSGetInteriorRingN_r(context, polygon, $0)
            }
            let rings = ([outer] + holes).map { Array(points(of: $0).dropLast()) }
            return rings[0].isEmpty ? nil : rings
        }
    }

    private func points(of line: OpaquePointer) -> [PlanarShape.Point] {
        var count: UInt32 = 0
        guard let sequence = GEOSGeom_getCoordSeq_r(context, line),
            GEOSCoordSeq_getSize_r(context, sequence, &count) == 1
        else { return [] }
        var numbers = [Double](repeating: 0, count: 2 * Int(count))
        guard GEOSCoordSeq_copyToBuffer_r(context, sequence, &numbers, 0, 0) == 1 else { return [] }
        return stride(from: 0, to: numbers.count, by: 2).map {
            PlanarShape.Point(x: numbers[$0], y: numbers[$0 + 1])
        }
    }

    private func line(_ points: [PlanarShape.Point]) -> OpaquePointer? {
        sequence(points).flatMap { keep(GEOSGeom_createLineString_r(context, $0)) }
    }

    /// Creates a polygon that the caller must release.
    private func outlined(_ points: [PlanarShape.Point]) -> OpaquePointer? {
        guard let sequence = sequence(points + points.prefix(1)),
            let ring = GEOSGeom_createLinearRing_r(context, sequence)
        else { return nil }
        return GEOSGeom_createPolygon_r(context, ring, nil, 0)
    }

    private func sequence(_ points: [PlanarShape.Point]) -> OpaquePointer? {
        var numbers: [Double] = []
        numbers.reserveCapacity(2 * points.count)
        for point in points { numbers += [point.x, point.y] }
        return GEOSCoordSeq_copyFromBuffer_r(context, &numbers, UInt32(points.count), 0, 0)
    }

    /// Unites polygons and takes ownership of them.
    private func union(_ parts: [OpaquePointer?]) -> OpaquePointer? {
        let polygons = parts.compactMap { $0 }
        let all = collected(polygons, GEOS_GEOMETRYCOLLECTION)
        guard let all, polygons.count == parts.count else { return nil }
        return keep(GEOSUnaryUnion_r(context, all))
    }

    /// Collects polygons and takes ownership of them.
    private func collected(
        _ polygons: [OpaquePointer], _ kind: GEOSGeomTypes
    ) -> OpaquePointer? {
        var handles: [OpaquePointer?] = polygons
        return keep(
            GEOSGeom_createCollection_r(
                context, Int32(kind.rawValue), &handles, UInt32(handles.count)))
    }
}
