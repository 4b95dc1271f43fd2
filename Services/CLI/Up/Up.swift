import Glibc
import Hosting
import Runtime

/// `jaga up`: runs the whole suite in the foreground.
enum Up: Command {
    static let nginxName = "nginx"

    static let syntax = Syntax(
        name: "up",
        summary: "run the suite in the foreground: five services behind nginx",
        details: """
            The services are the programs beside this one. Each stores its data in its own folder
            under --home. Their output appears here with their names as prefix; programs that end
            are restarted. Ctrl-C or SIGTERM stops everything within five seconds. SIGHUP (kill
            -HUP) reloads gateways, log level and certificates; invalid settings change nothing.

            Settings of services are in jaga.conf in the home folder, or in the environment;
            'jaga-ingest --print-configuration' (and so on) lists them.
            """,
        options: [
            .home, .config,
            .init(
                name: "--port", value: "N",
                help: "public port (default: JAGA_UP_PORT or 8080)"),
            .portBase,
            .init(
                name: "--bind", value: "ADDRESS",
                help: "public address (default: JAGA_UP_BIND or 127.0.0.1)"),
            .init(
                name: "--lan", value: nil,
                help: "also listen on this machine's address in the local network, for phones"),
            .init(
                name: "--self-signed", value: nil,
                help:
                    "use TLS there with a self-signed certificate, which phones must install"
            ),
            .init(
                name: "--dry-run", value: nil,
                help: "send no messages; 'jaga outbox' shows them"),
            .init(
                name: "--without", value: "SERVICE",
                help: "do not start this service, to run it elsewhere", repeats: true),
            .init(
                name: "--scale", value: "evaluator=N",
                help: "run N evaluators that share all people (default 1)"),
        ])

    static func run(_ call: Call) throws -> Int32 {
        let plan = try UpPlan(call)
        try plan.prepareFolders()
        let lock = try LockFile(path: plan.home + "/up.lock")
        try UnfinishedRestore.refuse(home: plan.home)
        try plan.checkPorts()
        if let folder = try plan.prepareKeys() {
            Console.print("jaga: created keys for streams in \(folder)")
        }
        var edge = NginxConfiguration(
            folder: plan.nginxFolder, listen: plan.listen, ports: plan.ports,
            areServicesHere: true, isRoot: geteuid() == 0)
        // Each connection may need a second one to a service. Programs inherit the limit.
        edge.connections = min(edge.connections, max(512, OpenFiles.raise() / 2 - 64))
        let certificate = try plan.certificate()
        if let certificate {
            edge.tls = (plan.listenOutward, certificate.certificate, certificate.key)
        }
        try Files.write(Array(edge.text.utf8), to: plan.nginxFolder + "/nginx.conf", mode: 0o600)
        // One line for phones, one for commands on this machine.
        try Files.write(
            Array("\(plan.origin)\n\(plan.isSelfSigned ? plan.localURL : plan.origin)\n".utf8),
            to: plan.home + "/origin", mode: 0o600)
        Console.print("jaga: starting, data in \(plan.home)")
        if let warning = plan.transportWarning(certificate) { Console.printError(warning) }
        let supervisor = try Supervisor(plan.recipes, welcome: plan.welcome) {
            // nginx continues with an expired certificate.
            do { _ = try plan.certificate() } catch { Console.printError("jaga: \(error)") }
        }
        return withExtendedLifetime(lock) { supervisor.run() }
    }
}
