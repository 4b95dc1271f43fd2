import Directory
import Hashing
import Model

/// Publishes the newest positions of people in an open emergency on `sos`.
///
/// A person is followed from the opening to the end. At the opening the trail is published, then
/// changes at most every ``Limits/followedPositionSeconds``: a change within that time is published
/// when it is over. Whom to follow is stored; what was last published is not, so a restart
/// publishes once more at most.
public struct FollowedPositions: Sendable {
    private struct Followed: Sendable {
        var emergency: EmergencyID
        /// The last one; nil = none yet.
        var published: FollowedPosition?
        var publishedAt = Timestamp.zero
    }

    private var followed: [PersonID: Followed]
    /// When the change of a person may be published.
    private var waiting: [PersonID: Timestamp] = [:]
    /// People to look at when the process starts.
    private var unchecked: Set<PersonID>
    /// No wait ends before this.
    private var earliest = Timestamp.distantFuture

    /// - Parameter open: people with an open emergency
    init(rows: [FollowedRow], open: [PersonID]) {
        followed = Dictionary(
            uniqueKeysWithValues: rows.map { ($0.person, Followed(emergency: $0.emergency)) })
        unchecked = Set(open).union(followed.keys)
        if !unchecked.isEmpty { earliest = .zero }
    }

    /// Number of people whose positions are published.
    public var count: Int { followed.count }

    /// When a change may be due; nil = nothing waits.
    public var nextDue: Timestamp? { earliest == .distantFuture ? nil : earliest }

    /// Whether an update of a person could have an effect.
    func concerns(_ person: PersonID, emergency: EmergencyID?) -> Bool {
        emergency != nil || followed[person] != nil
    }

    /// People to update in this turn, because their wait is over.
    mutating func due(at now: Timestamp) -> [PersonID] {
        guard earliest <= now else { return [] }
        let due = unchecked.union(waiting.filter { $0.value <= now }.keys)
        guard due.count <= Limits.followedPerTurn else {
            return Array(due.sorted().prefix(Limits.followedPerTurn))
        }
        earliest = waiting.values.filter { $0 > now }.min() ?? .distantFuture
        return due.sorted()
    }

    /// Publishes what changed, begins or ends following a person.
    ///
    /// - Parameters:
    ///   - emergency: the emergency, if it is open or acknowledged
    ///   - device: the primary device
    ///   - impairments: of the device, ascending
    mutating func update(
        _ person: PersonID, emergency: EmergencyID?, device: DeviceRow?,
        impairments: [Impairment] = [], _ turn: inout Turn<Effect>
    ) {
        unchecked.remove(person)
        guard let emergency else { return forget(person, &turn) }
        let position = device.flatMap { device -> FollowedPosition? in
            guard let fix = device.newest else { return nil }
            return FollowedPosition(
                person: person, emergency: emergency, fixes: [fix], battery: device.battery,
                charging: device.charging, impairments: impairments)
        }
        guard let known = followed[person], known.emergency == emergency else {
            return open(person, emergency, position, device, &turn)
        }
        guard let position, position != known.published else {
            waiting[person] = nil
            return
        }
        let due = known.publishedAt + .seconds(Limits.followedPositionSeconds)
        // A clock that was set back must not stop the positions.
        guard due <= turn.now || known.publishedAt > turn.now else {
            waiting[person] = due
            earliest = min(earliest, due)
            return
        }
        waiting[person] = nil
        followed[person]?.published = position
        followed[person]?.publishedAt = turn.now
        turn.raise(.sosPosition(position), id: position.id(at: turn.now), trace: "")
    }

    private mutating func open(
        _ person: PersonID, _ emergency: EmergencyID, _ position: FollowedPosition?,
        _ device: DeviceRow?, _ turn: inout Turn<Effect>
    ) {
        turn.emit(
            .followedPosition(.follow(FollowedRow(person: person, emergency: emergency))))
        waiting[person] = nil
        var known = Followed(emergency: emergency)
        if let position, let device {
            known.published = position
            known.publishedAt = turn.now
            turn.emit(
                .followedPosition(
                    .open(
                        FollowedPositionOpening(
                            position: position, device: device.number,
                            id: position.id(at: turn.now), time: turn.now))))
        }
        followed[person] = known
    }

    /// Stops following a person.
    mutating func forget(_ person: PersonID, _ turn: inout Turn<Effect>) {
        waiting[person] = nil
        unchecked.remove(person)
        if followed.removeValue(forKey: person) != nil {
            turn.emit(.followedPosition(.unfollow(person)))
        }
    }
}

extension FollowedPosition {
    fileprivate func id(at now: Timestamp) -> EventID {
        Hash.derivedID(
            kind: .sosPosition, person: person, subject: .id(emergency),
            cause: Hash.id(
                .number(now.microseconds), .number(fixes.last?.time.microseconds ?? 0)))
    }
}
