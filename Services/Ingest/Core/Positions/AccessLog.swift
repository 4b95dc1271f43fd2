import Directory
import Model

/// One row per person, viewer and hour in which the viewer saw the person's position.
public struct AccessRow: Hashable, Sendable {
    /// The person whose position was seen.
    public var person: PersonID
    /// Nil = the operator.
    public var viewer: PersonID?
    /// Hours since 1970.
    public var hour: Int64
    /// When the viewer requested the location; nil = only read.
    public var asked: Timestamp?

    public init(person: PersonID, viewer: PersonID?, hour: Int64, asked: Timestamp? = nil) {
        self.asked = asked
        self.person = person
        self.viewer = viewer
        self.hour = hour
    }
}

/// Records who saw whose position: one row per person, viewer and hour.
///
/// A phone asks every few minutes and sees the same people. Nothing is written while only the time
/// has changed.
struct AccessLog {
    /// A viewer, and the circle that was read; nil = all circles.
    private struct ViewerKey: Hashable {
        let viewer: PersonID?
        let circle: CircleID?
    }

    private var hour: Int64 = 0
    /// Digest of the people seen in this hour.
    private var seen: [ViewerKey: UInt64] = [:]

    /// Records that a viewer (nil = the operator) saw the positions of these people.
    mutating func record(
        _ people: [PersonID], by viewer: PersonID?, in circle: CircleID? = nil,
        _ turn: inout Turn<Effect>
    ) {
        let current = turn.now.seconds / 3600
        if current != hour {
            hour = current
            seen.removeAll(keepingCapacity: true)
        }
        let digest = people.reduce(UInt64(people.count)) { $0 &* 31 &+ $1.raw.low }
        let key = ViewerKey(viewer: viewer, circle: circle)
        guard !people.isEmpty, seen.updateValue(digest, forKey: key) != digest else { return }
        for person in people {
            turn.emit(
                .access(AccessRow(person: person, viewer: viewer, hour: current)))
        }
    }
}
