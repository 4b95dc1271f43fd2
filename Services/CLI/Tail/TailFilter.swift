import Hosting
import Model

extension EventFilter {
    /// As a call of `jaga tail` says.
    init(_ call: Call, now: Timestamp) throws(CommandError) {
        self.init()
        for text in call.all("--stream") {
            let found = EventFilter.streams(named: text)
            guard !found.isEmpty else {
                throw .usage(
                    "there is no stream \(text): in, events, sos, directory, fired, deliveries, "
                        + "or one of 64 such as events/17", call.syntax)
            }
            streams += found
        }
        types = call.all("--type")
        for word in call.parameters {
            let found = EventFilter.streams(named: word)
            let type = EventFilter.type(beginning: word)
            guard !found.isEmpty || type != nil else {
                throw .usage(
                    "\(word) is neither a stream (in, events, sos, directory, fired, deliveries, "
                        + "events/17) nor the beginning of a type (docs/events.md)", call.syntax)
            }
            wordStreams += found
            if found.isEmpty, let type { wordTypes.append(type) }
        }
        person = call.value("--person")
        if let person, PersonID(person) == nil {
            throw .usage("\(person) is no id of a person: they look like per_…", call.syntax)
        }
        circle = call.value("--circle")
        if let circle, CircleID(circle) == nil {
            throw .usage("\(circle) is no id of a circle: they look like cir_…", call.syntax)
        }
        since = try call.moment("--since", now: now)
    }

    /// Whether the past is wanted too.
    var wantsPast: Bool { since != nil }
}
