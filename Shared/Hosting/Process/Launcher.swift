import Bus
import Glibc
import Model
import Runtime
import Store
import Web
import Wire

/// Runs a service as a process: reads its arguments, opens its parts, runs its loop.
public enum Launcher {
    /// Runs a service: configuration → store → bus → endpoints → loop → drain.
    ///
    /// - Returns: the exit code: 0 after a signal or an informational flag, 1 if the service could
    ///   not start or could not reload its store
    public static func run(
        _ definition: ServiceDefinition,
        arguments: [String] = Array(CommandLine.arguments.dropFirst()),
        make: (Host) throws -> any Service
    ) -> Int32 {
        StandardDescriptors.openMissing()
        PrivateProcess.begin()
        var log = Log(service: definition.name.rawValue)
        defer { log.flush(within: HostLimits.logFlushTimeout) }
        do {
            let configuration = try read(definition, arguments)
            if let text = information(definition, configuration) {
                printText(text)
                return 0
            }
            if configuration.action == .health {
                return try health(definition, configuration)
            }
            for name in configuration.unknownVariables {
                log.warning(
                    "unknown environment variable, ignored", ["name": name])
            }
            if configuration.action == .check {
                try check(definition, configuration)
                return 0
            }
            let signals = try Signals()
            var parts = try HostParts(definition, configuration, signals: signals)
            // One log, so that dropped lines are counted once.
            log.level = parts.log.level
            parts.log = log
            let host = Host(definition: definition, configuration: configuration, parts: parts) {
                let read = try Launcher.read(definition, arguments)
                try definition.check(read)
                return read
            }
            let mark =
                definition.isDurable
                ? RunMarker(folder: HostParts.folder(definition, configuration)) : nil
            let didCrash = mark?.begin() == true
            do { try host.open(make(host), didCrash: didCrash) } catch {
                // The error is logged below, so the next start need not report a crash.
                mark?.end()
                throw error
            }
            host.run()
            host.close()
            if host.exitCode == 0 { mark?.end() }
            return host.exitCode
        } catch {
            log.error(error, ["operation": "start"])
            return 1
        }
    }

    private static func read(
        _ definition: ServiceDefinition, _ arguments: [String]
    ) throws(ConfigurationError) -> Configuration {
        try Configuration(
            settings: CommonSettings.all + definition.settings, arguments: arguments,
            service: definition.name.rawValue)
    }

    private static func information(
        _ definition: ServiceDefinition, _ configuration: Configuration
    ) -> String? {
        switch configuration.action {
        case .run, .check, .health: nil
        case .help:
            "jaga-\(definition.name.rawValue): \(definition.summary)\n\n\(Arguments.help)\n"
        case .version: "jaga-\(definition.name.rawValue) \(Version.text)\n"
        case .printConfiguration: configuration.printed()
        }
    }

    /// Checks whether the service on this machine is ready, and prints its response.
    ///
    /// - Returns: the exit code: 0 if it is ready, else 1
    private static func health(
        _ definition: ServiceDefinition, _ configuration: Configuration
    ) throws(ConfigurationError) -> Int32 {
        let topology = Topology(configuration)
        let port = HostParts.httpPort(definition, configuration, topology)
        guard port > 0 else {
            throw ConfigurationError(
                "port-unknown", "\(definition.portSetting ?? "") is 0, so the port is unknown",
                hint: "Set it to a fixed port.")
        }
        let address = topology.bindAddress == "0.0.0.0" ? "127.0.0.1" : topology.bindAddress
        let result = Transfers.run(
            Transfer(
                token: 1, .http(HTTPCall(.get, "http://\(address):\(port)/readyz")),
                timeoutMilliseconds: HostLimits.healthMillisecondsMax))
        switch result.outcome {
        case .answered(let answer):
            printText(String(decoding: answer.body, as: UTF8.self) + "\n")
            return answer.status == 200 ? 0 : 1
        case .failed(let failure):
            printText("no response from port \(port): \(failure.message)\n")
            return 1
        }
    }

    /// Checks what may prevent a service from starting, in the order of a start: keys, secrets,
    /// folder and store.
    ///
    /// It changes nothing, except that it creates and removes an empty file to test the folder. The
    /// service may be running.
    ///
    /// - Throws: the error that the start would throw
    static func check(_ definition: ServiceDefinition, _ configuration: Configuration) throws {
        try HostParts.refuseUnprotected(configuration, Topology(configuration))
        if HostParts.keysToMake(definition, configuration, Topology(configuration)) == nil {
            _ = try BusSecurity.read(configuration, role: definition.name.role)
        }
        _ = try RightsFile.read(configuration)
        try definition.check(configuration)
        guard definition.isDurable else { return }
        try UnfinishedRestore.refuse(
            home: configuration.text("JAGA_HOME"), service: definition.name.rawValue)
        let folder = HostParts.folder(definition, configuration)
        try Files.checkWritable(in: folder)
        let store = HostParts.store(in: folder)
        guard Files.exists(store) else { return }
        try Database.check(store, HostParts.migrations(definition))
        try definition.checkStore(configuration, Database(reading: store))
    }

    private static func printText(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(1, bytes, bytes.count)
    }
}
