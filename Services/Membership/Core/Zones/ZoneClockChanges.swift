import Directory
import Model

/// Changes of zones whose offsets differ from the time zone database.
enum ZoneClockChanges {
    static func events(_ clocks: [ZoneClock], in directory: Replica) -> [EventBody] {
        let known = Dictionary(uniqueKeysWithValues: clocks.map { ($0.timeZone, $0) })
        return directory.sortedZones.compactMap { zone in
            guard let old = zone.clock, let new = known[old.timeZone], new != old else {
                return nil
            }
            var zone = zone
            zone.clock = new
            zone.version += 1
            return .zoneChanged(zone)
        }
    }
}
