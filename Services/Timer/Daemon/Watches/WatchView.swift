import Model
import Parsing
import TimerCore
import Web

extension TimedWatch {
    /// The API's representation of a watch.
    var json: JSON {
        var members: [JSON.Member] = [
            .init("id", .string(watch.id.description)),
            .init("person", .string(watch.person.description)),
            .init("state", .string(watch.state.rawValue)),
            .init("started", .string(watch.started.description)),
            .init("deadline", .string(watch.deadline.description)),
            .init("graceSeconds", .integer(Int64(watch.graceSeconds))),
            .init("reminder", .string(reminder.description)),
            .init("expiry", .string(expiry.description)),
        ]
        if let note = watch.note { members.append(.init("note", .string(note))) }
        if let destination = watch.destination {
            members.append(.init("destination", .string(destination.description)))
        }
        if let recipients = watch.recipients {
            members.append(
                .init("recipients", .array(recipients.map { .string($0.description) })))
        }
        members.append(.init("version", .integer(watch.version)))
        return .object(members)
    }

    /// The watch as a response, with its version as ETag.
    func response(status: Int = 200) -> Response {
        var response = Response.json(json, status: status)
        response.headers["ETag"] = "\"\(watch.version)\""
        if status == 201 { response.headers["Location"] = "/v1/watches/\(watch.id)" }
        return response
    }
}

extension WatchRejection {
    /// The API's error.
    var problem: Problem {
        switch self {
        case .tooSoon:
            .invalid(
                "the deadline is less than \(Limits.watchSecondsMin) seconds from now",
                field: "deadline", hint: "Choose a later one.")
        case .tooFar:
            .invalid(
                "the deadline is more than \(Limits.watchSecondsMax / 86_400) days from now",
                field: "deadline", hint: "Choose an earlier one and extend the watch later.")
        case .notLater:
            .conflict(
                "an extension cannot make the deadline earlier", field: "deadline",
                hint: "Start a new watch with the earlier deadline.")
        case .over:
            .conflict("the watch has ended", hint: "Start a new one.")
        case .noteTooLong:
            .invalid("the note is longer than \(Limits.noteBytesMax) bytes", field: "note")
        case .nobodyReachable(let reason):
            .conflict(
                "nobody could be notified if the watch expired: \(reason.explanation)",
                hint: reason.hint)
        case .tooMany:
            .unavailable("too many active watches", retryAfterSeconds: 60)
        case .pin(let rejection): rejection.problem
        }
    }
}

extension WatchResult {
    /// The response to the request.
    var response: Response {
        switch self {
        case .started(let timed): timed.response(status: 201)
        case .extended(let timed), .closed(let timed): timed.response()
        case .rejected(let rejection): .problem(rejection.problem)
        }
    }

    /// Whether an equal request has the same result for a while. A right PIN must count soon after
    /// a wrong one.
    var isFinal: Bool {
        if case .rejected(.pin) = self { false } else { true }
    }
}
