import Geometry
import Model

/// The part of an active zone that is read for every fix near it.
///
/// It is small because memory access dominates the cost of a fix. Fields that are read only when
/// something happens belong to ``ZoneDetails``.
struct ActiveZone: Hashable, Sendable {
    let id: ZoneID
    let kind: ZoneKind
    /// Whether the path between two fixes counts as a crossing.
    let isCrossed: Bool
    let isScheduled: Bool
    /// Whether time alone can change something for a person inside: the zone has a schedule or a
    /// dwell time.
    let isTimed: Bool
    let hysteresisMetres: Int32
    /// 0 = no alert distance.
    let alertCentimetres: Int32

    init(_ zone: ConfiguredZone) {
        id = zone.id
        kind = zone.kind
        isCrossed = zone.transitions.contains(.cross)
        isScheduled = zone.schedule != nil
        isTimed = zone.schedule != nil || zone.dwellSeconds > 0
        hysteresisMetres = Int32(min(max(0, zone.hysteresisMetres), 1_000_000))
        alertCentimetres = Int32(min(max(0, zone.alertDistanceMetres), 1_000_000) * 100)
    }

    /// The distance beyond which nothing can change for a person who is outside, metres. One
    /// centimetre is added because distances are rounded.
    var reachMetres: Double { Double(alertCentimetres) / 100 + 0.01 }
}

/// The part of an active zone that is read only when something happens.
final class ZoneDetails: Sendable {
    let name: String
    let category: String
    /// Lower is more urgent.
    let priority: Int
    /// 0 = no dwell event.
    let dwellSeconds: Int64
    let calendar: ZoneCalendar
    let absentByMinute: Int?
    let alarm: ZoneAlarm
    let messages: [MessageID]
    /// The transitions that notify. Messages of a safe zone are sent for these.
    let transitions: [Transition]

    init(_ zone: ConfiguredZone) {
        name = zone.name
        category = zone.category
        priority = zone.priority
        dwellSeconds = Int64(min(max(0, zone.dwellSeconds), 1_000_000_000))
        calendar = ZoneCalendar(clock: zone.clock, schedule: zone.schedule)
        absentByMinute = zone.absentByMinute.map { min(max(0, $0), 1439) }
        alarm = zone.alarm
        messages = zone.messages
        transitions = zone.transitions
    }
}

/// A zone with its shape, before it joins an ``ActiveZones``.
struct PreparedZone: Sendable {
    let zone: ActiveZone
    let details: ZoneDetails
    let region: Region

    /// Nil if the geometry has a format that this program does not know.
    init?(_ zone: ConfiguredZone) {
        guard let region = Region(zone.geometry) else { return nil }
        self.zone = ActiveZone(zone)
        details = ZoneDetails(zone)
        self.region = region
    }

    /// The active zones ordered by id, and the number of unreadable zones. If two zones share an
    /// id, the first one wins.
    static func all(_ configured: [ConfiguredZone]) -> (zones: [PreparedZone], unreadable: Int) {
        var zones: [PreparedZone] = []
        zones.reserveCapacity(configured.count)
        var unreadable = 0
        var seen: Set<ZoneID> = []
        for zone in configured where zone.active && seen.insert(zone.id).inserted {
            if let prepared = PreparedZone(zone) {
                zones.append(prepared)
            } else {
                unreadable += 1
            }
        }
        zones.sort { $0.zone.id < $1.zone.id }
        return (zones, unreadable)
    }
}
