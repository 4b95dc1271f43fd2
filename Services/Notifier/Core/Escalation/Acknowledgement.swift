import Directory
import Model

/// Acknowledgement of an emergency by a responder.
package struct Acknowledgement: Hashable, Sendable, Codable {
    /// Nil = the operator.
    package var by: PersonID?
    /// When they acknowledged first.
    package var at: Timestamp
    /// When they were asked whether they are still responding.
    package var asked: Timestamp?
    /// The deadline of the acknowledgement or of the answer to its reminder.
    package var deadline: DeadlineID?
    package var due: Timestamp?
    /// Counts confirmations, so that each timeout has its own deadline id.
    package var confirmations: Int
    /// Number of this acknowledgement within its emergency, from 1; nil = the latest.
    package var number: Int?

    package init(by: PersonID?, at: Timestamp) {
        self.by = by
        self.at = at
        confirmations = 0
    }
}

extension Emergency {
    /// Active acknowledgements, oldest first.
    var acknowledgements: [Acknowledgement] {
        [firstAcknowledgement].compactMap(\.self) + (furtherAcknowledgements ?? [])
    }

    /// Whether a circle has a responder: one of its members, or the operator.
    func isAnswered(in circle: CircleID, _ directory: Replica) -> Bool {
        let directory = directory.seen(by: self)
        return acknowledgements.contains { $0.counts(for: person, in: circle, directory) }
    }

    /// Whether the circle's escalation may notify its next tier.
    func escalates(in circle: CircleID, _ directory: Replica) -> Bool {
        (state == .open || state == .acknowledged) && !endedCircles.contains(circle)
            && !isAnswered(in: circle, directory)
    }

    /// The acknowledgement that applies to a viewer.
    ///
    /// It is their own, or the first of a circle that they share with the person. The person and
    /// the operator see the first of all.
    func acknowledgement(for viewer: PersonID?, in directory: Replica) -> Acknowledgement? {
        guard let viewer, viewer != person else { return firstAcknowledgement }
        let directory = directory.seen(by: self)
        let common = directory.circles(of: person, answeredBy: viewer)
        let own = acknowledgements.first { $0.by == viewer }
        return own
            ?? acknowledgements.first { acknowledgement in
                common.contains { acknowledgement.counts(for: person, in: $0, directory) }
            } ?? (common.isEmpty ? firstAcknowledgement : nil)
    }

    /// Whether an acknowledgement by this person would change nothing.
    ///
    /// True if they respond already, or if each of their circles in which the emergency is active
    /// has a responder.
    ///
    /// - Parameter responder: nil = the operator
    func hasAnswer(of responder: PersonID?, in directory: Replica) -> Bool {
        if acknowledgements.contains(where: { $0.by == responder }) { return true }
        let directory = directory.seen(by: self)
        let common = responder.map { directory.circles(of: person, answeredBy: $0) }
        return circlesGoingOn(in: directory)
            .filter { common?.contains($0) ?? true }
            .allSatisfy { isAnswered(in: $0, directory) }
    }

    /// Adds an acknowledgement.
    mutating func acknowledge(by responder: PersonID?, at now: Timestamp) -> Acknowledgement {
        if firstAcknowledgement?.number == nil {
            firstAcknowledgement?.number = acknowledgementCount
        }
        state = .acknowledged
        acknowledgementCount += 1
        var new = Acknowledgement(by: responder, at: now)
        new.number = acknowledgementCount
        if firstAcknowledgement == nil {
            firstAcknowledgement = new
        } else {
            furtherAcknowledgements = (furtherAcknowledgements ?? []) + [new]
        }
        return new
    }

    /// Replaces the acknowledgement of the same responder.
    mutating func update(_ changed: Acknowledgement) {
        if firstAcknowledgement?.by == changed.by, firstAcknowledgement != nil {
            firstAcknowledgement = changed
        } else if let index = furtherAcknowledgements?.firstIndex(where: { $0.by == changed.by }) {
            furtherAcknowledgements?[index] = changed
        }
    }

    /// Removes the acknowledgement of a responder; the next one becomes the first.
    mutating func remove(_ ended: Acknowledgement) {
        let left = acknowledgements.filter { $0.by != ended.by }
        firstAcknowledgement = left.first
        furtherAcknowledgements = left.count > 1 ? Array(left.dropFirst()) : nil
    }

    /// Clears the deadlines of all acknowledgements.
    mutating func clearAcknowledgementDeadlines() {
        for var acknowledgement in acknowledgements {
            acknowledgement.deadline = nil
            acknowledgement.due = nil
            update(acknowledgement)
        }
    }
}

extension Acknowledgement {
    /// Whether it applies to a circle of the person in danger.
    func counts(for person: PersonID, in circle: CircleID, _ directory: Replica) -> Bool {
        guard let by else { return true }
        return directory.circles(of: person, answeredBy: by).contains(circle)
    }
}
