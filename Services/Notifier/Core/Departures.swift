import Directory
import Model

// Circles change while somebody of them is in danger. An emergency that has ended in some circles
// and goes on in no other has nobody left who could end it there. A responder who shares no circle
// with the person any more helps nobody.
extension Notifier {
    /// Looks at all emergencies again after people left circles, or circles were removed.
    mutating func circlesChanged(_ turn: inout Turn) {
        let trace = turn.trace
        defer { turn.trace = trace }
        for id in activeOf.values.joined().sorted() {
            guard let emergency = emergencies[id] else { continue }
            turn.trace = emergency.trace
            endWhereNobodyIsLeft(emergency, &turn)
            dropDepartedResponders(of: id, &turn)
            resumeUnanswered(id, &turn)
        }
    }

    /// Ends an emergency for all that has ended in some circles and goes on in none, as if a
    /// responder of each circle had ended it. What nobody has ended anywhere goes on.
    private mutating func endWhereNobodyIsLeft(_ emergency: Emergency, _ turn: inout Turn) {
        guard let ends = emergency.circleEnds, let last = ends.last,
            emergency.circlesGoingOn(in: turn.directory).isEmpty
        else { return }
        let known = ends.last { turn.directory.person($0.by) != nil }
        resolveForAll(
            emergency, by: (known ?? last).by, note: nil, trace: emergency.trace, &turn)
    }

    /// Ends the acknowledgements of people who share no circle with the person any more.
    private mutating func dropDepartedResponders(of id: EmergencyID, _ turn: inout Turn) {
        guard let emergency = emergencies[id], emergency.state == .acknowledged else { return }
        for taken in emergency.acknowledgements {
            guard let by = taken.by,
                turn.directory.commonCircles(of: emergency.person, and: by).isEmpty
            else { continue }
            unwant(taken.clock, &turn)
            resume(id, without: taken, &turn)
        }
    }

    /// Resumes escalations that stopped for a responder who has left just that circle.
    private mutating func resumeUnanswered(_ id: EmergencyID, _ turn: inout Turn) {
        guard let emergency = emergencies[id], emergency.state == .acknowledged,
            !emergency.isRecordOnly
        else { return }
        let running = ladders[id, default: []].filter { $0.clock != nil }.map(\.circle)
        let own = turn.directory.circles(of: emergency.person)
        let isAnyLeft = ladders[id, default: []].contains { ladder in
            ladder.clock == nil && own.contains(ladder.circle)
                && emergency.escalates(in: ladder.circle, turn.directory)
        }
        guard isAnyLeft else { return }
        record(.resumed, emergency, &turn)
        restartLadders(id, as: .unanswered, besides: running, &turn)
    }
}
