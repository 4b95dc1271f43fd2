import Model
import Wire

/// Collects diverged streams for one log line. A restore makes dozens of streams diverge at once,
/// so they are logged together 3 s after the first.
struct Divergences {
    static let wait = Duration.seconds(3)

    private var streams: Set<StreamName> = []
    private var first = ""
    private var since = Timestamp.zero

    mutating func record(_ stream: StreamName, _ sentence: String, at now: Timestamp) {
        if streams.isEmpty { (first, since) = (sentence, now) }
        streams.insert(stream)
    }

    /// Returns the number of diverged streams and the notice of the first, once they are due.
    mutating func popDue(at now: Timestamp) -> (count: Int, first: String)? {
        // Also due if time went back: the wall clock may have been set.
        guard !streams.isEmpty, now - since >= Divergences.wait || now < since else { return nil }
        defer { streams = [] }
        return (streams.count, first)
    }
}
