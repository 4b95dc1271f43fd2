import Model
import Wire

/// Streams that are others than before. A restore makes dozens of them at once: they are told
/// together, when a while has passed since the first.
struct Divergences {
    static let wait = Duration.seconds(3)

    private var streams: Set<StreamName> = []
    private var first = ""
    private var since = Timestamp.zero

    mutating func note(_ stream: StreamName, _ sentence: String, at now: Timestamp) {
        if streams.isEmpty { (first, since) = (sentence, now) }
        streams.insert(stream)
    }

    /// How many there are and what was said of the first, once it is time to tell.
    mutating func take(at now: Timestamp) -> (count: Int, first: String)? {
        // Back in time, too: the wall clock may have been set.
        guard !streams.isEmpty, now - since >= Divergences.wait || now < since else { return nil }
        defer { streams = [] }
        return (streams.count, first)
    }
}

extension Host {
    /// Between turns.
    func tellDivergences() {
        guard let told = divergences.take(at: now) else { return }
        log.warning(
            "streams are others than before, as a restore makes them, and are followed anew",
            ["streams": told.count, "first": told.first])
    }
}
