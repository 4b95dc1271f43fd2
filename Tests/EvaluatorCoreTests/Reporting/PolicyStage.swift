import Geometry
import Model

@testable import EvaluatorCore

/// A phone with a reporting policy among zones.
struct PolicyStage {
    var machine = ReportingMachine()
    var rules = ReportingRules()
    var device = World.phone
    var isEmergency = false
    /// How often the nearest edges were searched.
    private(set) var searches = 0
    private var zones: ActiveZones
    private var fix: Fix?
    /// Whether every point is searched.
    var alwaysSearches = false

    init(_ configured: [ConfiguredZone]) {
        zones = ActiveZones.evaluated(configured)
    }

    /// Changes the zones. Returns the new policy; nil if it is unchanged.
    mutating func reconfigure(_ configured: [ConfiguredZone]) -> ReportingPolicy? {
        zones = ActiveZones.evaluated(configured)
        return update(isReconfigured: true)
    }

    /// A fix this many metres north of the world's centre.
    mutating func report(
        north: Double, east: Double = 0, speed: Double? = nil
    ) -> ReportingPolicy? {
        let position = Coordinate(
            latitude: World.middle.latitude + north / 110_574.276,
            longitude: World.middle.longitude + east / 111_319.491)
        return report(at: position ?? World.middle, speed: speed)
    }

    mutating func report(at position: Coordinate, speed: Double? = nil) -> ReportingPolicy? {
        fix = Fix(
            time: .zero, position: position,
            speedCentimetresPerSecond: speed.map { Int32(($0 * 100).rounded()) })
        return update()
    }

    mutating func emergency(_ isActive: Bool) -> ReportingPolicy? {
        isEmergency = isActive
        return update()
    }

    mutating func changeDevice(_ device: DeviceID) -> ReportingPolicy? {
        self.device = device
        return update(isReconfigured: true)
    }

    private mutating func update(isReconfigured: Bool = false) -> ReportingPolicy? {
        if isReconfigured { machine.invalidate() }
        if alwaysSearches { machine.basis = nil }
        let context = ReportingMachine.Context(
            device: device, point: fix.map { EarthPoint($0.position) },
            speed: fix?.speedCentimetresPerSecond, isEmergency: isEmergency)
        var nearestEdges: NearestEdges?
        if let point = context.point, machine.needsNearestEdges(for: context, rules) {
            nearestEdges = search(around: point)
            searches += 1
        }
        let isChanged = machine.update(context, rules, nearestEdges)
        return isChanged ? machine.sent?.policy(of: World.person, rules) : nil
    }

    private func search(around point: EarthPoint) -> NearestEdges {
        var probe = ZoneProbe()
        return probe.nearestEdges(of: point, rules) { probe in
            probe.add(zones, around: point, isRelevant: nil)
        }
    }
}

extension ActiveZones {
    static func evaluated(_ configured: [ConfiguredZone]) -> ActiveZones { ActiveZones(configured) }
}
