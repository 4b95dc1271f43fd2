import Bus

/// What is said of services that do not answer.
enum Silence {
    /// Nobody has to wait longer for a first word: services speak four times a second.
    static let patience = Duration.seconds(3)

    static let hint = """
        is Jaga running here? start it with 'jaga up'; other ports: JAGA_PORT_BASE or --port-base;
        another host: JAGA_HOST_INGEST and the like, and JAGA_KEYS (docs/tail.md)
        """

    /// Whom nothing is heard of, and where they were looked for.
    static func sentence(of peers: [Bus.Peer]) -> String {
        let places = peers.map { "\($0.publishEndpoint) (\($0.name))" }
        return "nothing answers at " + places.joined(separator: ", ")
    }

    static func error(of peers: [Bus.Peer]) -> CommandError {
        CommandError(sentence(of: peers), hint: hint)
    }
}

/// Notices who says nothing, and when they are heard again.
struct SilenceWatch {
    /// Since when somebody is missing, by name.
    private var since: [String: Duration] = [:]
    /// Of whom it was told.
    private var told: Set<String> = []
    private let began: Duration
    private var hasHeard = false
    /// Nobody of all said anything in time.
    private(set) var heardNobody = false

    init(began: Duration) { self.began = began }

    /// What there is to say now about those who are silent; nothing of what was said.
    ///
    /// - Parameter now: on the clock of `began`
    mutating func step(
        _ peers: [Bus.Peer], silent: [Bus.Peer], now: Duration
    ) -> [String] {
        if silent.count < peers.count { hasHeard = true }
        heardNobody = !hasHeard && now - began >= Silence.patience
        let names = Set(silent.map(\.name))
        let back = peers.filter { told.contains($0.name) && !names.contains($0.name) }
        told.subtract(back.map(\.name))
        since = since.filter { names.contains($0.key) }
        var news: [Bus.Peer] = []
        for peer in silent where !told.contains(peer.name) {
            let start = since[peer.name] ?? (hasHeard ? now : began)
            since[peer.name] = start
            if now - start >= Silence.patience { news.append(peer) }
        }
        told.formUnion(news.map(\.name))
        var sentences = back.map { "\($0.name) is heard" }
        if !news.isEmpty {
            let hint = hasHeard ? "" : "\n\(Silence.hint)"
            sentences.append("\(Silence.sentence(of: news)); waiting\(hint)")
        }
        return sentences
    }
}
