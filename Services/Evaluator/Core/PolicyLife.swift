import Geometry
import Model

/// What a person's leading device is told about reporting, and when it is told again.
struct PolicyLife: Sendable {
    /// What was told last.
    struct Told: Hashable, Sendable {
        var device: DeviceID
        var mode: ReportingMode
        /// In `standard`.
        var filterMetres: Int32?
        /// In `region`.
        var watch: Watch?
    }

    /// Regions that a phone watches.
    struct Watch: Hashable, Sendable {
        var regions: [WatchedRegion]
        /// Where they were chosen.
        var chosen: Coordinate
        /// How far the closest zone was there, centimetres.
        var closest: Int64
    }

    /// A place whose surroundings were looked at. It decides nothing: wherever the answer is the
    /// same as there, it is not looked for.
    private struct Basis: Sendable {
        var point: EarthPoint
        var mode: ReportingMode
        var slackMetres: Double
    }

    /// What is known when it may change.
    struct Moment {
        var device: DeviceID
        /// By which presence was decided last.
        var fix: Fix?
        var point: EarthPoint?
        var isEmergency: Bool
        /// Whether zones, or whom they judge, may be others now.
        var isArranged: Bool
    }

    var told: Told?
    private var basis: Basis?

    init(told: Told? = nil) { self.told = told }

    /// Zones, or whom they judge, are others now.
    mutating func forgetPlaces() { basis = nil }

    /// Decides how to report from now on; true if that has to be told.
    ///
    /// - Parameter look: what the surroundings of a point are.
    mutating func follow(
        _ moment: Moment, _ rules: ReportingRules, look: (EarthPoint) -> Surroundings
    ) -> Bool {
        if moment.isArranged { forgetPlaces() }
        let before = told
        var next = Told(device: moment.device, mode: .event)
        if !moment.isEmergency {
            guard let fix = moment.fix, let point = moment.point else {
                // Nothing is known of where the phone is: it may end what an emergency began.
                guard before != nil else { return false }
                next.mode = before?.mode == .event ? .significant : before?.mode ?? .significant
                next.filterMetres = before?.filterMetres
                next.watch = before?.watch
                return tell(next)
            }
            var seen: Surroundings?
            next.mode = mode(at: point, look, &seen)
            switch next.mode {
            case .standard:
                next.filterMetres = rules.filter(
                    after: before?.filterMetres, speed: fix.speedCentimetresPerSecond)
            case .region:
                next.watch = watch(at: point, moment, rules) { seen ?? look(point) }
            case .significant, .event: break
            }
        }
        return tell(next)
    }

    private mutating func tell(_ next: Told) -> Bool {
        guard next != told else { return false }
        let isSame = told?.says(next) ?? false
        told = next
        return !isSame
    }

    private mutating func mode(
        at point: EarthPoint, _ look: (EarthPoint) -> Surroundings, _ seen: inout Surroundings?
    ) -> ReportingMode {
        if let basis {
            let moved = point == basis.point ? 0 : point.straightMetres(to: basis.point)
            // The way along the earth is a little longer.
            if moved == 0 || moved * 1.001 < basis.slackMetres { return basis.mode }
        }
        let surroundings = look(point)
        basis = Basis(
            point: point, mode: surroundings.mode, slackMetres: surroundings.slackMetres)
        seen = surroundings
        return surroundings.mode
    }

    /// The regions to watch: those that were told, until the person has moved by a part of the
    /// distance to the closest zone.
    private func watch(
        at point: EarthPoint, _ moment: Moment, _ rules: ReportingRules,
        seeing surroundings: () -> Surroundings
    ) -> Watch {
        if let watch = told?.watch, !moment.isArranged {
            let moved = point.straightMetres(to: EarthPoint(watch.chosen)) * 100
            if moved * 100 <= Double(watch.closest * rules.regionsMovedPercent) { return watch }
        }
        let surroundings = surroundings()
        let closest = surroundings.close.first?.centimetres ?? PolicyLife.nothingClose
        var watch = Watch(
            regions: surroundings.regions(rules), chosen: point.coordinate, closest: closest)
        // The same in another order are the same.
        if let told = told?.watch, told.watchesSame(as: watch) { watch.regions = told.regions }
        return watch
    }

    /// Where no zone is within the distance that is looked for, centimetres.
    private static let nothingClose: Int64 = 50_000_000
}

extension PolicyLife.Told {
    /// Whether a phone that has the one needs the other.
    fileprivate func says(_ other: Self) -> Bool {
        device == other.device && mode == other.mode && filterMetres == other.filterMetres
            && watch?.regions == other.watch?.regions
    }

    func policy(of person: PersonID, _ rules: ReportingRules) -> ReportingPolicy {
        let interval =
            switch mode {
            case .event: rules.eventIntervalSeconds
            case .region: rules.watchdogSeconds
            case .standard, .significant: rules.intervalSeconds
            }
        let silence =
            switch mode {
            case .event: rules.eventSilenceSeconds
            case .region: rules.watchdogSeconds
            case .standard, .significant: rules.silenceSeconds
            }
        return ReportingPolicy(
            person: person, device: device, mode: mode, distanceFilterMetres: filterMetres,
            intervalSeconds: interval, maxSilenceSeconds: silence, regions: watch?.regions ?? [])
    }
}

extension PolicyLife.Watch {
    fileprivate func watchesSame(as other: Self) -> Bool {
        regions.count == other.regions.count && regions.allSatisfy(other.regions.contains)
    }
}
