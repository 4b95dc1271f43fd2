import Directory
import Model

/// One row per person, viewer, hour, kind and reason of accesses.
public struct AccessRow: Hashable, Sendable {
    /// The person whose data was seen or changed.
    public var person: PersonID
    /// Nil = the operator.
    public var viewer: PersonID?
    /// Hours since 1970.
    public var hour: Int64
    public var kind: AccessKind
    /// As staff gave it; empty = none. Of a live link: the name of its recipient.
    public var reason: String
    /// How many accesses it adds to the row.
    public var count: Int
    /// When the viewer requested the location; nil = only read.
    public var asked: Timestamp?

    public init(
        person: PersonID, viewer: PersonID?, hour: Int64, kind: AccessKind, reason: String = "",
        count: Int = 1, asked: Timestamp? = nil
    ) {
        self.person = person
        self.viewer = viewer
        self.hour = hour
        self.kind = kind
        self.reason = reason
        self.count = count
        self.asked = asked
    }
}

/// Records who saw whose position.
///
/// A phone asks every few minutes and sees the same people, so accesses are counted in memory and
/// written when their number is a power of two, and when an hour is over: an hour's count is exact
/// unless the process ends, and at least half then.
struct AccessLog {
    /// A viewer, and the circle that was read; nil = all circles.
    private struct ViewerKey: Hashable {
        let viewer: PersonID?
        let circle: CircleID?
        let kind: AccessKind
        let reason: String
    }

    /// Accesses of a viewer in one hour.
    private struct Count {
        var hour: Int64
        var people: [PersonID]
        var all = 1
        var written = 1
    }

    private var hour: Int64 = 0
    private var counts: [ViewerKey: Count] = [:]

    /// Records that a viewer (nil = the operator) saw the positions of these people.
    mutating func record(
        _ people: [PersonID], by viewer: PersonID?, as kind: AccessKind, reason: String? = nil,
        in circle: CircleID? = nil, _ turn: inout Turn<Effect>
    ) {
        let current = turn.now.seconds / 3600
        if current != hour {
            hour = current
            for (key, count) in counts where count.hour < current - 1 {
                write(count, of: key, &turn)
            }
            counts = counts.filter { $0.value.hour >= current - 1 }
        }
        guard !people.isEmpty else { return }
        let key = ViewerKey(viewer: viewer, circle: circle, kind: kind, reason: reason ?? "")
        guard var count = counts[key], count.hour == current, count.people == people else {
            if let old = counts[key] { write(old, of: key, &turn) }
            counts[key] = Count(hour: current, people: people)
            emit(people, of: key, hour: current, count: 1, &turn)
            return
        }
        count.all += 1
        if count.all.nonzeroBitCount == 1 {
            emit(people, of: key, hour: current, count: count.all - count.written, &turn)
            count.written = count.all
        }
        counts[key] = count
    }

    /// Writes what was only counted.
    private func write(_ count: Count, of key: ViewerKey, _ turn: inout Turn<Effect>) {
        guard count.all > count.written else { return }
        emit(count.people, of: key, hour: count.hour, count: count.all - count.written, &turn)
    }

    private func emit(
        _ people: [PersonID], of key: ViewerKey, hour: Int64, count: Int,
        _ turn: inout Turn<Effect>
    ) {
        for person in people {
            turn.emit(
                .access(
                    AccessRow(
                        person: person, viewer: key.viewer, hour: hour, kind: key.kind,
                        reason: key.reason, count: count)))
        }
    }
}
