import Model
import Parsing

/// Writes a zone's geometry as GeoJSON (RFC 7946).
///
/// A circle becomes its centre and a corridor its line; radius and half-width are properties.
public enum GeoJSONShape {
    /// Writes a `Point`, `LineString`, `Polygon` or `MultiPolygon`. Rings are closed; positions are
    /// longitude and latitude in degrees.
    public static func write(_ shape: ZoneShape) -> JSON {
        switch shape {
        case .circle(let center, _): ["type": "Point", "coordinates": position(center)]
        case .corridor(let line, _):
            ["type": "LineString", "coordinates": .array(line.map(position))]
        case .polygons(let polygons) where polygons.count == 1:
            ["type": "Polygon", "coordinates": rings(polygons[0])]
        case .polygons(let polygons):
            ["type": "MultiPolygon", "coordinates": .array(polygons.map(rings))]
        }
    }

    private static func rings(_ polygon: Polygon) -> JSON {
        .array(
            ([polygon.outer] + polygon.holes).map { ring in
                .array((ring + ring.prefix(1)).map(position))
            })
    }

    private static func position(_ coordinate: Coordinate) -> JSON {
        [.number(coordinate.longitude), .number(coordinate.latitude)]
    }
}
