import Model
import Parsing
import TimerCore
import Web

/// The body of a watch request: `{"minutes": 45}` or `{"deadline": "…"}`, and optional terms.
struct WatchBody: Equatable {
    var span: Span
    var terms = WatchTerms()

    /// - Parameter names: allowed fields.
    /// - Throws: a ``Problem`` that names the field.
    init(_ json: JSON, fields names: [String]) throws(Problem) {
        guard let members = json.object else {
            throw .invalid("the body must be a JSON object", hint: WatchBody.hint)
        }
        if let unknown = members.first(where: { !names.contains($0.key) }) {
            throw .invalid(
                "unknown field", field: unknown.key,
                hint: "Allowed fields: " + names.joined(separator: ", "))
        }
        span = try WatchBody.span(minutes: json.given("minutes"), deadline: json.given("deadline"))
        terms.note = try json.text("note")
        if let text = try json.text("destination") {
            guard let zone = ZoneID(text) else {
                throw .invalid("must be the id of a zone", field: "destination")
            }
            terms.destination = zone
        }
        terms.recipients = try WatchBody.recipients(json.given("recipients"))
    }

    /// Reads a list of people; nil if it is missing.
    static func recipients(_ json: JSON?) throws(Problem) -> [PersonID]? {
        guard let json else { return nil }
        guard let items = json.array, (1...Limits.recipientsMax).contains(items.count) else {
            throw .invalid(
                "must be a list of 1 to \(Limits.recipientsMax) people", field: "recipients",
                hint: "Leave it out to notify everyone in your circles.")
        }
        var people: Set<PersonID> = []
        for item in items {
            guard let person = item.string.flatMap({ PersonID($0) }) else {
                throw .invalid("must contain ids of people", field: "recipients")
            }
            people.insert(person)
        }
        return people.sorted()
    }

    private static let hint =
        #"Send {"minutes": 45} or {"deadline": "2026-11-20T22:30:00+08:00"}"#

    private static func span(minutes: JSON?, deadline: JSON?) throws(Problem) -> Span {
        switch (minutes, deadline) {
        case (let minutes?, nil):
            guard let number = minutes.double, number > 0, number < 1e6 else {
                throw .invalid(
                    "must be a number of minutes greater than 0", field: "minutes", hint: hint)
            }
            return .seconds(Int64(nearest: number * 60))
        case (nil, let deadline?):
            guard let time = deadline.string.flatMap({ Timestamp($0) }) else {
                throw .invalid(
                    "must be a time with date and UTC offset", field: "deadline", hint: hint)
            }
            return .until(time)
        case (nil, nil):
            throw .invalid("minutes or deadline is required", field: "minutes", hint: hint)
        case (.some, .some):
            throw .invalid(
                "minutes and deadline are mutually exclusive", field: "minutes", hint: hint)
        }
    }
}

extension JSON {
    /// The value of a member; nil if it is missing or null.
    func given(_ key: String) -> JSON? {
        guard let value = self[key], !value.isNull else { return Optional.none }
        return value
    }

    /// The text of a member; nil if it is missing, null or empty.
    func text(_ key: String) throws(Problem) -> String? {
        guard let value = given(key) else { return nil }
        guard let text = value.string else { throw .invalid("must be a string", field: key) }
        return text.isEmpty ? nil : text
    }
}
