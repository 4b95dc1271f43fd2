import Glibc

/// Processes of `scripts/bench-bus`: each plays one part and prints its measurements, one JSON
/// object per line.
@main struct Main {
    static func main() throws {
        let options = Options(CommandLine.arguments.dropFirst())
        signal(SIGPIPE, SIG_IGN)
        switch options["part"] {
        case "writer": try Writer(options).run()
        case "consumer": try Consumer(options).run()
        case "fill": try Writer(options).fill()
        case "raw-store": try RawStore(options).run()
        case "raw-publisher": try RawPublisher(options).run()
        case "raw-subscriber": RawSubscriber(options).run()
        case "reporter": try Reporter(options).run()
        case "listener": try Listener(options).run()
        default: fatalError("unknown part: scripts/bench-bus starts this")
        }
    }
}

/// `--name value` pairs.
struct Options {
    private var values: [String: String] = [:]

    init(_ words: some Sequence<String>) {
        var name = ""
        for word in words {
            if word.hasPrefix("--") {
                name = String(word.dropFirst(2))
            } else {
                values[name] = word
            }
        }
    }

    subscript(_ name: String) -> String { values[name] ?? "" }

    func number(_ name: String, or standard: Int = 0) -> Int {
        Int(self[name]) ?? standard
    }
}

/// Prints a line of JSON with numbers and texts; texts must not contain quotes.
func emit(_ event: String, _ values: KeyValuePairs<String, Any> = [:]) {
    let members = values.map { name, value in
        value is String ? "\"\(name)\":\"\(value)\"" : "\"\(name)\":\(value)"
    }
    let line = "{" + (["\"event\":\"\(event)\""] + members).joined(separator: ",") + "}\n"
    _ = line.withCString { write(1, $0, strlen($0)) }
}

/// Microseconds on a clock shared by all processes of the machine.
func microseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
}
