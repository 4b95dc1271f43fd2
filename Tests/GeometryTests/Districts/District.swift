import Geometry
import Glibc
import Model
import Parsing

/// A district of Malaysia from public data: shores, islands, borders along neighbours.
struct District {
    /// Such as `Kluang, JHR`.
    var name: String
    var polygons: [Polygon]

    /// Directory TEST_DATA of the environment, by default `../shared/data` beside the repository.
    static let path: String = {
        let folder = getenv("TEST_DATA").map { String(cString: $0) }
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        return (folder ?? "/" + root + "/../shared/data") + "/malaysia_districts.geojson"
    }()

    static let isThere = access(path, R_OK) == 0

    /// All districts in file order.
    static func all() throws -> [District] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
            bytes += buffer.prefix(count)
        }
        let features = try JSON.parse(bytes)["features"]?.array ?? []
        return features.map { feature in
            let properties = feature["properties"]
            return District(
                name: (properties?["name"]?.string ?? "") + ", "
                    + (properties?["state"]?.string ?? ""),
                polygons: (feature["geometry"]?["coordinates"]?.array ?? []).map(polygon))
        }
    }

    private static func polygon(_ json: JSON) -> Polygon {
        let rings = (json.array ?? []).map { ring in
            (ring.array ?? []).dropLast().compactMap { position -> Coordinate? in
                guard let numbers = position.array, let longitude = numbers[0].double,
                    let latitude = numbers[1].double
                else { return nil }
                return Coordinate(latitude: latitude, longitude: longitude)
            }
        }
        return Polygon(outer: rings.first ?? [], holes: Array(rings.dropFirst()))
    }

    /// Omits repeated points and rings below one square metre.
    var cleaned: District {
        let polygons = polygons.compactMap { polygon -> Polygon? in
            let outer = District.cleaned(polygon.outer)
            guard District.hasArea(outer) else { return nil }
            return Polygon(
                outer: outer,
                holes: polygon.holes.map(District.cleaned).filter(District.hasArea))
        }
        return District(name: name, polygons: polygons)
    }

    private static func cleaned(_ ring: [Coordinate]) -> [Coordinate] {
        var cleaned: [Coordinate] = []
        for point in ring where point != cleaned.last { cleaned.append(point) }
        if cleaned.count > 1, cleaned.first == cleaned.last { cleaned.removeLast() }
        return cleaned
    }

    /// Near the equator a square metre is a square of 90 units.
    private static func hasArea(_ ring: [Coordinate]) -> Bool {
        var doubled: Int64 = 0
        for (one, other) in zip(ring, ring.dropFirst() + ring.prefix(1)) {
            let east = Int64(one.longitudeE7 - ring[0].longitudeE7)
            let otherEast = Int64(other.longitudeE7 - ring[0].longitudeE7)
            doubled += east * Int64(other.latitudeE7 - ring[0].latitudeE7)
            doubled -= otherEast * Int64(one.latitudeE7 - ring[0].latitudeE7)
        }
        return doubled.magnitude > 2 * 90 * 90
    }

    /// All edges of all rings.
    var borders: [Border] {
        polygons.flatMap { [$0.outer] + $0.holes }.flatMap { ring in
            zip(ring, ring.dropFirst() + ring.prefix(1)).map { Border($0, $1) }
        }
    }
}

/// An edge, independent of its direction.
struct Border: Hashable {
    var start: Coordinate
    var end: Coordinate

    init(_ one: Coordinate, _ other: Coordinate) {
        let isForward = (one.longitudeE7, one.latitudeE7) < (other.longitudeE7, other.latitudeE7)
        start = isForward ? one : other
        end = isForward ? other : one
    }

    /// A point on it or within three units of 11 mm.
    func point(_ random: inout some RandomNumberGenerator) -> Coordinate {
        let share = random.number(0.1...0.9)
        let east = Double(end.longitudeE7 - start.longitudeE7) * share
        let north = Double(end.latitudeE7 - start.latitudeE7) * share
        return Coordinate(
            latitudeE7: start.latitudeE7 + Int32(north) + Int32.random(in: -3...3, using: &random),
            longitudeE7: start.longitudeE7 + Int32(east) + Int32.random(in: -3...3, using: &random))
    }

    /// Whether the map's straight line between the ends passes east of the point, on its latitude.
    func isPassedEast(of point: Coordinate) -> Bool {
        guard (start.latitudeE7 > point.latitudeE7) != (end.latitudeE7 > point.latitudeE7) else {
            return false
        }
        let share =
            Double(point.latitudeE7 - start.latitudeE7) / Double(end.latitudeE7 - start.latitudeE7)
        let east = Double(start.longitudeE7) + share * Double(end.longitudeE7 - start.longitudeE7)
        return east > Double(point.longitudeE7)
    }
}
