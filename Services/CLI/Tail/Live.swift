import Hosting
import Model
import Parsing
import Runtime
import Web

/// `jaga live`: shows what one person sees change.
enum Live: Command {
    static let syntax = Syntax(
        name: "live", parameters: [],
        summary: "show what a person sees change, one line each",
        details: """
            Follows the live stream of the person whose token is given: their circles and their own
            account, as an app or page gets them. Each line is an event with its data as JSON. The
            event 'reset' means that earlier changes are not known any more: read GET /v1/me. An
            interrupted stream is resumed without loss. The command ends when the token does.
            """,
        options: [
            .init(name: "--limit", value: "N", help: "stop after N events"),
            .init(
                name: "--token-file", value: "FILE",
                help: "the person's token, in the first line of this file; default JAGA_TOKEN"),
            .init(name: "--url", value: "URL", help: "URL of the suite"),
            .authorities, .portBase, .home,
        ])

    static func run(_ call: Call) throws -> Int32 {
        let url = API.url(of: call)
        let token = try Token.operator(of: call)
        let source = EventSource(
            .notifier, at: url, path: "/v1/live", token: token.text,
            authorities: try Authorities.file(of: call))
        var left = try call.number("--limit", default: .max, in: 1...Int.max)
        var isOver = false
        var retry: Duration = .zero
        var isReachable = true
        let clock = SystemClock()
        while !isOver, left > 0 {
            if !source.isOpen, retry <= clock.monotonic {
                source.open(at: clock.monotonic, since: nil)
            }
            Loop.wait(on: [source.transfers], atMost: 250)
            let end = source.step(at: clock.monotonic) { item in
                guard case .named(let name, let data) = item, left > 0 else { return }
                Console.print(
                    JSON.object([.init("event", .string(name)), .init("data", data)]).text)
                left -= 1
                if name == "end" { isOver = true }
            }
            switch end {
            case nil: break
            case .ended: retry = clock.monotonic + .seconds(1)
            case .unreachable(let why, _):
                guard source.hasReceived else {
                    throw CommandError(
                        "the notifier does not answer at \(url): \(why)",
                        hint: "check --url and that the suite is running")
                }
                if isReachable { Console.printError("jaga live: \(why); waiting") }
                isReachable = false
                retry = clock.monotonic + .seconds(1)
            case .rejected(let answer): throw CommandError.rejected(answer, by: url, token)
            }
            if source.isOpen, source.lastReceived > retry { isReachable = true }
        }
        source.transfers.stop()
        return 0
    }
}
