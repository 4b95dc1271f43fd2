import Model

/// Size of an owner's zones in the records for evaluators.
///
/// All zones of a circle, or of a person, are published as one record.
struct ZoneLoad {
    private let owner: ZoneOwner
    private var vertices: Int
    private var bytes: Int

    init(of owner: ZoneOwner, _ zones: [Zone]) {
        self.owner = owner
        vertices = zones.reduce(0) { $0 + $1.prepared.vertices }
        bytes = zones.reduce(0) { $0 + $1.recordBytesMax }
    }

    /// Adds a zone. Returns a rejection if a limit is exceeded.
    mutating func add(_ zone: Zone) -> CommandRejection? {
        vertices += zone.prepared.vertices
        bytes += zone.recordBytesMax
        if case .set = owner { return overload(of: zone) }
        if vertices > Limits.verticesPerOwnerMax {
            return CommandRejection(
                .conflict,
                "the zones \(owner.phrase) would have \(vertices) points, at most "
                    + "\(Limits.verticesPerOwnerMax) are allowed",
                field: "geometry", hint: "simplify the outlines")
        }
        if bytes > Limits.zoneBytesPerOwnerMax {
            return CommandRejection(
                .conflict,
                "the zones \(owner.phrase) would need \(bytes / 1024) KiB with names, schedules "
                    + "and outlines, at most \(Limits.zoneBytesPerOwnerMax / 1024) are allowed",
                hint: "remove a zone first, or shorten schedules and outlines")
        }
        return nil
    }

    /// A set is published in pages, so limits apply to each zone.
    private func overload(of zone: Zone) -> CommandRejection? {
        if zone.prepared.vertices > Limits.verticesPerZoneOfSetMax {
            return CommandRejection(
                .conflict,
                "this zone has \(zone.prepared.vertices) points, at most "
                    + "\(Limits.verticesPerZoneOfSetMax) are allowed in a set",
                field: "geometry", hint: "simplify the outline")
        }
        if zone.recordBytesMax > Limits.bytesPerZoneOfSetMax {
            return CommandRejection(
                .conflict, "the schedule is too long for a zone of a set",
                field: "properties.schedule", hint: "use fewer windows and exceptions")
        }
        return nil
    }
}

extension Zone {
    /// Upper bound of the zone's bytes in a record for evaluators.
    var recordBytesMax: Int {
        var bytes = 750 + 26 * prepared.vertices + 33 * messages.count
        bytes += name.escapedBytes + category.escapedBytes + alarm.sound.escapedBytes
        bytes += 36 * (clock?.offsets.count ?? 0)
        bytes += 30 * (schedule?.windows.count ?? 0) + 8 * (schedule?.exceptions.count ?? 0)
        return bytes
    }
}

extension String {
    /// Bytes as a JSON string. The text has no control characters.
    fileprivate var escapedBytes: Int {
        utf8.reduce(0) { $0 + (#"\"/"#.utf8.contains($1) ? 2 : 1) }
    }
}

extension PreparedGeometry {
    /// Vertices of all rings; 0 for a circle.
    var vertices: Int {
        polygons.reduce(0) { $0 + $1.reduce(0) { $0 + $1.count } }
    }
}
