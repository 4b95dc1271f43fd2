import Model

/// How much of the records that carry an owner's zones is taken: those of a circle, or of a person,
/// go through the suite as one.
struct ZoneLoad {
    private let owner: ZoneOwner
    private var vertices: Int
    private var bytes: Int

    init(of owner: ZoneOwner, _ zones: [Zone]) {
        self.owner = owner
        vertices = zones.reduce(0) { $0 + $1.prepared.vertices }
        bytes = zones.reduce(0) { $0 + $1.placedBytesMax }
    }

    /// Takes one more zone; a refusal where there is no room for it.
    mutating func take(_ zone: Zone) -> Refusal? {
        vertices += zone.prepared.vertices
        bytes += zone.placedBytesMax
        if case .set = owner { return overload(of: zone) }
        if vertices > Limits.verticesPerOwnerMax {
            return Refusal(
                .conflict,
                "the zones \(owner.inWords) would have \(vertices) points, at most "
                    + "\(Limits.verticesPerOwnerMax) are allowed",
                field: "geometry", hint: "simplify the outlines")
        }
        if bytes > Limits.zoneBytesPerOwnerMax {
            return Refusal(
                .conflict,
                "the zones \(owner.inWords) would take \(bytes / 1024) KiB with names, schedules "
                    + "and outlines, at most \(Limits.zoneBytesPerOwnerMax / 1024) are allowed",
                hint: "remove a zone first, or shorten schedules and outlines")
        }
        return nil
    }

    /// A set goes through the suite page by page, so that each zone counts for itself.
    private func overload(of zone: Zone) -> Refusal? {
        if zone.prepared.vertices > Limits.verticesPerZoneOfSetMax {
            return Refusal(
                .conflict,
                "this zone has \(zone.prepared.vertices) points, at most "
                    + "\(Limits.verticesPerZoneOfSetMax) are allowed in a set",
                field: "geometry", hint: "simplify the outline")
        }
        if zone.placedBytesMax > Limits.bytesPerZoneOfSetMax {
            return Refusal(
                .conflict, "this zone has too long a schedule for one of a set",
                field: "properties.schedule", hint: "use fewer windows and exceptions")
        }
        return nil
    }
}

extension Zone {
    /// No fewer bytes than it takes among the zones of a record for evaluators.
    var placedBytesMax: Int {
        var bytes = 750 + 26 * prepared.vertices + 33 * messages.count
        bytes += name.escapedBytes + category.escapedBytes + alarm.sound.escapedBytes
        bytes += 36 * (clock?.offsets.count ?? 0)
        bytes += 30 * (schedule?.windows.count ?? 0) + 8 * (schedule?.exceptions.count ?? 0)
        return bytes
    }
}

extension String {
    /// Bytes in JSON; it has no control characters.
    fileprivate var escapedBytes: Int {
        utf8.reduce(0) { $0 + (#"\"/"#.utf8.contains($1) ? 2 : 1) }
    }
}

extension PreparedGeometry {
    /// Points of all rings; a circle has none.
    var vertices: Int {
        polygons.reduce(0) { $0 + $1.reduce(0) { $0 + $1.count } }
    }
}
