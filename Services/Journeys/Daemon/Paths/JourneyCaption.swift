import JourneysCore
import Model
import Parsing

/// The content of a journey's response beside its path.
struct JourneyCaption {
    let header: JourneyHeader
    /// The visible parts.
    let windows: [JourneyWindow]
    /// Points that the reader already has.
    var from = 0

    /// - Parameter windows: the visible parts; nil = all
    init(header: JourneyHeader, windows: [JourneyWindow]? = nil) {
        self.header = header
        self.windows =
            windows ?? [JourneyWindow(from: header.span.started, to: header.span.stopped)]
    }

    var started: Timestamp { windows.first?.from ?? header.span.started }
    /// Nil while the journey is open.
    var stopped: Timestamp? {
        guard !header.span.isOpen, let last = windows.last else { return nil }
        return min(last.to, header.span.stopped)
    }

    var members: [JSON.Member] {
        [
            .init("id", .string(header.id.description)),
            .init("person", .string(header.person.description)),
            .init("name", .string(header.name)),
            .init("state", header.span.isOpen ? "open" : "stopped"),
            .init("started", .string(started.description)),
            .init("stopped", stopped.map { .string($0.description) } ?? .null),
        ]
    }
}
