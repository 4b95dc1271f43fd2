import Hosting
import Model

extension EventFilter {
    /// Reads the filter from the arguments of `jaga tail`.
    init(_ call: Call, now: Timestamp) throws(CommandError) {
        self.init()
        for text in call.all("--stream") {
            let found = EventFilter.streams(named: text)
            guard !found.isEmpty else {
                throw .usage(
                    "--stream must be in, events, sos, directory, deadlines, deliveries "
                        + "or a partition such as events/17, not \(text)", call.syntax)
            }
            streams += found
        }
        types = call.all("--type")
        for word in call.parameters {
            let found = EventFilter.streams(named: word)
            let type = EventFilter.type(beginning: word)
            guard !found.isEmpty || type != nil else {
                throw .usage(
                    "\(word) is not a stream (in, events, sos, directory, deadlines, deliveries, "
                        + "events/17) or the prefix of a type (docs/events.md)", call.syntax)
            }
            eitherStreams += found
            if found.isEmpty, let type { eitherTypes.append(type) }
        }
        person = call.value("--person")
        if let person, PersonID(person) == nil {
            throw .usage("--person must be an id such as per_…, not \(person)", call.syntax)
        }
        circle = call.value("--circle")
        if let circle, CircleID(circle) == nil {
            throw .usage("--circle must be an id such as cir_…, not \(circle)", call.syntax)
        }
        since = try call.moment("--since", now: now)
    }

    /// Whether stored events are included.
    var wantsStored: Bool { since != nil }
}
