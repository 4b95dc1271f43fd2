import Glibc
import Model
import Runtime
import Web
import Wire

extension Host {
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
            let configuration = try Configuration(
                settings: CommonSettings.all + definition.settings, arguments: arguments,
                service: definition.name.rawValue)
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
            let host = Host(definition: definition, configuration: configuration, parts: parts)
            host.readConfiguration = {
                let read = try Configuration(
                    settings: CommonSettings.all + definition.settings, arguments: arguments,
                    service: definition.name.rawValue)
                try definition.check(read)
                return read
            }
            let mark =
                definition.isDurable
                ? RunMarker(folder: HostParts.folder(definition, configuration)) : nil
            host.didCrash = mark?.begin() == true
            do { try host.open(make(host)) } catch {
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

    private func identifySenders(of service: any Service) {
        parts.server.identifySenders { [unowned self] request in
            // Until the replica has loaded, every sender may be known.
            !bus.isCaughtUp || principal(of: request) != nil || service.knowsSender(of: request)
        }
    }

    /// Connects the service to bus and server, and starts it, before the first turn.
    func open(_ service: any Service) throws {
        self.service = service
        bus.hooks.notice = { [unowned self] notice in
            if case .diverged(let stream, _, _) = notice {
                divergences.record(stream, "\(notice)", at: now)
            } else if notice.needsAttention {
                log.error(notice.event, notice.fields)
            } else {
                log.info(notice.event, notice.fields)
            }
        }
        identifySenders(of: service)
        bus.hooks.snapshot = { try service.snapshotRecords(of: $0) }
        bus.hooks.pruneFloor = { try service.pruneFloor(of: $0) }
        hookOwnership(to: service)
        bus.hooks.checkpointed = { try service.checkpointed($0, $1) }
        bus.hooks.restarted = { stream, _ in try service.restart(stream) }
        bus.hooks.replace = { [unowned self] stream, records, position in
            shouldReleaseMemory = true
            guard stream == .directory, let directory else {
                return try service.replace(stream, withRecords: records, at: position)
            }
            let differences = try directory.replace(
                with: try records.map(Host.event), before: service.directoryWillChange)
            try service.replace(stream, with: differences)
            try removeReplacedDeadLetters(stream)
        }
        try database.begin()
        try directory?.load()
        outage = try lastAlive.begin(
            at: now, hold: parts.hold, isNewHeld: definition.holdsWhenNew)
        try service.start()
        try loadRequired()
        try database.commit()
        shouldReleaseMemory = true
        sendOutputs()
        // Whether a new store holds anything is not known yet.
        if let outage, outage.from > .zero {
            log.warning(
                "store is behind the wall clock, items that became due meanwhile are held",
                [
                    "from": outage.from, "until": outage.until, "hold_ends": outage.holdEnds,
                    "hint": Host.holdHint,
                ])
        } else if outage != nil {
            holdCheckedAt = now
        }
        if didCrash {
            log.warning(
                "previous run did not shut down: killed, crashed or power lost",
                ["hint": "If the kernel log says out of memory, raise the memory limit."])
        }
        if parts.isUnprotected {
            log.warning(
                Host.unprotected, ["hint": "Remove JAGA_CURVE and restart every service."])
        }
        if isDryRun { log.warning("dry run, nothing is sent outside") }
        log.info("ready", ["port": httpPort, "version": Version.text])
        try parts.manager?.ready("version \(Version.text), port \(httpPort)")
    }

    /// Connects the bus's lease and proposal hooks to the service.
    private func hookOwnership(to service: any Service) {
        bus.hooks.coordinate = { try service.coordinate($0, from: $1) }
        bus.hooks.mayPropose = { service.mayPropose($0, by: $1) }
        let proposalsRejected = metrics.counter(
            "jaga_proposals_rejected_total", "Invalid proposals of evaluators.")
        bus.hooks.proposalRejected = { [unowned self] stream, member, reason in
            isServiceTouched = true
            proposalsRejected.add()
            try service.proposalRejected(stream, by: member, because: reason)
        }
        bus.hooks.revoked = { try service.partitionRevoked($0) }
    }

    /// Answers waiting requests with 503 and closes the sockets. The store closes with its owner.
    func close() {
        refuseOutstanding()
        parts.server.flush()
        parts.server.stop()
        parts.transfers.stop()
        bus.close()
        log.info("stopped")
    }

    private static func printText(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(1, bytes, bytes.count)
    }
}
