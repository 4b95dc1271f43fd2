import Hosting
import Runtime

/// `jaga nginx`: what an nginx needs that somebody runs in front of the services themselves.
enum NginxRules: Command {
    static let syntax = Syntax(
        name: "nginx", parameters: ["http|server"],
        summary: "print what an nginx of your own needs to lead to the services",
        details: """
            'jaga up' starts an nginx by itself. Where another is in front, with TLS, include what
            'http' prints in its block http, and what 'server' prints in the block server of Jaga's
            name. Services are looked for where JAGA_HOST_... say. Print both anew with each new
            version of Jaga.

            nginx repeats request lines in its errors, and tokens and positions are in paths and
            queries: 'server' turns the error log of requests off. With --keep-error-log it stays,
            and belongs through a filter such as deploy/edge/mask.
            """,
        options: [
            .home, .config, .portBase,
            .init(
                name: "--keep-error-log", value: nil,
                help: "server: do not turn the error log of requests off"),
        ])

    static func run(_ call: Call) throws -> Int32 {
        let configuration = NginxConfiguration(
            ports: Ports(try call.configuration(CommonSettings.network)))
        switch call.parameters[0] {
        case "http": Console.say(configuration.rules)
        case "server":
            if !call.has("--keep-error-log") { Console.say(NginxConfiguration.silence + "\n") }
            Console.say(configuration.routes)
        default: throw CommandError.usage("say: http or server", syntax)
        }
        return 0
    }
}
