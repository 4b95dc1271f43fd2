import Hosting
import MembershipCore
import Model
import Runtime
import Timing

/// Updates zones whose offsets differ from the time zone database. Offsets change by law, and a
/// zone's clock covers a limited number of years.
struct ZoneClockUpdate {
    let runner: CoreRunner
    let timeZones: TimeZoneFolder

    func run() throws {
        let host = runner.host
        let clocks = ZoneClocks(timeZones, now: host.now)
        let names = Set(
            runner.core.directory.sortedZones.compactMap { $0.clock?.timeZone }
        ).sorted()
        let known = names.compactMap { clocks.clock(of: $0) }
        if known.count < names.count {
            let missing = Set(names).subtracting(known.map(\.timeZone)).sorted()
            host.log.warning(
                "time zones unknown, zones keep their offsets",
                ["timeZones": missing.joined(separator: " "), "folder": timeZones.path])
        }
        let renewed = try runner.submit(.zoneClocks(known)).compactMap { body -> String? in
            if case .zoneChanged(let zone) = body { zone.clock?.timeZone } else { nil }
        }
        guard !renewed.isEmpty else { return }
        host.log.info(
            "zone offsets updated",
            [
                "zones": renewed.count,
                "timeZones": Set(renewed).sorted().joined(separator: " "),
            ])
    }
}
