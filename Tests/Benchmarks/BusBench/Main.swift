import Glibc

/// The processes of `scripts/bench-bus`: each plays one part and tells what it measured, a line of
/// JSON each time, on standard output.
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

/// Says a line of JSON: numbers and texts without quotes in them.
func tell(_ event: String, _ values: KeyValuePairs<String, Any> = [:]) {
    let members = values.map { name, value in
        value is String ? "\"\(name)\":\"\(value)\"" : "\"\(name)\":\(value)"
    }
    let line = "{" + (["\"event\":\"\(event)\""] + members).joined(separator: ",") + "}\n"
    _ = line.withCString { write(1, $0, strlen($0)) }
}

/// Microseconds on a clock that all processes of the machine share.
func microseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
}
