import Hashing
import Model

/// Digests of configuration, by which ingest knows what a partition has been told already.
enum Digest {
    static func of(_ circle: PlacedCircle) -> ID128 {
        var bytes: [UInt8] = []
        circle.circle.raw.appendBytes(to: &bytes)
        append(circle.zones, to: &bytes)
        return Hash.blake2b128(bytes)
    }

    static func of(_ person: PlacedPerson) -> ID128 {
        var bytes: [UInt8] = []
        person.person.raw.appendBytes(to: &bytes)
        (person.leadingDevice?.raw ?? .zero).appendBytes(to: &bytes)
        bytes.append(integer: UInt32(person.circles.count))
        for circle in person.circles { circle.raw.appendBytes(to: &bytes) }
        append(person.zones, to: &bytes)
        return Hash.blake2b128(bytes)
    }

    private static func append(_ zones: [PlacedZone], to bytes: inout [UInt8]) {
        bytes.append(integer: UInt32(zones.count))
        for zone in zones {
            zone.id.raw.appendBytes(to: &bytes)
            bytes.append(text: zone.name)
            bytes.append(text: zone.kind.rawValue)
            bytes.append(zone.active ? 1 : 0)
            bytes.append(integer: Int64(zone.priority))
            bytes.append(integer: Int64(zone.hysteresisMetres))
            bytes.append(integer: zone.version)
            bytes.append(integer: UInt32(zone.transitions.count))
            for transition in zone.transitions { bytes.append(text: transition.rawValue) }
            append(zone.geometry, to: &bytes)
        }
    }

    private static func append(_ geometry: PreparedGeometry, to bytes: inout [UInt8]) {
        bytes.append(integer: geometry.origin.latitudeE7)
        bytes.append(integer: geometry.origin.longitudeE7)
        bytes.append(integer: geometry.radiusCentimetres)
        bytes.append(integer: geometry.inradiusCentimetres)
        bytes.append(integer: geometry.reachCentimetres)
        bytes.append(integer: UInt32(geometry.coefficients.count))
        for coefficient in geometry.coefficients { bytes.append(integer: coefficient) }
        bytes.append(integer: UInt32(geometry.polygons.count))
        for polygon in geometry.polygons {
            bytes.append(integer: UInt32(polygon.count))
            for ring in polygon {
                bytes.append(integer: UInt32(ring.count))
                for point in ring {
                    bytes.append(integer: point.longitudeE7)
                    bytes.append(integer: point.latitudeE7)
                }
            }
        }
    }
}
