import Model
import Runtime

/// One process of the suite: how it is started, and how far it is.
final class Program {
    /// What is needed to start it.
    struct Recipe {
        /// Such as `ingest`, in front of its lines.
        var name: String
        var path: String
        var arguments: [String]
        var environment: [String: String]
        /// Answers with ``readyStatuses`` once it can work.
        var readyURL: String
        var readyStatuses: Set<Int>
        /// For its line of readiness, such as `http 8101`.
        var place: String
    }

    enum State {
        case running(ChildProcess)
        /// Ended; started again at that time.
        case resting(until: Timestamp)
    }

    let recipe: Recipe
    private(set) var state: State
    /// It answered since it was started last.
    var isReady = false
    /// It answered once since `jaga up` began.
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

    /// The process, while there is one.
    var child: ChildProcess? {
        if case .running(let child) = state { child } else { nil }
    }

    /// Whole lines that it wrote since the last call.
    func drain() -> [String] {
        guard let bytes = child?.drain() else { return lines.rest() }
        return lines.take(bytes)
    }

    /// The exit status, once, if it has ended; it then rests.
    func ended(at now: Timestamp) -> (status: Int32, rest: Duration)? {
        guard let status = child?.reap() else { return nil }
        child?.killRest()
        let rest = backoff.rest(afterRunning: now - started)
        isReady = false
        state = .resting(until: now + rest)
        return (status, rest)
    }

    /// Starts it again when it has rested.
    func restartIfDue(at now: Timestamp) throws(SystemError) {
        guard case .resting(let until) = state, now >= until else { return }
        started = now
        state = .running(try Program.spawn(recipe))
    }
}

/// How long a process rests before it is started again: 0.2 s, doubled with each death in a row up
/// to 10 s; from the start again once it ran for 30 s.
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

/// Cuts what a process writes into lines.
struct LineSplitter {
    /// A longer line is cut.
    static let lineBytesMax = 64 << 10

    private var begun: [UInt8] = []

    /// The lines that are whole with these bytes, without their ends.
    mutating func take(_ bytes: [UInt8]) -> [String] {
        var found: [String] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") || begun.count >= LineSplitter.lineBytesMax {
                found += rest()
            }
            if byte != UInt8(ascii: "\n") { begun.append(byte) }
        }
        return found
    }

    /// What stands behind the last end of a line.
    mutating func rest() -> [String] {
        guard !begun.isEmpty else { return [] }
        defer { begun = [] }
        return [String(decoding: begun, as: UTF8.self)]
    }
}
