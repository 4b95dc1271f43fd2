import Model
import Parsing
import TimerCore
import Web

/// What a request says about a watch: `{"minutes": 45}` or `{"deadline": "…"}`, and a note.
struct WatchBody: Equatable {
    var span: Span
    var note: String?

    /// - Parameter names: fields that may be there
    /// - Throws: a problem that names the field
    init(_ json: JSON, fields names: [String]) throws(Problem) {
        guard let members = json.object else {
            throw .invalid("the body is not a JSON object", hint: WatchBody.hint)
        }
        if let unknown = members.first(where: { !names.contains($0.key) }) {
            throw .invalid(
                "there is no field of this name", field: unknown.key,
                hint: "the fields are " + names.joined(separator: ", "))
        }
        span = try WatchBody.span(minutes: json.given("minutes"), deadline: json.given("deadline"))
        guard let value = json.given("note") else { return }
        guard let note = value.string else {
            throw .invalid("this is not a text", field: "note")
        }
        self.note = note.isEmpty ? nil : note
    }

    private static let hint =
        #"send {"minutes": 45} or {"deadline": "2026-11-20T22:30:00+08:00"}"#

    private static func span(minutes: JSON?, deadline: JSON?) throws(Problem) -> Span {
        switch (minutes, deadline) {
        case (let minutes?, nil):
            guard let number = minutes.double, number > 0, number < 1e6 else {
                throw .invalid(
                    "this is not a number of minutes above zero", field: "minutes", hint: hint)
            }
            return .seconds(Int64(nearest: number * 60))
        case (nil, let deadline?):
            guard let time = deadline.string.flatMap({ Timestamp($0) }) else {
                throw .invalid(
                    "this is not a time with date and offset", field: "deadline", hint: hint)
            }
            return .until(time)
        case (nil, nil):
            throw .invalid("one of these is needed", field: "minutes", hint: hint)
        case (.some, .some):
            throw .invalid("minutes and deadline exclude each other", field: "minutes", hint: hint)
        }
    }
}

extension JSON {
    /// The value of a member; nil where it is missing or null.
    fileprivate func given(_ key: String) -> JSON? {
        guard let value = self[key], !value.isNull else { return Optional.none }
        return value
    }
}
