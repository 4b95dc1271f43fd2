import Hosting
import Runtime

/// `jaga nginx`: prints the configuration for a separate nginx.
enum NginxRules: Command {
    static let syntax = Syntax(
        name: "nginx", parameters: ["http|server|tls"],
        summary: "print the configuration for your own nginx",
        details: """
            'jaga up' starts an nginx itself. For a separate one, such as with TLS, include the
            output of 'http' in its block http, and that of 'server' in the block server of Jaga's
            name. The services are those of JAGA_HOST_.... 'tls' prints protocols and ciphers for
            either block. Print all again for each new version of Jaga.

            nginx repeats request lines in its errors, and paths and queries contain tokens and
            positions: 'server' turns the error log of requests off. With --keep-error-log it stays
            on; pass it through a filter such as deploy/edge/mask.
            """,
        options: [
            .home, .config, .portBase,
            .init(
                name: "--keep-error-log", value: nil,
                help: "server: keep the error log of requests"),
        ])

    static func run(_ call: Call) throws -> Int32 {
        let configuration = NginxConfiguration(
            ports: Ports(try call.configuration(CommonSettings.network)))
        switch call.parameters[0] {
        case "http": Console.print(configuration.rules)
        case "server":
            if !call.has("--keep-error-log") { Console.print(NginxConfiguration.noErrorLog + "\n") }
            Console.print(configuration.routes)
        case "tls": Console.print(NginxConfiguration.transportSecurity)
        default: throw CommandError.usage("http, server or tls is required", syntax)
        }
        return 0
    }
}
