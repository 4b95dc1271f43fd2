import CGEOS
import Model

/// Districts without overlaps: all borders are split where they meet, each face goes to
/// the first district that contains it, and gaps go to a neighbour.
struct Coverage {
    private(set) var districts: [District]
    /// Borders with a district on either side.
    private(set) var inner: [Border] = []

    init(_ given: [District]) {
        let plane = Arrangement()
        let avatars = plane.avatars(of: given.flatMap(\.polygons))
        let shapes = given.map(PlanarDistrict.init)
        var owners = avatars.map { avatar in shapes.firstIndex { $0.contains(avatar.inside) } }
        var sides: [Border: [Int]] = [:]
        for (index, avatar) in avatars.enumerated() {
            for border in District(name: "", polygons: [avatar.polygon]).borders {
                sides[border, default: []].append(index)
            }
        }
        for (index, avatar) in avatars.enumerated() where owners[index] == nil {
            let borders = District(name: "", polygons: [avatar.polygon]).borders
            let neighbours = borders.flatMap { sides[$0] ?? [] }
            owners[index] = neighbours.compactMap { owners[$0] }.min()
        }
        districts = given.indices.map { number in
            let own = avatars.indices.filter { owners[$0] == number }.map { avatars[$0].polygon }
            return District(name: given[number].name, polygons: plane.united(own))
        }
        for (border, around) in sides.sorted(by: { $0.key.order < $1.key.order }) {
            if around.count == 2, owners[around[0]] != owners[around[1]] { inner.append(border) }
        }
    }
}

extension Border {
    fileprivate var order: (Int32, Int32, Int32, Int32) {
        (start.longitudeE7, start.latitudeE7, end.longitudeE7, end.latitudeE7)
    }
}

/// A district on a flat map of degrees, as an independent containment test.
struct PlanarDistrict {
    private let borders: [Border]
    private let south: Int32
    private let north: Int32

    init(_ district: District) {
        borders = district.borders
        south = borders.map { min($0.start.latitudeE7, $0.end.latitudeE7) }.min() ?? 0
        north = borders.map { max($0.start.latitudeE7, $0.end.latitudeE7) }.max() ?? 0
    }

    func contains(_ point: Coordinate) -> Bool {
        guard point.latitudeE7 >= south, point.latitudeE7 <= north else { return false }
        return borders.count { $0.isPassedEast(of: point) } % 2 == 1
    }
}

/// GEOS on the grid of 10⁻⁷ degrees.
private final class Arrangement {
    private let context = GEOS_init_r()

    deinit { GEOS_finish_r(context) }

    /// The faces between all rings, each with a point inside.
    func avatars(of polygons: [Polygon]) -> [(polygon: Polygon, inside: Coordinate)] {
        let rings = polygons.flatMap { [$0.outer] + $0.holes }
        let lines = collected(
            rings.map { GEOSGeom_createLineString_r(context, sequence($0)) }, GEOS_MULTILINESTRING)
        let cut = GEOSUnaryUnionPrec_r(context, lines, 1)
        var all: [OpaquePointer?] = [cut]
        let avatars = GEOSPolygonize_r(context, &all, 1)
        defer { for each in [lines, cut, avatars] { GEOSGeom_destroy_r(context, each) } }
        return parts(of: avatars).map { avatar in
            let point = GEOSPointOnSurface_r(context, avatar)
            defer { GEOSGeom_destroy_r(context, point) }
            var x = 0.0
            var y = 0.0
            _ = GEOSGeomGetX_r(context, point, &x)
            _ = GEOSGeomGetY_r(context, point, &y)
            return (polygon(avatar), coordinate(x, y))
        }
    }

    /// Merges faces into one shape without adding or removing outline points.
    func united(_ polygons: [Polygon]) -> [Polygon] {
        let avatars = collected(
            polygons.map { polygon in
                var holes: [OpaquePointer?] = polygon.holes.map(ring)
                return GEOSGeom_createPolygon_r(
                    context, ring(polygon.outer), &holes, UInt32(holes.count))
            }, GEOS_GEOMETRYCOLLECTION)
        let whole = GEOSUnaryUnion_r(context, avatars)
        defer { for each in [avatars, whole] { GEOSGeom_destroy_r(context, each) } }
        return parts(of: whole).map(polygon)
    }

    private func parts(of geometry: OpaquePointer?) -> [OpaquePointer?] {
        (0..<GEOSGetNumGeometries_r(context, geometry)).map {
            GEOSGetGeometryN_r(context, geometry, $0)
        }
    }

    private func polygon(_ avatar: OpaquePointer?) -> Polygon {
        Polygon(
            outer: points(GEOSGetExteriorRing_r(context, avatar)),
            holes: (0..<GEOSGetNumInteriorRings_r(context, avatar)).map {
                points(GEOSGetInteriorRingN_r(context, avatar, $0))
            })
    }

    private func points(_ ring: OpaquePointer?) -> [Coordinate] {
        let sequence = GEOSGeom_getCoordSeq_r(context, ring)
        var count: UInt32 = 0
        _ = GEOSCoordSeq_getSize_r(context, sequence, &count)
        var numbers = [Double](repeating: 0, count: 2 * Int(count))
        _ = GEOSCoordSeq_copyToBuffer_r(context, sequence, &numbers, 0, 0)
        return stride(from: 0, to: numbers.count - 2, by: 2).map {
            coordinate(numbers[$0], numbers[$0 + 1])
        }
    }

    private func coordinate(_ x: Double, _ y: Double) -> Coordinate {
        Coordinate(latitudeE7: Int32(y.rounded()), longitudeE7: Int32(x.rounded()))
    }

    private func ring(_ points: [Coordinate]) -> OpaquePointer? {
        GEOSGeom_createLinearRing_r(context, sequence(points))
    }

    private func sequence(_ points: [Coordinate]) -> OpaquePointer? {
        var numbers: [Double] = []
        for point in points + points.prefix(1) {
            numbers += [Double(point.longitudeE7), Double(point.latitudeE7)]
        }
        return GEOSCoordSeq_copyFromBuffer_r(context, &numbers, UInt32(points.count + 1), 0, 0)
    }

    private func collected(_ parts: [OpaquePointer?], _ kind: GEOSGeomTypes) -> OpaquePointer? {
        var parts = parts
        return GEOSGeom_createCollection_r(
            context, Int32(kind.rawValue), &parts, UInt32(parts.count))
    }
}
