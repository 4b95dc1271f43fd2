import Bus

/// Messages about services that do not answer.
enum NoAnswer {
    /// How long to wait for a first message. Services send four per second.
    static let timeout = Duration.seconds(3)

    static let hint = """
        start Jaga with 'jaga up'; for other ports set JAGA_PORT_BASE or --port-base;
        for another host set JAGA_HOST_INGEST etc. and JAGA_KEYS (docs/tail.md)
        """

    /// The services that do not answer, with their endpoints.
    static func sentence(of peers: [Bus.Peer]) -> String {
        let places = peers.map { "\($0.publishEndpoint) (\($0.name))" }
        return "no response from " + places.joined(separator: ", ")
    }

    static func error(of peers: [Bus.Peer]) -> CommandError {
        CommandError(sentence(of: peers), hint: hint)
    }
}

/// Detects services that stop or start answering.
struct PeerWatch {
    /// When each service stopped answering, by name.
    private var since: [String: Duration] = [:]
    /// Services reported as not answering.
    private var reported: Set<String> = []
    private let began: Duration
    private var hasReceived = false
    /// Whether no service at all answered in time.
    private(set) var noPeerAnswered = false

    init(began: Duration) { self.began = began }

    /// Returns messages about services whose state changed.
    ///
    /// - Parameter now: on the same clock as `began`
    mutating func step(
        _ peers: [Bus.Peer], silent: [Bus.Peer], now: Duration
    ) -> [String] {
        if silent.count < peers.count { hasReceived = true }
        noPeerAnswered = !hasReceived && now - began >= NoAnswer.timeout
        let names = Set(silent.map(\.name))
        let back = peers.filter { reported.contains($0.name) && !names.contains($0.name) }
        reported.subtract(back.map(\.name))
        since = since.filter { names.contains($0.key) }
        var missing: [Bus.Peer] = []
        for peer in silent where !reported.contains(peer.name) {
            let start = since[peer.name] ?? (hasReceived ? now : began)
            since[peer.name] = start
            if now - start >= NoAnswer.timeout { missing.append(peer) }
        }
        reported.formUnion(missing.map(\.name))
        var sentences = back.map { "\($0.name) answers again" }
        if !missing.isEmpty {
            let hint = hasReceived ? "" : "\n\(NoAnswer.hint)"
            sentences.append("\(NoAnswer.sentence(of: missing)); waiting\(hint)")
        }
        return sentences
    }
}
