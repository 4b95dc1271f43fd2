import Glibc

/// Helper processes of `scripts/bench-ingest`. Each plays one part until its standard input ends.
@main struct Main {
    static func main() throws {
        let words = Array(CommandLine.arguments.dropFirst())
        signal(SIGPIPE, SIG_IGN)
        switch words.first {
        case "limit": try Limit(port: number(words, 1)).run()
        case "directory":
            try Town(people: number(words, 4), inCircle: number(words, 5))
                .serve(store: words[1], publish: words[2], control: words[3])
        case "tokens":
            try Town(people: number(words, 2), inCircle: number(words, 3)).writeTokens(to: words[1])
        default: fatalError("unknown part: scripts/bench-ingest starts this")
        }
    }

    private static func number(_ words: [String], _ index: Int) -> Int {
        guard words.indices.contains(index), let number = Int(words[index]) else {
            fatalError("argument \(index) is not a number")
        }
        return number
    }

    /// Whether standard input is closed.
    static var isInputClosed: Bool {
        var item = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        return poll(&item, 1, 0) > 0
    }

    static func printLine(_ line: String) {
        print(line)
        fflush(nil)
    }
}
