import Hashing
import Model

// The state of a partition as bytes: what the log led to and its configuration does not tell.
// Equal behaviour gives equal bytes: everything is in the order of ids, and marks that can decide
// nothing any more are left out.
extension PartitionState {
    /// All that decides what comes, beside the configuration; `Services/Evaluator/README.md` has
    /// the grammar.
    public func encodedState() -> [UInt8] {
        var writer = StateWriter()
        writer.put(EvaluatorLimits.stateForm)
        writer.put(UInt16(clamping: logic))
        writer.put(configurations)
        write(circleMarks, to: &writer)
        let rows = people.keys.compactMap { id in
            people.place(of: id).map { people[$0] }
        }.filter { !$0.isAsConfigured }
        writer.put(list: rows) { $0.put($1) }
        return writer.bytes
    }

    /// Whoever comes to the same position by another way has the same.
    public var stateHash: UInt64 { PartitionState.hash(ofState: encodedState()) }

    /// Of an encoded state; whoever keeps it computes the same.
    public static func hash(ofState bytes: [UInt8]) -> UInt64 { Hash.state(bytes) }

    private func write(
        _ marks: [(circle: CircleID, zones: [JudgedZone])], to writer: inout StateWriter
    ) {
        writer.put(list: marks) { writer, mark in
            writer.put(mark.circle)
            writer.put(list: mark.zones) { $0.put($1) }
        }
    }

    /// Zones that are newer than the last decision about somebody who knew their circle then. To
    /// everybody else they are known, or new because the circle is.
    private var circleMarks: [(circle: CircleID, zones: [JudgedZone])] {
        let floors = decisionFloors
        return circles.keys.compactMap { id in
            guard let place = circles.place(of: id) else { return nil }
            let new = circles[place].newer(than: floors[place])
            return new.isEmpty ? nil : (id, new)
        }
    }

    /// By circles' places: the oldest last decision about somebody to whom the circle is known.
    private var decisionFloors: [UInt64] {
        var floors = [UInt64](repeating: .max, count: circles.placesEnd)
        for id in people.keys {
            guard let place = people.place(of: id), people[place].comparesMarks else { continue }
            let decided = people[place].decidedAt
            for link in people[place].circles where link.since <= decided {
                guard let circle = circles.place(of: link.circle) else { continue }
                floors[circle] = min(floors[circle], decided)
            }
        }
        return floors
    }
}

extension PersonState {
    /// Whether it decides anything when a zone or circle came: before a first decision all are new.
    fileprivate var comparesMarks: Bool { decidedAt > 0 }

    fileprivate var newCircles: [CircleLink] {
        comparesMarks ? circles.filter { $0.since > decidedAt } : []
    }

    fileprivate var newZones: [JudgedZone] {
        comparesMarks ? ownZones.newer(than: decidedAt) : []
    }

    /// Whether nothing happened beside configuration.
    fileprivate var isAsConfigured: Bool {
        firstDevice == nil && decidedFix == nil && decidedAt == 0 && leaderIsNew
            && inside.isEmpty && lastFix == nil && battery == nil
            && emergency == EmergencyLife()
    }
}

extension StateWriter {
    fileprivate mutating func put(_ mark: JudgedZone) {
        put(mark.id)
        put(mark.since)
    }

    fileprivate mutating func put(_ person: PersonState) {
        put(person.id)
        put(flags: [
            person.leaderIsNew, person.firstDevice != nil, person.decidedFix != nil,
            person.lastFix != nil, person.battery != nil,
        ])
        put(person.decidedAt)
        if let device = person.firstDevice { put(device) }
        if let time = person.decidedFix { put(time) }
        if let fix = person.lastFix { put(fix) }
        if let battery = person.battery { put(battery) }
        put(list: person.inside.sorted()) { $0.put($1) }
        put(list: person.newCircles) { writer, link in
            writer.put(link.circle)
            writer.put(link.since)
        }
        put(list: person.newZones) { $0.put($1) }
        put(person.emergency)
    }
}
