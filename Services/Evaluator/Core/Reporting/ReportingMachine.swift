import Geometry
import Model

/// The reporting policy of a person's primary device, and when it changes.
struct ReportingMachine: Sendable {
    /// The policy that was sent last.
    struct SentPolicy: Hashable, Sendable {
        var device: DeviceID
        var mode: ReportingMode
        /// Set in mode `standard`.
        var filterMetres: Int32?
        /// Set in mode `region`.
        var watch: Watch?
    }

    /// Regions that a phone watches.
    struct Watch: Hashable, Sendable {
        var regions: [WatchedRegion]
        /// The position for which they were chosen.
        var chosen: Coordinate
        /// Distance to the closest zone there, centimetres.
        var closest: Int64
    }

    /// A point whose nearest edges are known. It only saves searches: nearby points have the same
    /// answer.
    struct Basis: Sendable {
        var point: EarthPoint
        var mode: ReportingMode
        var slackMetres: Double
    }

    /// The circumstances of an update.
    struct Context {
        var device: DeviceID
        /// The point that decided presence last.
        var point: EarthPoint?
        /// The speed there, centimetres a second.
        var speed: Int32?
        var isEmergency: Bool
    }

    var sent: SentPolicy?
    /// Whether zones, or their applicability, may have changed since the policy was sent.
    var isStale = false
    /// The last searched point. No decision depends on it.
    var basis: Basis?

    /// Emits a new policy for the primary device if it changed.
    mutating func update(
        _ presence: borrowing PresenceMachine, _ zones: inout KnownZones, _ turn: inout Turn
    ) {
        if turn.isReconfigured { invalidate() }
        guard let device = presence.fixes.primaryDevice else { return }
        let isEmergency = turn.isEmergency
        let isKnown =
            sent.map { $0.device == device && ($0.mode == .event) == isEmergency }
            ?? !isEmergency
        // The zones of a set arrive page by page: people who stay are updated with their next fix.
        guard turn.isMoved || turn.isReconfigured && !turn.isPage || !isKnown else { return }
        let trusted = presence.fixes.trusted
        let context = Context(
            device: device, point: trusted?.point,
            speed: trusted?.fix.speedCentimetresPerSecond, isEmergency: isEmergency)
        let rules = turn.rules.reporting
        var nearestEdges: NearestEdges?
        if let point = context.point, !isEmergency {
            // Bounds from the evaluation may be enough to decide.
            if let bounds = turn.edgeBounds, presence.applicable.areAll {
                nearestEdges = NearestEdges(bounds, rules)
            }
            if nearestEdges == nil, needsNearestEdges(for: context, rules) {
                zones.build(presence.applicable.sets)
                nearestEdges = turn.buffers.probe.nearestEdges(
                    of: point, presence.applicable, zones, at: turn.now, rules)
            }
        }
        guard update(context, rules, nearestEdges), let sent else { return }
        turn.emit(.policyChanged(sent.policy(of: turn.person, rules)), subject: .id(device))
    }

    /// Marks the policy as outdated because zones, or their applicability, changed.
    mutating func invalidate() {
        isStale = sent != nil
        basis = nil
    }

    /// Whether the nearest edges have to be searched to decide the policy.
    func needsNearestEdges(for context: Context, _ rules: ReportingRules) -> Bool {
        guard !context.isEmergency, let point = context.point else { return false }
        guard let basis, !isStale else { return true }
        if point != basis.point {
            // The distance along the earth is a little longer than the straight one.
            let moved = point.straightMetres(to: basis.point) * 1.001
            guard moved < basis.slackMetres else { return true }
        }
        return basis.mode == .region && !keepsRegions(at: point, rules)
    }

    /// The distance around a point within which the policy stays the same, apart from the effect of
    /// speed, metres.
    func clearance(at point: EarthPoint, _ rules: ReportingRules) -> Double {
        guard let basis, !isStale, let sent, sent.mode == basis.mode else { return 0 }
        let clearance = basis.slackMetres - point.straightMetres(to: basis.point) * 1.001
        guard sent.mode == .region else { return clearance }
        guard let watch = sent.watch else { return 0 }
        let moved = point.straightMetres(to: EarthPoint(watch.chosen)) * 1.001
        let kept = Double(watch.closest * rules.regionsMovedPercent) / 10_000
        return min(clearance, kept - moved)
    }

    /// Decides the policy from now on. Returns true if it has to be sent.
    ///
    /// - Parameter nearestEdges: those of the point, if ``needsNearestEdges(for:_:)``.
    mutating func update(
        _ context: Context, _ rules: ReportingRules, _ nearestEdges: NearestEdges?
    ) -> Bool {
        var next = SentPolicy(device: context.device, mode: .event)
        if !context.isEmergency {
            guard let point = context.point else { return updateWithoutPosition(context) }
            if let nearestEdges {
                basis = Basis(
                    point: point, mode: nearestEdges.mode, slackMetres: nearestEdges.slackMetres)
            }
            next.mode = basis?.mode ?? .significant
            switch next.mode {
            case .standard:
                next.filterMetres = rules.filter(after: sent?.filterMetres, speed: context.speed)
            case .region: next.watch = watch(at: point, rules, nearestEdges)
            case .significant, .event: break
            }
        }
        isStale = isStale && context.isEmergency
        return record(next)
    }

    /// Updates the policy without a known position: an emergency's mode has to end nevertheless.
    private mutating func updateWithoutPosition(_ context: Context) -> Bool {
        guard var next = sent else { return false }
        next.device = context.device
        if next.mode == .event { next.mode = .significant }
        return record(next)
    }

    private mutating func record(_ next: SentPolicy) -> Bool {
        guard next != sent else { return false }
        let isSame = sent?.isEquivalent(to: next) ?? false
        sent = next
        return !isSame
    }

    /// Whether the sent regions are still valid: the person has moved by less than a fraction of
    /// the distance to the closest zone since they were chosen.
    private func keepsRegions(at point: EarthPoint, _ rules: ReportingRules) -> Bool {
        guard let watch = sent?.watch, !isStale else { return false }
        if watch.chosen == point.coordinate { return true }
        let moved = point.straightMetres(to: EarthPoint(watch.chosen)) * 100
        return moved * 100 <= Double(watch.closest * rules.regionsMovedPercent)
    }

    private func watch(
        at point: EarthPoint, _ rules: ReportingRules, _ nearestEdges: NearestEdges?
    ) -> Watch? {
        guard let nearestEdges, !keepsRegions(at: point, rules) else { return sent?.watch }
        let closest = nearestEdges.close.first?.centimetres ?? ReportingMachine.noCloseZone
        var watch = Watch(
            regions: nearestEdges.regions(rules), chosen: point.coordinate, closest: closest)
        // The order of regions does not matter.
        if let sent = sent?.watch, sent.hasSameRegions(as: watch) { watch.regions = sent.regions }
        return watch
    }

    /// Used if no zone is within the search distance, centimetres.
    private static let noCloseZone: Int64 = 50_000_000
}

extension ReportingMachine.SentPolicy {
    /// Whether both are the same for the phone.
    fileprivate func isEquivalent(to other: Self) -> Bool {
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
        let contactTimeout =
            switch mode {
            case .event: rules.eventContactTimeoutSeconds
            case .region: rules.watchdogSeconds
            case .standard, .significant: rules.contactTimeoutSeconds
            }
        return ReportingPolicy(
            person: person, device: device, mode: mode, distanceFilterMetres: filterMetres,
            intervalSeconds: interval, contactTimeoutSeconds: contactTimeout,
            regions: watch?.regions ?? []
        )
    }
}

extension ReportingMachine.Watch {
    fileprivate func hasSameRegions(as other: Self) -> Bool {
        regions.count == other.regions.count && regions.allSatisfy(other.regions.contains)
    }
}
