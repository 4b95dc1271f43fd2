import Model

/// A person whose positions are published because of an emergency.
public struct FollowedRow: Hashable, Sendable {
    public var person: PersonID
    /// The open emergency for which the trail was published.
    public var emergency: EmergencyID

    public init(person: PersonID, emergency: EmergencyID) {
        self.person = person
        self.emergency = emergency
    }
}

/// A person whose positions are published for their live links.
public struct LiveViewRow: Hashable, Sendable {
    public var person: PersonID
    /// The end of the last open link.
    public var until: Timestamp

    public init(person: PersonID, until: Timestamp) {
        self.person = person
        self.until = until
    }
}

/// The first position of a followed person, to which the daemon adds the trail from its store.
public struct FollowedPositionOpening: Hashable, Sendable {
    /// With the newest fix only.
    public var position: FollowedPosition
    /// Short number of the device whose reports are the trail.
    public var device: Int64
    public var id: EventID
    public var time: Timestamp

    public init(position: FollowedPosition, device: Int64, id: EventID, time: Timestamp) {
        self.position = position
        self.device = device
        self.id = id
        self.time = time
    }

    /// Where the trail begins.
    public var since: Timestamp {
        (position.fixes.last?.time ?? time) - .seconds(Limits.trailSeconds)
    }

    /// The event with a trail.
    ///
    /// - Parameter trail: fixes since ``since``, in any order. Of close ones one is published, so
    ///   that the event stays small.
    public func event(trail: [Fix]) -> Event {
        var position = position
        var newer = position.fixes.last?.time ?? time
        var fixes = position.fixes
        for fix in trail.sorted(by: { $0.time > $1.time })
        where fix.time <= newer - .seconds(Limits.followedPositionSeconds) {
            fixes.append(fix)
            newer = fix.time
        }
        position.fixes = fixes.reversed()
        return Event(id: id, time: time, body: .sosPosition(position))
    }
}

/// A change of the stored state of followed people.
public enum FollowedPositionEffect: Hashable, Sendable {
    case follow(FollowedRow)
    case unfollow(PersonID)
    case saveLiveView(LiveViewRow)
    case removeLiveView(PersonID)
    /// Appends the first position with its trail to `sos`.
    case open(FollowedPositionOpening)
}
