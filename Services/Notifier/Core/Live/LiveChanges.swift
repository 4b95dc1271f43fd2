import Directory
import Model

/// Remembers which record changed last what each person sees.
///
/// A stream at some position lacks exactly the items that changed after it, and gets each of them
/// once, as it is now. So a reader who was away, or is slow, catches up without the states in
/// between, and never receives a state that it may no longer see. Nothing is remembered about
/// changes up to ``floor``; readers from before it start with a snapshot.
package struct LiveChanges: Sendable {
    private struct CircleKey: Hashable {
        var circle: CircleID
        var audience: CircleAudience
    }

    private var circles: [CircleKey: LiveMark] = [:]
    private var people: [PersonID: LiveMark] = [:]
    private var gone: [PersonID: [LiveItem: LiveMark]] = [:]
    /// By reader: when requests for whose consent changed last.
    private var consents: [PersonID: [PersonID: LiveMark]] = [:]
    /// The record up to which nothing is remembered.
    package private(set) var floor: UInt64

    package init(floor: UInt64 = 0) { self.floor = floor }

    /// Adds a stored row.
    package mutating func load(_ row: LiveRow) {
        switch row.subject {
        case .circle(let id, let audience):
            circles[CircleKey(circle: id, audience: audience)] = row.mark
        case .person(let id): people[id] = row.mark
        case .gone(let item, let person): gone[person, default: [:]][item] = row.mark
        case .consents(let person, let reader):
            consents[reader, default: [:]][person] = row.mark
        }
    }

    /// Applies what a record changes.
    ///
    /// - Returns: the rows to write
    package mutating func apply(_ changes: [VisibleChange], at mark: LiveMark) -> [LiveRow] {
        var rows: [LiveRow] = []
        for change in changes {
            guard let subject = LiveRow.Subject(change) else { continue }
            let row = LiveRow(subject: subject, mark: mark)
            load(row)
            rows.append(row)
        }
        return rows
    }

    /// Forgets changes up to a record. Their rows may be deleted.
    package mutating func prune(through sequence: UInt64) {
        floor = max(floor, sequence)
        circles = circles.filter { $0.value.sequence > floor }
        people = people.filter { $0.value.sequence > floor }
        gone = gone.compactMapValues { items in
            let kept = items.filter { $0.value.sequence > floor }
            return kept.isEmpty ? nil : kept
        }
        consents = consents.compactMapValues { people in
            let kept = people.filter { $0.value.sequence > floor }
            return kept.isEmpty ? nil : kept
        }
    }

    /// Returns what a person's stream lacks after a position, in the order in which it is sent.
    ///
    /// - Parameter directory: with the last record
    package func events(
        for person: PersonID, after point: LivePoint, in directory: Replica
    ) -> [LiveEvent] {
        var events: [LiveEvent] = []
        func append(_ item: LiveItem, _ mark: LiveMark?, isGone: Bool = false) {
            guard let mark else { return }
            let event = LiveEvent(item: item, isGone: isGone, mark: mark)
            if point < event.point { events.append(event) }
        }
        if directory.person(person) != nil { append(.person(person), people[person]) }
        func append(_ ids: [CircleID], _ audience: CircleAudience) {
            for id in ids {
                append(.circle(id), circles[CircleKey(circle: id, audience: audience)])
            }
        }
        append(directory.circles(of: person), .members)
        append(directory.invitations(of: person), .invited)
        for (item, mark) in gone[person] ?? [:] where !directory.shows(item, to: person) {
            append(item, mark, isGone: true)
        }
        for (asked, mark) in consents[person] ?? [:]
        where directory.shows(.consents(asked), to: person) {
            append(.consents(asked), mark)
        }
        return events.sorted { $0.point < $1.point }
    }
}

/// A stored change.
package struct LiveRow: Hashable, Sendable {
    /// What changed, for whom.
    package enum Subject: Hashable, Sendable {
        case circle(CircleID, CircleAudience)
        case person(PersonID)
        case gone(LiveItem, for: PersonID)
        case consents(of: PersonID, for: PersonID)
    }

    package var subject: Subject
    package var mark: LiveMark

    package init(subject: Subject, mark: LiveMark) {
        self.subject = subject
        self.mark = mark
    }
}

extension LiveRow.Subject {
    /// Nil for a change that streams do not carry.
    fileprivate init?(_ change: VisibleChange) {
        switch change {
        case .circle(let id, let audience): self = .circle(id, audience)
        case .circleGone(let id, let person): self = .gone(.circle(id), for: person)
        case .person(let id): self = .person(id)
        case .credentialGone(let id, let person): self = .gone(.credential(id), for: person)
        case .consents(let person, let reader): self = .consents(of: person, for: reader)
        // The streams of a removed person end; a new credential is part of the person's data.
        case .personGone, .credential: return nil
        }
    }
}

extension Replica {
    /// Whether a person has an item.
    fileprivate func shows(_ item: LiveItem, to person: PersonID) -> Bool {
        switch item {
        case .person(let id): self.person(id) != nil
        case .circle(let id): circle(id)?.audience(of: person) != nil
        case .credential(let id): credential(id)?.person == person
        case .consents(let id):
            self.person(id).map { id == person || $0.guardians.contains(person) } ?? false
        }
    }
}

extension VisibleChange {
    /// The people whose streams get the change, as far as the directory knows them.
    ///
    /// - Parameter directory: with the change
    package func people(in directory: Replica) -> [PersonID] {
        switch self {
        case .circle(let id, let audience):
            (directory.circle(id)?.members ?? []).filter {
                ($0.joined == nil) == (audience == .invited)
            }.map(\.person)
        case .circleGone(_, let person), .person(let person), .personGone(let person),
            .credential(_, let person), .credentialGone(_, let person),
            .consents(_, let person):
            [person]
        }
    }
}
