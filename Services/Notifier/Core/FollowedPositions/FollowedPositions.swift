import Model

/// A fix of a person in an open emergency, or of the trail before it.
package struct FollowedPositionRow: Hashable, Sendable {
    package var person: PersonID
    package var fix: Fix
    /// Percent; nil = unknown, or the fix is part of the trail at the opening.
    package var battery: UInt8?
    package var charging: Bool?
    /// What kept the phone from reporting properly, ascending; nil = as ``battery``.
    package var impairments: [Impairment]?

    package init(
        person: PersonID, fix: Fix, battery: UInt8? = nil, charging: Bool? = nil,
        impairments: [Impairment]? = nil
    ) {
        self.person = person
        self.fix = fix
        self.battery = battery
        self.charging = charging
        self.impairments = impairments
    }
}

/// Stores what ingest publishes about people and their devices: positions while an emergency is
/// open, and how devices report.
struct FollowedPositions: Sendable {
    /// Stores a position, and the trail with it.
    func store(_ position: FollowedPosition, _ turn: inout Turn) {
        let newest = position.fixes.count - 1
        for (index, fix) in position.fixes.enumerated() {
            var row = FollowedPositionRow(person: position.person, fix: fix)
            if index == newest {
                row.battery = position.battery
                row.charging = position.charging
                row.impairments = position.impairments
            }
            turn.save(.followedPosition(row))
        }
    }

    /// Stores how a device reports.
    func store(_ reporting: DeviceReporting, _ turn: inout Turn) {
        turn.save(.reporting(reporting))
    }

    /// Removes what is stored about a removed device.
    func directoryChanged(_ body: EventBody, _ turn: inout Turn) {
        guard case .deviceRemoved(let removal) = body else { return }
        turn.emit(.remove(.reporting(removal.device)))
    }
}
