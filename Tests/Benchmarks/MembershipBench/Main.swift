import Glibc

/// Parts of `scripts/bench-membership`.
@main struct Main {
    static func main() throws {
        let words = Array(CommandLine.arguments.dropFirst())
        switch words.first {
        case "rights": Questions(count: number(words, 1)).measure()
        case "fill":
            try Town(people: number(words, 2), circleSize: number(words, 3)).fill(store: words[1])
        default: fatalError("unknown part: scripts/bench-membership starts this")
        }
    }

    private static func number(_ words: [String], _ index: Int) -> Int {
        guard words.indices.contains(index), let number = Int(words[index]) else {
            fatalError("argument \(index) is not a number")
        }
        return number
    }

    static func printLine(_ line: String) {
        print(line)
        fflush(nil)
    }
}
