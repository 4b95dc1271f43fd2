import Geometry
import Model

@testable import EvaluatorCore

/// A phone that is told how to report, among zones.
struct PolicyStage {
    var life = PolicyLife()
    var rules = ReportingRules()
    var device = World.phone
    var isEmergency = false
    /// How often the surroundings were looked at.
    private(set) var looks = 0
    private var zones: JudgedZones
    private var fix: Fix?
    /// Whether every place is looked at anew.
    var forgets = false

    init(_ placed: [PlacedZone]) {
        zones = JudgedZones.judged(placed)
    }

    /// Other zones from here on; what the phone is told now, nil if nothing new.
    mutating func arrange(_ placed: [PlacedZone]) -> ReportingPolicy? {
        zones = JudgedZones.judged(placed)
        return follow(isArranged: true)
    }

    /// A fix so many metres north of the middle of the world.
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
        return follow()
    }

    mutating func emergency(_ isActive: Bool) -> ReportingPolicy? {
        isEmergency = isActive
        return follow()
    }

    mutating func lead(_ device: DeviceID) -> ReportingPolicy? {
        self.device = device
        return follow(isArranged: true)
    }

    private mutating func follow(isArranged: Bool = false) -> ReportingPolicy? {
        if isArranged { life.rearrange() }
        if forgets { life.basis = nil }
        let moment = PolicyLife.Moment(
            device: device, point: fix.map { EarthPoint($0.position) },
            speed: fix?.speedCentimetresPerSecond, isEmergency: isEmergency)
        var surroundings: Surroundings?
        if let point = moment.point, life.needsLook(at: moment, rules) {
            surroundings = look(around: point)
            looks += 1
        }
        let isTold = life.follow(moment, rules, surroundings)
        return isTold ? life.told?.policy(of: World.person, rules) : nil
    }

    private func look(around point: EarthPoint) -> Surroundings {
        var survey = ZoneSurvey()
        return survey.surroundings(of: point, rules) { survey in
            survey.add(zones, around: point, isRelevant: nil)
        }
    }
}

extension JudgedZones {
    static func judged(_ placed: [PlacedZone]) -> JudgedZones { JudgedZones(placed) }
}
