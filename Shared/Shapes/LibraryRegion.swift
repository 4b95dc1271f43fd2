import CGEOS
import Geometry

/// Regions of the plane: what they unite to, what is left of them. Nil is GEOS's failure, of which
/// ``Library/lastError`` tells.
extension Library {
    /// Everything within the capsule's distance of the paths.
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
        return united(parts)
    }

    /// Everything in any of the polygons, each of rings, outer first.
    func region(_ polygons: [[[PlanarShape.Point]]]) -> OpaquePointer? {
        united(polygons.map { polygon($0).map(giveAway) })
    }

    /// Everything in the first that is not in the second.
    func difference(_ region: OpaquePointer, _ other: OpaquePointer) -> OpaquePointer? {
        keep(GEOSDifference_r(context, region, other))
    }

    /// With points on a grid; before that, without those that change nothing by more than the
    /// tolerance, unless edges would cross then.
    func simplified(
        _ region: OpaquePointer, toleranceMetres: Double, gridMetres: Double
    ) -> OpaquePointer? {
        let polygons = polygons(of: region).compactMap { rings -> OpaquePointer? in
            guard let outer = simplified(ring: rings[0], toleranceMetres) else { return nil }
            let holes = rings.dropFirst().compactMap { simplified(ring: $0, toleranceMetres) }
            return polygon([outer] + holes).map(giveAway)
        }
        let simple = collected(polygons, GEOS_MULTIPOLYGON)
        let isClean = simple.map { GEOSisValid_r(context, $0) == 1 } ?? false
        let best = isClean ? simple ?? region : region
        return keep(GEOSGeom_setPrecision_r(context, best, gridMetres, 0))
    }

    /// Nil where less than a triangle remains.
    private func simplified(
        ring: [PlanarShape.Point], _ toleranceMetres: Double
    ) -> [PlanarShape.Point]? {
        let simple = simplified(ring + ring.prefix(1), toleranceMetres: toleranceMetres)
        return simple.flatMap { $0.count > 3 ? $0.dropLast() : nil }
    }

    /// The path without the points that change nothing by more than the tolerance; where nothing
    /// else remains, its first point.
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

    /// The polygons of a region, each of rings, outer first, rings not closed.
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

    /// A polygon that nobody keeps.
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

    /// Takes polygons that nobody keeps.
    private func united(_ parts: [OpaquePointer?]) -> OpaquePointer? {
        let polygons = parts.compactMap { $0 }
        let all = collected(polygons, GEOS_GEOMETRYCOLLECTION)
        guard let all, polygons.count == parts.count else { return nil }
        return keep(GEOSUnaryUnion_r(context, all))
    }

    /// Takes polygons that nobody keeps.
    private func collected(
        _ polygons: [OpaquePointer], _ kind: GEOSGeomTypes
    ) -> OpaquePointer? {
        var given: [OpaquePointer?] = polygons
        return keep(
            GEOSGeom_createCollection_r(context, Int32(kind.rawValue), &given, UInt32(given.count)))
    }
}
