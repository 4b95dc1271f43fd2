import Model

/// A zone to create, with its id.
public struct NewZone: Sendable {
    public var id: ZoneID
    public var patch: ZonePatch

    public init(id: ZoneID, patch: ZonePatch) {
        self.id = id
        self.patch = patch
    }
}

/// Fields of a zone that a request sets.
public typealias ZonePatch = Patch<Zone>

extension Patch where Entity == Zone {
    /// A shape with its inset, and the prepared geometry of both.
    public struct Drawing: Hashable, Sendable {
        public var shape: ZoneShape
        public var insetCentimetres: Int32
        public var prepared: PreparedGeometry

        public init(
            shape: ZoneShape, insetCentimetres: Int32 = 0, prepared: PreparedGeometry
        ) {
            self.shape = shape
            self.insetCentimetres = insetCentimetres
            self.prepared = prepared
        }
    }

    /// The new shape; it is set as a whole.
    public var drawing: Drawing? {
        get {
            guard let shape = self.shape, let prepared = self.prepared else { return nil }
            return Drawing(
                shape: shape, insetCentimetres: self.insetCentimetres ?? 0, prepared: prepared)
        }
        set {
            self.shape = newValue?.shape
            self.insetCentimetres = newValue?.insetCentimetres
            self.prepared = newValue?.prepared
        }
    }

    /// Applies the patch. Without explicit transitions, those that depend on a measure follow it:
    /// setting a dwell time also enables `dwell`. A zone without times has no clock.
    func change(_ zone: inout Zone) {
        let before = zone.measured
        apply(to: &zone)
        if self.clock == nil, zone.schedule == nil, zone.absentByMinute == nil { zone.clock = nil }
        if self.transitions == nil { zone.followMeasures(before: before) }
    }
}

extension Zone {
    /// Transitions whose measure is set.
    fileprivate var measured: [Transition] {
        var measured: [Transition] = []
        if alertDistanceMetres > 0 { measured.append(.approach) }
        if dwellSeconds > 0 { measured.append(.dwell) }
        if absentByMinute != nil { measured.append(.absent) }
        return measured
    }

    fileprivate mutating func followMeasures(before: [Transition]) {
        let now = measured
        transitions.removeAll { before.contains($0) && !now.contains($0) }
        transitions += now.filter { !before.contains($0) && !transitions.contains($0) }
    }
}
