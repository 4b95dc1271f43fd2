import Directory
import Hashing
import Model

/// State of a drill.
package enum DrillState: String, Hashable, Sendable, Codable, CaseIterable {
    case running
    /// Every tier was notified and had its time to answer.
    case finished
    /// Somebody stopped it, or an emergency did.
    case stopped
}

/// How somebody answered a drill.
package enum DrillAnswerWay: String, Hashable, Sendable, Codable, CaseIterable {
    /// On the page of their link.
    case page
    case sms
}

/// A message of a drill to one contact point.
package struct DrillMessage: Hashable, Sendable, Codable {
    package var notification: NotificationID
    package var channel: Channel
    package var gateway: String
    package var state: NotificationState
    /// The gateway's last answer, shortened.
    package var answer: String
    /// When a gateway accepted it; nil = none did.
    package var accepted: Timestamp?
    /// When a gateway confirmed that it arrived; nil = none did.
    package var delivered: Timestamp?

    init(_ notification: Notification) {
        self.notification = notification.id
        channel = notification.channel
        gateway = ""
        state = .queued
        answer = ""
    }

    /// Takes over the state of the message.
    mutating func update(_ notification: Notification, at now: Timestamp) {
        (gateway, answer) = (notification.gateway, notification.answer)
        guard state != notification.state else { return }
        state = notification.state
        if state == .accepted || state == .sink { accepted = accepted ?? now }
        if state == .delivered { delivered = delivered ?? now }
    }
}

/// One member who was notified by a drill.
package struct DrillParticipant: Hashable, Sendable, Codable {
    package var person: PersonID
    /// From 0.
    package var tier: Int
    package var notified: Timestamp
    /// Why they were notified, or why they could not be.
    package var reason: NotifyReason
    package var messages: [DrillMessage] = []
    /// When they answered first; nil = not yet.
    package var answered: Timestamp?
    package var way: DrillAnswerWay?
}

/// What stopped a drill.
package struct DrillStop: Hashable, Sendable, Codable {
    /// Whose emergency it was.
    package var person: PersonID
    /// Whether that emergency does not exist for its person.
    package var isCovert: Bool
}

/// A test of a circle's escalation: the tiers, times, gateways and contact points of an emergency,
/// with messages that are marked as a test.
///
/// It is about the circle, not about a person in danger: its messages have no position, and
/// never-notify lists do not apply, so that its report reveals none.
package struct Drill: Hashable, Sendable, Codable {
    package var id: DrillID
    package var circle: CircleID
    /// Whose emergency it simulates: they are not notified.
    package var starter: PersonID
    package var isScheduled: Bool
    package var started: Timestamp
    package var state: DrillState
    package var ended: Timestamp?
    /// The emergency that stopped it; nil = none did.
    package var stop: DrillStop?
    /// Members who have not agreed to take part, as of the start; ids ascending.
    package var notAsked: [PersonID]
    package var participants: [DrillParticipant]
    /// The escalation that it repeats, under the id of the drill.
    package var escalation: CircleEscalation
    package var trace: String

    init(
        id: DrillID, circle: Circle, starter: PersonID, isScheduled: Bool, at now: Timestamp,
        trace: String
    ) {
        self.id = id
        self.circle = circle.id
        self.starter = starter
        self.isScheduled = isScheduled
        started = now
        state = .running
        notAsked = Recipients.helpers(of: starter, in: circle).filter { !$0.joinsDrills }
            .map(\.person)
        participants = []
        escalation = CircleEscalation(emergency: EmergencyID(id.raw), circle: circle.id)
        self.trace = trace
    }

    /// The part that a reader may see: members read about themselves, guardians and admins about
    /// those who agreed to their role, and who started it reads all.
    ///
    /// - Parameter reader: nil = the operator
    package func shown(to reader: PersonID?, in circle: Circle, _ directory: Replica) -> Drill {
        var shown = self
        if let stop, !isKnown(stop, to: reader, in: circle, directory) { shown.stop = nil }
        guard let reader, reader != starter, let membership = circle.member(reader) else {
            return shown
        }
        func isReadable(_ person: PersonID) -> Bool {
            person == reader
                || circle.member(person).map { circle.role(of: membership, over: $0) != .member }
                    ?? (membership.role != .member)
        }
        shown.participants = participants.filter { isReadable($0.person) }
        shown.notAsked = notAsked.filter(isReadable)
        return shown
    }

    /// Whether a reader may learn that an emergency stopped it. To others it reads as if somebody
    /// had stopped it.
    private func isKnown(
        _ stop: DrillStop, to reader: PersonID?, in circle: Circle, _ directory: Replica
    ) -> Bool {
        guard let reader else { return true }
        if reader == stop.person { return !stop.isCovert }
        guard let viewer = circle.member(reader), let subject = circle.member(stop.person) else {
            return false
        }
        return !directory.hidesEmergencies(of: stop.person, from: reader)
            && circle.role(of: viewer, over: subject) != .member
    }
}

/// When drills of a circle start by themselves: once a month.
package struct DrillSchedule: Hashable, Sendable, Codable {
    package var circle: CircleID
    /// Who scheduled them, and whose emergency they simulate. The time is in their time zone.
    package var person: PersonID
    /// From 1.
    package var day: Int
    /// Minutes since midnight.
    package var minute: Int
    package var next: Timestamp
    /// The last one that did not start; nil = each did.
    package var skipped: Timestamp?

    /// The deadline of the next drill.
    var deadline: Deadline {
        Deadline(
            id: DerivedID.deadline(.drill, circle.raw, .number(next.microseconds)), kind: .drill,
            person: person, subject: circle.description, due: next)
    }

    /// The first scheduled time after another.
    ///
    /// - Parameter offset: seconds east of Greenwich at a time
    static func next(
        day: Int, minute: Int, after now: Timestamp, offset: (Timestamp) -> Int
    ) -> Timestamp {
        let local = now.seconds + Int64(offset(now))
        var month = CivilDate(daysSinceEpoch: max(0, local) / 86_400)
        while true {
            let date = CivilDate(year: month.year, month: month.month, day: Int64(day))
            let wall = date.daysSinceEpoch * 86_400 + Int64(minute) * 60
            // The offset at that time may differ from the one now.
            let guess = Timestamp(seconds: wall - Int64(offset(now)))
            let time = Timestamp(seconds: wall - Int64(offset(guess)))
            if time > now { return time }
            month =
                month.month == 12
                ? CivilDate(year: month.year + 1, month: 1, day: 1)
                : CivilDate(year: month.year, month: month.month + 1, day: 1)
        }
    }
}

/// A command about drills.
package struct DrillCommand: Hashable, Sendable {
    package enum Action: Hashable, Sendable {
        /// - Parameter id: of the new drill
        case start(DrillID)
        case stop(DrillID)
        /// - Parameters:
        ///   - day: of the month, from 1
        ///   - minute: since midnight
        case schedule(day: Int, minute: Int)
        case unschedule
        /// Somebody answers on the page of their link. It has no ``Answer``.
        case answer(LinkHash)
    }

    /// Id of the HTTP request, for the answer.
    package var request: UInt64
    package var circle: CircleID
    package var principal: Principal
    package var action: Action
    package var trace: String

    package init(
        request: UInt64, circle: CircleID, principal: Principal, _ action: Action,
        trace: String = ""
    ) {
        self.request = request
        self.circle = circle
        self.principal = principal
        self.action = action
        self.trace = trace
    }
}

/// Why a drill does not start.
package enum DrillRefusal: String, Hashable, Sendable, CaseIterable {
    /// A member of the circle has an emergency.
    case emergency
    /// A drill of the circle is running.
    case running
    /// The last one was a moment ago.
    case tooSoon = "too-soon"
    /// No other member has agreed to take part.
    case nobodyAgreed = "nobody-agreed"
}

/// Answer to a command about drills.
package enum DrillAnswer: Hashable, Sendable {
    case drill(Drill)
    case schedule(DrillSchedule)
    case unscheduled
    case refused(DrillRefusal)
    case denied(Denial)
    /// No such circle or drill, or the principal may not know of it.
    case unknown
}
