import Model
import Runtime

/// A supervised process of the suite.
final class Program {
    /// How to start the process.
    struct Recipe {
        /// Name such as `ingest`, the prefix of its lines.
        var name: String
        var path: String
        var arguments: [String]
        var environment: [String: String]
        /// URL that responds with one of ``readyStatuses`` once the process is ready.
        var readyURL: String
        var readyStatuses: Set<Int>
        /// Address for the message that it is ready, such as `http 8101`.
        var address: String
    }

    enum State {
        case running(ChildProcess)
        /// Ended; restarts at this time.
        case resting(until: Timestamp)
    }

    let recipe: Recipe
    private(set) var state: State
    /// Whether it is ready since its last start.
    var isReady = false
    /// Whether it was ever ready.
    var wasReady = false
    private var started: Timestamp
    private var backoff = Backoff()
    private var lines = LineSplitter()

    init(_ recipe: Recipe, at now: Timestamp) throws(SystemError) {
        self.recipe = recipe
        started = now
        state = .running(try Program.spawn(recipe))
    }

    private static func spawn(_ recipe: Recipe) throws(SystemError) -> ChildProcess {
        try ChildProcess(
            path: recipe.path, arguments: recipe.arguments, environment: recipe.environment)
    }

    /// The running process; nil while it waits for its restart.
    var child: ChildProcess? {
        if case .running(let child) = state { child } else { nil }
    }

    /// Complete lines since the last call.
    func drain() -> [String] {
        guard let bytes = child?.drain() else { return lines.rest() }
        return lines.append(bytes)
    }

    /// Returns the exit status and the restart delay, once, if the process has ended.
    func ended(at now: Timestamp) -> (status: Int32, rest: Duration)? {
        guard let status = child?.reap() else { return nil }
        child?.killGroup()
        let rest = backoff.rest(afterRunning: now - started)
        isReady = false
        state = .resting(until: now + rest)
        return (status, rest)
    }

    /// Restarts it when its delay has passed.
    func restartIfDue(at now: Timestamp) throws(SystemError) {
        guard case .resting(let until) = state, now >= until else { return }
        started = now
        state = .running(try Program.spawn(recipe))
    }
}

/// Restart delay: 0.2 s, doubled with each exit in a row up to 10 s, reset after 30 s of running.
struct Backoff {
    static let first = Duration.milliseconds(200)
    static let longest = Duration.seconds(10)
    static let enough = Duration.seconds(30)

    private var next = Backoff.first

    mutating func rest(afterRunning duration: Duration) -> Duration {
        if duration >= Backoff.enough { next = Backoff.first }
        defer { next = min(next * 2, Backoff.longest) }
        return next
    }
}

/// Splits output into lines.
struct LineSplitter {
    /// Maximum length of a line; longer lines are split.
    static let lineBytesMax = 64 << 10

    private var partial: [UInt8] = []

    /// Appends bytes and returns the lines that are now complete, without line ends.
    mutating func append(_ bytes: [UInt8]) -> [String] {
        var found: [String] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") || partial.count >= LineSplitter.lineBytesMax {
                found += rest()
            }
            if byte != UInt8(ascii: "\n") { partial.append(byte) }
        }
        return found
    }

    /// The incomplete last line.
    mutating func rest() -> [String] {
        guard !partial.isEmpty else { return [] }
        defer { partial = [] }
        return [String(decoding: partial, as: UTF8.self)]
    }
}
