import Bus
import Glibc
import Hosting
import Model
import Runtime

/// The programs that `jaga up` starts, with addresses and settings.
struct UpPlan {
    let home: String
    let ports: Ports
    /// Public port.
    let port: Int
    /// Addresses on which nginx listens, such as `127.0.0.1:8080`.
    let listen: [String]
    /// URL for phones, such as `http://192.168.1.5:8080`.
    let origin: String
    /// Whether other machines connect by TLS with a self-signed certificate.
    let isSelfSigned: Bool
    /// The address for phones; nil if only loopback is used.
    private let outward: String?
    private let services: [Service]
    /// Number of evaluators.
    private let evaluators: Int
    private let call: Call
    private let configuration: Configuration

    static let settings = [
        Setting(
            "JAGA_UP_PORT", .integer(1...65_535), default: "8080",
            help: "Public port of 'jaga up'."),
        Setting(
            "JAGA_UP_BIND", .text, default: "127.0.0.1",
            help: "Public address of 'jaga up'."),
        Setting(
            "JAGA_PUBLIC_URL", .url(["http", "https"]),
            help: "URL at which gateways reach this suite; default: its origin."),
        Setting(
            "JAGA_UP_NGINX", .path, help: "Path of nginx, if it is not found automatically."),
        Setting(
            "JAGA_NOTIFIER_TRIAL", .flag,
            help: "Use the built-in sink as gateway if none is configured, for trials."),
    ]

    init(_ call: Call) throws {
        self.call = call
        configuration = try call.configuration(
            UpPlan.settings + CommonSettings.network, service: "up")
        home = configuration.text("JAGA_HOME")
        ports = Ports(configuration)
        port = try call.number(
            "--port", default: configuration.int("JAGA_UP_PORT"), in: 1...65_535)
        let bind = call.value("--bind") ?? configuration.text("JAGA_UP_BIND")
        let addresses = try UpPlan.addresses(bind: bind, lan: call.has("--lan"), call.syntax)
        // With TLS on every other address, loopback stays without TLS on its own line.
        let furtherPorts = call.has("--self-signed") && !addresses.contains("127.0.0.1")
        listen = (addresses + (furtherPorts ? ["127.0.0.1"] : [])).map { [port] in "\($0):\(port)" }
        let shown = addresses[0] == "0.0.0.0" ? NetworkAddress.ofLAN() : addresses[0]
        outward = addresses[0].hasPrefix("127.") ? nil : shown ?? addresses[0]
        isSelfSigned = call.has("--self-signed")
        guard outward != nil || !isSelfSigned else {
            throw CommandError.usage(
                "--self-signed requires --lan or --bind ADDRESS", call.syntax)
        }
        origin = "\(isSelfSigned ? "https" : "http")://\(shown ?? "127.0.0.1"):\(port)"
        services = try UpPlan.services(without: call.all("--without"), call.syntax)
        evaluators = try UpPlan.evaluators(call.value("--scale"), call.syntax)
    }

    /// Addresses to listen on, the one for phones first. Includes loopback.
    private static func addresses(
        bind: String, lan: Bool, _ syntax: Syntax
    ) throws(CommandError) -> [String] {
        var parsed = in_addr()
        guard inet_pton(AF_INET, bind, &parsed) == 1 else {
            throw .usage("--bind must be an IPv4 address such as 192.168.1.5, not \(bind)", syntax)
        }
        if bind == "0.0.0.0" { return [bind] }
        var found = [bind]
        if lan {
            guard let address = NetworkAddress.ofLAN() else {
                throw CommandError(
                    "--lan: this machine has no address in a local network",
                    hint: "connect it to a network, or set --bind ADDRESS")
            }
            found.insert(address, at: 0)
        }
        found.append("127.0.0.1")
        return found.enumerated().filter { found.firstIndex(of: $1) == $0 }.map(\.element)
    }

    private static func services(
        without names: [String], _ syntax: Syntax
    ) throws(CommandError) -> [Service] {
        for name in names where Service(rawValue: name) == nil {
            let known = Service.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("--without must be one of \(known), not \(name)", syntax)
        }
        return Service.allCases.filter { !names.contains($0.rawValue) }
    }

    /// Parses `evaluator=N`. Other services cannot be scaled.
    private static func evaluators(
        _ scale: String?, _ syntax: Syntax
    ) throws(CommandError) -> Int {
        guard let scale else { return 1 }
        let words = scale.split(separator: "=", omittingEmptySubsequences: false)
        guard words.count == 2, words[0] == Service.evaluator.rawValue,
            let count = Int(words[1]), (1...Partition.count).contains(count)
        else {
            throw .usage(
                "--scale must be evaluator=N, 1 to \(Partition.count), not \(scale)", syntax)
        }
        return count
    }

    /// URL for commands on this machine: loopback without TLS.
    var localURL: String { "http://127.0.0.1:\(port)" }

    /// The certificate for phones, created if needed; nil without `--self-signed`.
    func certificate() throws -> SelfSigned? {
        guard isSelfSigned, let outward else { return nil }
        return try SelfSigned(
            home: Files.real(home), address: outward, environment: call.environment)
    }

    /// Addresses of ``listen`` that other machines reach.
    var listenOutward: Set<String> { Set(listen.filter { !$0.hasPrefix("127.") }) }

    /// Warning about transport security; nil if only this machine is served.
    func transportWarning(_ certificate: SelfSigned?) -> String? {
        guard outward != nil else { return nil }
        guard let certificate else {
            return """
                jaga: warning: \(origin) is plain HTTP: everybody in this network can read \
                phones' secrets and positions.
                jaga: use it for trials only, start with --self-signed, or put TLS in front \
                (deploy/README.md).
                """
        }
        return """
            jaga: \(origin) has a self-signed certificate. Install it on each phone as a trusted \
            authority: \(certificate.certificate)
            jaga: SHA-256 \(certificate.fingerprint)
            """
    }

    var nginxFolder: String {
        ((try? Files.real(home)) ?? home) + "/nginx"
    }

    /// Creates the home, for its owner only, and nginx's folder in it.
    func prepareFolders() throws {
        try Files.makeFolder(home, mode: 0o700)
        try Files.makeFolder(nginxFolder, mode: 0o700)
    }

    /// Creates the keys for streams if there are none and all services run on this machine.
    ///
    /// - Returns: the folder with new keys; nil if none were created
    func prepareKeys() throws -> String? {
        let hosts = ServiceName.keepers.map(ports.topology.host)
        let isAlone = hosts.allSatisfy { $0 == ports.here || BusSecurity.isLocal(host: $0) }
        let folder = BusSecurity.folder(configuration)
        guard isAlone, BusSecurity.isEnabled(configuration), folder.existing.isEmpty,
            try folder.generateOnce()
        else { return nil }
        return folder.path
    }

    /// Throws if a port is in use, with the process that uses it.
    func checkPorts() throws(CommandError) {
        for address in listen {
            let host = String(address.split(separator: ":")[0])
            guard PortOwner.isFree(port, address: host) else {
                throw portInUse(port, "public port", hint: "choose another with --port")
            }
        }
        for (port, use) in services.flatMap(ports.all) + furtherPorts
        where !PortOwner.isFree(port, address: ports.topology.bindAddress) {
            throw portInUse(port, use, hint: "move all services' ports with --port-base")
        }
    }

    /// Ports of all evaluators but the first.
    private var furtherPorts: [(port: Int, use: String)] {
        guard services.contains(.evaluator) else { return [] }
        return (1...evaluators).dropFirst().map { (ports.http(evaluator: $0), "evaluator \($0)") }
    }

    private func portInUse(_ port: Int, _ use: String, hint: String) -> CommandError {
        let owner = PortOwner.describe(port).map { "by \($0)" } ?? "by another program"
        return CommandError(
            "port \(port) (\(use)) is in use \(owner)", hint: "stop that program, or \(hint)")
    }

    /// How to start each program, nginx last.
    var recipes: [Program.Recipe] {
        get throws {
            let folder = try Files.real("/proc/self/exe").split(separator: "/").dropLast()
                .map { "/" + $0 }.joined()
            var recipes: [Program.Recipe] = []
            for service in services {
                let count = service == .evaluator ? evaluators : 1
                for number in 1...count { recipes.append(try recipe(service, number, in: folder)) }
            }
            return recipes + [try nginx()]
        }
    }

    /// - Parameter number: from 1, for several evaluators
    private func recipe(
        _ service: Service, _ number: Int, in folder: String
    ) throws(CommandError) -> Program.Recipe {
        let path = "\(folder)/\(service.program)"
        guard access(path, X_OK) == 0 else {
            throw CommandError(
                "there is no program \(path)", hint: "build all programs with 'make build'")
        }
        let port =
            service == .evaluator ? ports.http(evaluator: number) : ports.http(service)
        var arguments = ["--home", home, "--port-base", String(ports.base)]
        if call.has("--dry-run") { arguments.append("--dry-run") }
        if let file = configuration.file { arguments += ["--config", file] }
        return Program.Recipe(
            name: number == 1 ? service.rawValue : "\(service.rawValue)-\(number)", path: path,
            arguments: arguments, environment: environment(of: service, port: port),
            readyURL: "http://\(ports.here):\(port)/readyz", readyStatuses: [200],
            address: "http \(ports.here):\(port)")
    }

    /// The environment of a service: that of this command with additions from the plan. Settings of
    /// the operator take precedence.
    func environment(of service: Service, port: Int) -> [String: String] {
        var environment = call.environment
        for name in ["JAGA_TOKEN", "JAGA_URL"] { environment[name] = nil }
        if service == .evaluator { environment["JAGA_EVALUATOR_PORT"] = String(port) }
        if configuration.optional("JAGA_PUBLIC_URL") == nil {
            // Gateways on this machine need no TLS, and would not trust the certificate.
            environment["JAGA_PUBLIC_URL"] = isSelfSigned ? localURL : origin
        }
        // Without a gateway the built-in sink counts as one. Other deployments have to choose that
        // explicitly.
        if service == .notifier, configuration.optional("JAGA_NOTIFIER_TRIAL") == nil {
            environment["JAGA_NOTIFIER_TRIAL"] = "on"
        }
        return environment
    }

    private func nginx() throws(CommandError) -> Program.Recipe {
        let folders = (call.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let usual = (folders + ["/usr/sbin", "/usr/local/sbin"]).map { $0 + "/nginx" }
        let candidates = configuration.optional("JAGA_UP_NGINX").map { [$0] } ?? usual
        guard let path = candidates.first(where: { access($0, X_OK) == 0 }) else {
            throw CommandError(
                "nginx is not installed", hint: "run 'make setup', or: apt-get install nginx")
        }
        return Program.Recipe(
            name: Up.nginxName, path: path,
            arguments: ["-p", nginxFolder, "-c", "nginx.conf", "-e", "stderr"], environment: [:],
            readyURL: "http://127.0.0.1:\(port)/", readyStatuses: [404], address: origin)
    }

    /// Printed once everything is ready.
    var welcome: String {
        let name = CommandLine.arguments.first ?? "jaga"
        var more = home == "./var" ? "" : " --home \(home)"
        let shifted = ports.base == 8100 ? "" : " --port-base \(ports.base)"
        more += shifted.isEmpty ? "" : "   (tail and status:\(shifted))"
        let lines = [
            "", Console.paint("Jaga is ready at \(origin)", .bold), "",
            "  \(name) demo     create a demo circle with phones and zones",
            "  \(name) init     create your own circle and first phone",
            "  \(name) tail     show events as they happen",
            "  \(name) status   show services, streams, messages and gateways", "",
        ]
        let hint = more.isEmpty ? [] : ["Add to these commands:\(more)", ""]
        let end = [
            "Ctrl-C stops everything.", "",
        ]
        return (lines + hint + end).joined(separator: "\n")
    }
}
