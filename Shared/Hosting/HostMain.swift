import Glibc
import Model
import Runtime
import Web
import Wire

extension Host {
    /// The whole of a service's `main`: configuration → store → bus → endpoints → loop → drain.
    ///
    /// - Returns: the exit code: 0 after a signal or an informational flag, 1 when the service
    ///   could not start, or could not read its store again.
    public static func run(
        _ definition: ServiceDefinition,
        arguments: [String] = Array(CommandLine.arguments.dropFirst()),
        make: (Host) throws -> any Service
    ) -> Int32 {
        StandardDescriptors.fill()
        PrivateProcess.begin()
        var log = Log(service: definition.name.rawValue)
        defer { log.settle(within: HostLimits.lastWords) }
        do {
            let configuration = try Configuration(
                settings: CommonSettings.all + definition.settings, arguments: arguments,
                service: definition.name.rawValue)
            if let text = information(definition, configuration) {
                say(text)
                return 0
            }
            if configuration.action == .health {
                return try health(definition, configuration)
            }
            for name in configuration.unknownInEnvironment {
                log.warning(
                    "this variable is no setting of Jaga and does nothing", ["name": name])
            }
            if configuration.action == .check {
                try check(definition, configuration)
                return 0
            }
            let signals = try Signals()
            var parts = try HostParts(definition, configuration, signals: signals)
            // One count of lines that nobody took.
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
                ? RunMark(folder: HostParts.folder(definition, configuration)) : nil
            host.wasKilled = mark?.begin() == true
            do { try host.open(make(host)) } catch {
                // It says itself why it ends.
                mark?.end()
                throw error
            }
            host.run()
            host.close()
            if host.exitCode == 0 { mark?.end() }
            return host.exitCode
        } catch {
            log.error(error, ["start": "failed"])
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

    /// Asks the service that runs on this machine.
    ///
    /// - Returns: 0 when it is ready, else 1, with why not on standard output
    private static func health(
        _ definition: ServiceDefinition, _ configuration: Configuration
    ) throws(ConfigurationError) -> Int32 {
        let topology = Topology(configuration)
        let port = HostParts.httpPort(definition, configuration, topology)
        guard port > 0 else {
            throw ConfigurationError(
                "port-unknown", "\(definition.portSetting ?? "") is 0, so any port may be the one",
                hint: "Give it a port of its own.")
        }
        let address = topology.bindAddress == "0.0.0.0" ? "127.0.0.1" : topology.bindAddress
        let result = Transfers.run(
            Transfer(
                token: 1, .http(HTTPCall(.get, "http://\(address):\(port)/readyz")),
                timeoutMilliseconds: HostLimits.healthMillisecondsMax))
        switch result.outcome {
        case .answered(let answer):
            say(String(decoding: answer.body, as: UTF8.self) + "\n")
            return answer.status == 200 ? 0 : 1
        case .failed(let failure):
            say("nothing answers at port \(port): \(failure.message)\n")
            return 1
        }
    }

    private func identifySenders(of service: any Service) {
        parts.server.identifySenders { [unowned self] request in
            // Until the directory is there nobody is known, and everybody may be.
            !bus.isCaughtUp || principal(of: request) != nil || service.knowsSender(of: request)
        }
    }

    /// Starts the service over its store, before the first turn.
    func open(_ service: any Service) throws {
        self.service = service
        bus.hooks.notice = { [unowned self] notice in
            if case .diverged(let stream, _, _) = notice {
                divergences.note(stream, "\(notice)", at: now)
            } else if notice.isAlarm {
                log.error("\(notice)")
            } else {
                log.info("\(notice)")
            }
        }
        identifySenders(of: service)
        bus.hooks.snapshot = { try service.snapshotRecords(of: $0) }
        bus.hooks.pruneFloor = { try service.pruneFloor(of: $0) }
        hookOwnership(to: service)
        bus.hooks.checkpointed = { try service.checkpointed($0, $1) }
        bus.hooks.restarted = { stream, _ in try service.restart(stream) }
        bus.hooks.replace = { [unowned self] stream, records, position in
            isMemoryLoose = true
            guard stream == .directory, let directory else {
                return try service.replace(stream, withRecords: records, at: position)
            }
            let differences = try directory.replace(
                with: try records.map(Host.event), before: service.directoryWillChange)
            try service.replace(stream, with: differences)
            try forgetReplaced(stream)
        }
        try database.begin()
        try directory?.load()
        outage = try attendance.begin(
            at: now, hold: parts.hold, isNewHeld: definition.holdsWhenNew)
        try service.start()
        try readNeeded()
        try database.commit()
        isMemoryLoose = true
        speak()
        // Of a new store nobody knows yet whether there is anything to hold.
        if let outage, outage.from > .zero {
            log.warning(
                "the store was behind; what became due meanwhile is held",
                [
                    "from": outage.from, "until": outage.until, "hold_ends": outage.holdEnds,
                    "hint": Host.holdHint,
                ])
        } else if outage != nil {
            holdLookedFor = now
        }
        if wasKilled {
            log.warning(
                "previous run did not shut down: killed, crashed or power lost",
                ["hint": "If the kernel's log says out of memory, give the process more."])
        }
        if parts.isUnprotected {
            log.warning(
                Host.unprotected, ["hint": "Remove JAGA_CURVE, and start every service again."])
        }
        if isRehearsal { log.warning("this is a rehearsal: nothing is sent outside") }
        log.info("ready", ["port": httpPort, "version": Version.text])
        try parts.manager?.ready("version \(Version.text), port \(httpPort)")
    }

    /// Has the service coordinate partitions, where it keeps their logs, and hear what it loses.
    private func hookOwnership(to service: any Service) {
        bus.hooks.coordinate = { try service.coordinate($0, from: $1) }
        bus.hooks.mayPropose = { service.mayPropose($0, by: $1) }
        let proposalsRejected = metrics.counter(
            "jaga_proposals_rejected_total", "Proposals of evaluators that cannot be read.")
        bus.hooks.proposalRejected = { [unowned self] stream, member, reason in
            isServiceTouched = true
            proposalsRejected.add()
            try service.proposalRejected(stream, by: member, because: reason)
        }
        bus.hooks.lost = { try service.lost($0) }
    }

    /// Answers what still waits and lets go of sockets; the store closes with its owner.
    func close() {
        refuseOutstanding()
        parts.server.flush()
        parts.server.stop()
        parts.transfers.stop()
        bus.close()
        log.info("stopped")
    }

    private static func say(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(1, bytes, bytes.count)
    }
}
