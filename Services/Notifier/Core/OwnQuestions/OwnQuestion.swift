import Directory
import Hashing
import Model

/// A question to a person about their own watch or check-in, with a link to its page.
package struct OwnQuestion: Hashable, Sendable, Codable {
    package enum Subject: Hashable, Sendable, Codable {
        case watch(WatchID)
        case checkIn(CheckInID)

        package var isWatch: Bool { if case .watch = self { true } else { false } }

        /// What tokens of links are derived from.
        var raw: ID128 {
            switch self {
            case .watch(let id): id.raw
            case .checkIn(let id): id.raw
            }
        }
    }

    package enum State: String, Hashable, Sendable, Codable {
        case open, answered
        /// It was not answered in time, and an emergency opened.
        case expired
    }

    /// Of the link.
    package var hash: LinkHash
    package var person: PersonID
    package var subject: Subject
    /// The deadline of the watch, or the due time of the check-in.
    package var due: Timestamp
    /// When an emergency opens.
    package var alarmAt: Timestamp
    package var state = State.open
    package var closed: Timestamp?
}

/// What a person does on the page of a question.
package struct QuestionCommand: Hashable, Sendable {
    package enum Action: Hashable, Sendable {
        /// Extend the watch.
        case extend(minutes: Int64)
        /// They are safe. Nil = without a PIN.
        case safe(pin: String?)
    }

    /// Id of the HTTP request, for the answer.
    package var request: UInt64
    /// Id of the command, the same if it is repeated.
    package var id: ID128
    package var link: LinkHash
    package var action: Action
    package var trace: String

    package init(
        request: UInt64, id: ID128, link: LinkHash, action: Action, trace: String
    ) {
        self.request = request
        self.id = id
        self.link = link
        self.action = action
        self.trace = trace
    }
}

/// What a command on the page of a question led to.
package enum QuestionOutcome: Hashable, Sendable {
    /// The timer extends the watch.
    case extended
    /// They are safe; the timer ends the watch or check-in.
    case safe
    case pinNeeded
    case wrongPIN
    /// A watch of somebody without a PIN ends in the app only: anybody may have the link.
    case inApp
    /// It was answered before, or too late.
    case closed
}

/// The answer to an SMS with which a person says that they are safe.
package enum SafetyReply: Hashable, Sendable, CaseIterable {
    case noted, pinNeeded, wrongPIN
    /// Without a PIN, a watch ends in the app only: anybody may send an SMS in their name.
    case inApp
}
