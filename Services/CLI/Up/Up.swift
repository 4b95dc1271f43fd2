import Glibc
import Hosting
import Runtime

/// `jaga up`: the whole suite in the foreground.
enum Up: Command {
    static let nginxName = "nginx"

    static let syntax = Syntax(
        name: "up",
        summary: "start the suite in the foreground: five services, and nginx in front",
        details: """
            The services are the programs beside this one. Each keeps its data in a folder of its
            own under --home. What they say appears here with their names in front; one that dies
            is started again. Ctrl-C or SIGTERM stops everything within five seconds. SIGHUP
            (kill -HUP) reads gateways, log level and certificates again; settings that are wrong
            change nothing.

            Settings of services stand in jaga.conf in the home folder, or in the environment;
            'jaga-ingest --print-configuration' (and so on) lists them.
            """,
        options: [
            .home, .config,
            .init(
                name: "--port", value: "N",
                help: "the one port that others need (JAGA_UP_PORT, else 8080)"),
            .portBase,
            .init(
                name: "--bind", value: "ADDRESS",
                help: "listen on this address (JAGA_UP_BIND, else 127.0.0.1)"),
            .init(
                name: "--lan", value: nil,
                help: "listen on this machine's address in the local network too, for phones"),
            .init(
                name: "--self-signed", value: nil,
                help: "TLS on that address, by a certificate made here that phones must install"),
            .init(
                name: "--rehearsal", value: nil,
                help: "send nothing outside; 'jaga outbox' shows what would have been sent"),
            .init(
                name: "--without", value: "SERVICE",
                help: "leave a service out, to run it elsewhere", repeats: true),
            .init(
                name: "--scale", value: "evaluator=N",
                help: "start N evaluators, which share all people among them"),
        ])

    static func run(_ call: Call) throws -> Int32 {
        let plan = try UpPlan(call)
        try plan.prepareFolders()
        let lock = try LockFile(path: plan.home + "/up.lock")
        try UnfinishedRestore.refuse(home: plan.home)
        try plan.checkPorts()
        if let folder = try plan.prepareKeys() {
            Console.say("jaga: made keys for streams in \(folder)")
        }
        var edge = NginxConfiguration(
            folder: plan.nginxFolder, listen: plan.listen, ports: plan.ports,
            areServicesHere: true, isRoot: geteuid() == 0)
        // Each may need one more to a service; what is started inherits the limit.
        edge.connections = min(16_384, max(512, OpenFiles.raise() / 2 - 64))
        let certificate = try plan.certificate()
        if let certificate {
            edge.tls = (plan.listenOutward, certificate.certificate, certificate.key)
        }
        try Files.write(Array(edge.text.utf8), to: plan.nginxFolder + "/nginx.conf", mode: 0o600)
        // For phones, then for commands on this machine.
        try Files.write(
            Array("\(plan.origin)\n\(plan.isSelfSigned ? plan.localURL : plan.origin)\n".utf8),
            to: plan.home + "/origin", mode: 0o600)
        Console.say("jaga: starting, data in \(plan.home)")
        if let warning = plan.transportWarning(certificate) { Console.complain(warning) }
        let supervisor = try Supervisor(plan.recipes, welcome: plan.welcome) {
            // An expired certificate is no reason to stop: nginx goes on with it.
            do { _ = try plan.certificate() } catch { Console.complain("jaga: \(error)") }
        }
        return withExtendedLifetime(lock) { supervisor.run() }
    }
}
