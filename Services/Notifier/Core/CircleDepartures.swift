import Directory
import Model

// Circles may change during an emergency. One that has ended in some circles and is active in no
// other has nobody left who could end it. A responder who shares no circle with the person any more
// cannot help.
extension Notifier {
    /// Re-evaluates all emergencies after people left circles or circles were removed.
    mutating func circlesChanged(_ turn: inout Turn) {
        let trace = turn.trace
        defer { turn.trace = trace }
        for id in activeOf.values.joined().sorted() {
            guard let emergency = emergencies[id] else { continue }
            turn.trace = emergency.trace
            endIfNoCircleLeft(emergency, &turn)
            dropDepartedResponders(of: id, &turn)
            resumeUnanswered(id, &turn)
        }
    }

    /// Ends an emergency for all if it has ended in some circles and is active in none.
    ///
    /// An emergency that has not ended in any circle stays active.
    private mutating func endIfNoCircleLeft(_ emergency: Emergency, _ turn: inout Turn) {
        guard let ends = emergency.circleEnds, let last = ends.last,
            emergency.circlesGoingOn(in: turn.directory).isEmpty
        else { return }
        let known = ends.last { turn.directory.person($0.by) != nil }
        resolveForAll(
            emergency, by: (known ?? last).by, note: nil, trace: emergency.trace, &turn)
    }

    /// Withdraws acknowledgements of people who share no circle with the person any more.
    private mutating func dropDepartedResponders(of id: EmergencyID, _ turn: inout Turn) {
        guard let emergency = emergencies[id], emergency.state == .acknowledged else { return }
        for acknowledgement in emergency.acknowledgements {
            guard let by = acknowledgement.by,
                turn.directory.commonCircles(of: emergency.person, and: by).isEmpty
            else { continue }
            cancelDeadline(acknowledgement.deadline, &turn)
            resume(id, without: acknowledgement, &turn)
        }
    }

    /// Resumes escalations that stopped for a responder who has since left that circle.
    private mutating func resumeUnanswered(_ id: EmergencyID, _ turn: inout Turn) {
        guard let emergency = emergencies[id], emergency.state == .acknowledged,
            !emergency.isRecordOnly
        else { return }
        let running = escalations[id, default: []].filter { $0.deadline != nil }.map(\.circle)
        let own = turn.directory.circles(of: emergency.person)
        let isAnyLeft = escalations[id, default: []].contains { escalation in
            escalation.deadline == nil && own.contains(escalation.circle)
                && emergency.escalates(in: escalation.circle, turn.directory)
        }
        guard isAnyLeft else { return }
        record(.resumed, emergency, &turn)
        restartEscalations(id, as: .unanswered, besides: running, &turn)
    }
}
