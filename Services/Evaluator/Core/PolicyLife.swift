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
    struct Basis: Sendable {
        var point: EarthPoint
        var mode: ReportingMode
        var slackMetres: Double
    }

    /// What is known when it may change.
    struct Moment {
        var device: DeviceID
        /// Where presence was decided last.
        var point: EarthPoint?
        /// There, centimetres a second.
        var speed: Int32?
        var isEmergency: Bool
    }

    var told: Told?
    /// Zones, or whom they judge, may be others than when the phone was told.
    var isStale = false
    /// What was seen where it was looked around last; no decision is another one without it.
    var basis: Basis?

    /// Zones, or whom they judge, are others now.
    mutating func rearrange() {
        isStale = told != nil
        basis = nil
    }

    /// Whether the surroundings have to be looked at to decide how to report.
    func needsLook(at moment: Moment, _ rules: ReportingRules) -> Bool {
        guard !moment.isEmergency, let point = moment.point else { return false }
        guard let basis, !isStale else { return true }
        if point != basis.point {
            // The way along the earth is a little longer than the straight one.
            let moved = point.straightMetres(to: basis.point) * 1.001
            guard moved < basis.slackMetres else { return true }
        }
        return basis.mode == .region && !keepsWatch(at: point, rules)
    }

    /// Within how many metres of a point the phone is told nothing else, but for its speed.
    func room(at point: EarthPoint, _ rules: ReportingRules) -> Double {
        guard let basis, !isStale, let told, told.mode == basis.mode else { return 0 }
        let room = basis.slackMetres - point.straightMetres(to: basis.point) * 1.001
        guard told.mode == .region else { return room }
        guard let watch = told.watch else { return 0 }
        let moved = point.straightMetres(to: EarthPoint(watch.chosen)) * 1.001
        let kept = Double(watch.closest * rules.regionsMovedPercent) / 10_000
        return min(room, kept - moved)
    }

    /// Decides how to report from now on; true if that has to be told.
    ///
    /// - Parameter surroundings: those of the point, where ``needsLook(at:_:)`` says so.
    mutating func follow(
        _ moment: Moment, _ rules: ReportingRules, _ surroundings: Surroundings?
    ) -> Bool {
        var next = Told(device: moment.device, mode: .event)
        if !moment.isEmergency {
            guard let point = moment.point else { return followBlindly(moment) }
            if let surroundings {
                basis = Basis(
                    point: point, mode: surroundings.mode, slackMetres: surroundings.slackMetres)
            }
            next.mode = basis?.mode ?? .significant
            switch next.mode {
            case .standard:
                next.filterMetres = rules.filter(after: told?.filterMetres, speed: moment.speed)
            case .region: next.watch = watch(at: point, rules, surroundings)
            case .significant, .event: break
            }
        }
        isStale = isStale && moment.isEmergency
        return tell(next)
    }

    /// Nothing is known of where the phone is; what an emergency began must end nevertheless.
    private mutating func followBlindly(_ moment: Moment) -> Bool {
        guard var next = told else { return false }
        next.device = moment.device
        if next.mode == .event { next.mode = .significant }
        return tell(next)
    }

    private mutating func tell(_ next: Told) -> Bool {
        guard next != told else { return false }
        let isSame = told?.says(next) ?? false
        told = next
        return !isSame
    }

    /// Whether the regions that were told are good still: the person has not moved by a part of the
    /// distance to the closest zone since they were chosen.
    private func keepsWatch(at point: EarthPoint, _ rules: ReportingRules) -> Bool {
        guard let watch = told?.watch, !isStale else { return false }
        if watch.chosen == point.coordinate { return true }
        let moved = point.straightMetres(to: EarthPoint(watch.chosen)) * 100
        return moved * 100 <= Double(watch.closest * rules.regionsMovedPercent)
    }

    private func watch(
        at point: EarthPoint, _ rules: ReportingRules, _ surroundings: Surroundings?
    ) -> Watch? {
        guard let surroundings, !keepsWatch(at: point, rules) else { return told?.watch }
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
