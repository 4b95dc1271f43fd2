import Directory
import Model

/// Versions of people's circle lists.
///
/// The version of a person's list is the time of the last change of what they see of a circle: its
/// fields, members and their names, its zones and messages, and whether they see it at all. Times
/// of changes never repeat, so a version that is equal means that nothing changed. A list needs no
/// row of its own: it derives from the times of its circles, and from when the person last lost
/// one.
public struct CircleLists: Hashable, Sendable {
    /// When each audience last saw a change.
    public struct Times: Hashable, Sendable {
        public var members: Timestamp
        public var invited: Timestamp

        public init(members: Timestamp, invited: Timestamp) {
            self.members = members
            self.invited = invited
        }

        subscript(audience: CircleAudience) -> Timestamp {
            get {
                switch audience {
                case .members: members
                case .invited: invited
                }
            }
            set {
                switch audience {
                case .members: members = newValue
                case .invited: invited = newValue
                }
            }
        }
    }

    private var circles: [CircleID: Times] = [:]
    private var departures: [PersonID: Timestamp] = [:]
    /// The time of the last change.
    public private(set) var newest = Timestamp.zero

    public init() {}

    /// Adds a stored row.
    public mutating func load(_ row: CircleListRow) {
        switch row {
        case .circle(let id, let times):
            circles[id] = times
            newest = max(newest, times.members, times.invited)
        case .circleRemoved(let id): circles[id] = nil
        case .departure(let person, let time):
            departures[person] = time
            newest = max(newest, time)
        case .personRemoved(let person): departures[person] = nil
        }
    }

    /// The version of a person's list; 0 = unchanged since versions exist.
    public func version(of person: PersonID, in directory: Replica) -> Int64 {
        let joined = directory.circles(of: person).compactMap { circles[$0]?.members }
        let invited = directory.invitations(of: person).compactMap { circles[$0]?.invited }
        return (joined + invited + [departures[person] ?? .zero]).max()?.microseconds ?? 0
    }

    /// Applies what an event changes.
    ///
    /// - Parameters:
    ///   - directory: with the event
    ///   - now: later than that of every change before
    /// - Returns: the rows to write, each once
    mutating func apply(
        _ changes: [VisibleChange], of directory: Replica, at now: Timestamp
    ) -> [CircleListRow] {
        var rows: [CircleListRow] = []
        var changed: [CircleID] = []
        for change in changes {
            switch change {
            case .circle(let id, let audience):
                guard directory.circle(id) != nil else { continue }
                circles[id, default: Times(members: .zero, invited: .zero)][audience] = now
                if !changed.contains(id) { changed.append(id) }
            case .circleGone(let id, let person):
                departures[person] = now
                rows.append(.departure(person, now))
                guard directory.circle(id) == nil, circles.removeValue(forKey: id) != nil else {
                    continue
                }
                rows.append(.circleRemoved(id))
            case .personGone(let person):
                departures[person] = nil
                rows.append(.personRemoved(person))
            case .person, .credential, .credentialGone, .consents: break
            }
        }
        newest = max(newest, now)
        return rows + changed.compactMap { id in circles[id].map { .circle(id, $0) } }
    }
}

/// A row about circle lists, or its removal.
public enum CircleListRow: Hashable, Sendable {
    case circle(CircleID, CircleLists.Times)
    case circleRemoved(CircleID)
    /// When a person last lost a circle.
    case departure(PersonID, Timestamp)
    case personRemoved(PersonID)
}
