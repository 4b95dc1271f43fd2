import Hashing
import Model

/// Hashes of configuration records, which tell whether a partition already has a record.
enum ConfigurationHash {
    static func of(_ circle: ConfiguredCircle) -> ID128 {
        var bytes: [UInt8] = []
        circle.circle.raw.appendBytes(to: &bytes)
        append(circle.zones, to: &bytes)
        return Hash.blake2b128(bytes)
    }

    static func of(_ person: ConfiguredPerson) -> ID128 {
        var bytes: [UInt8] = []
        person.person.raw.appendBytes(to: &bytes)
        (person.primaryDevice?.raw ?? .zero).appendBytes(to: &bytes)
        bytes.append(integer: UInt32(person.circles.count))
        for circle in person.circles { circle.raw.appendBytes(to: &bytes) }
        append(person.zones, to: &bytes)
        bytes.append(integer: UInt32(person.sets.count))
        for set in person.sets { set.raw.appendBytes(to: &bytes) }
        bytes.append(integer: UInt32(person.unshared.count))
        for unshared in person.unshared {
            unshared.circle.raw.appendBytes(to: &bytes)
            bytes.append(integer: unshared.until?.microseconds ?? .max)
        }
        bytes.append(integer: UInt32(person.refused.count))
        for zone in person.refused { zone.raw.appendBytes(to: &bytes) }
        return Hash.blake2b128(bytes)
    }

    static func of(_ page: ConfiguredSet) -> ID128 {
        var bytes: [UInt8] = []
        page.set.raw.appendBytes(to: &bytes)
        bytes.append(integer: UInt32(page.page))
        append(page.zones, to: &bytes)
        return Hash.blake2b128(bytes)
    }

    private static func append(_ zones: [ConfiguredZone], to bytes: inout [UInt8]) {
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
            append(rulesOf: zone, to: &bytes)
        }
    }

    /// The fields of a zone other than its shape.
    private static func append(rulesOf zone: ConfiguredZone, to bytes: inout [UInt8]) {
        bytes.append(text: zone.category)
        bytes.append(integer: Int64(zone.alertDistanceMetres))
        bytes.append(integer: Int64(zone.dwellSeconds))
        bytes.append(integer: Int64(zone.absentByMinute ?? -1))
        bytes.append(zone.alarm.vibrates ? 1 : 0)
        bytes.append(text: zone.alarm.sound)
        bytes.append(integer: Int64(zone.alarm.cycleSeconds))
        bytes.append(integer: Int64(zone.alarm.sleepSeconds))
        bytes.append(integer: UInt32(zone.messages.count))
        for message in zone.messages { message.raw.appendBytes(to: &bytes) }
        bytes.append(zone.clock == nil ? 0 : 1)
        if let clock = zone.clock {
            bytes.append(text: clock.timeZone)
            bytes.append(integer: clock.firstOffset)
            bytes.append(integer: UInt32(clock.offsets.count))
            for step in clock.offsets {
                bytes.append(integer: step.at)
                bytes.append(integer: step.offset)
            }
        }
        bytes.append(zone.schedule == nil ? 0 : 1)
        if let schedule = zone.schedule {
            bytes.append(integer: UInt32(schedule.windows.count))
            for window in schedule.windows {
                bytes.append(integer: Int64(window.start))
                bytes.append(integer: Int64(window.end))
            }
            bytes.append(integer: UInt32(schedule.exceptions.count))
            for day in schedule.exceptions { bytes.append(integer: day) }
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
