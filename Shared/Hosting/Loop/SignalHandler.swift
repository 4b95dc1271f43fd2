import Runtime

/// Handles signals: shutdown, or a reload of the configuration.
final class SignalHandler {
    private let context: HostContext
    private let turns: TurnRunner
    private let readConfiguration: (() throws -> Configuration)?
    private let terminal = ControllingTerminal()

    /// - Parameter readConfiguration: reads the settings again, as at the start; nil in tests
    init(
        _ context: HostContext, _ turns: TurnRunner,
        _ readConfiguration: (() throws -> Configuration)?
    ) {
        self.context = context
        self.turns = turns
        self.readConfiguration = readConfiguration
    }

    /// Handles the signals that have arrived.
    ///
    /// - Returns: whether one asks for shutdown. SIGHUP does so only if the controlling terminal is
    ///   gone; otherwise it asks for a reload of the configuration.
    func handle(isShuttingDown: Bool) -> Bool {
        let signals = context.parts.signals?.drain() ?? []
        if signals.contains(where: endsProcess) { return true }
        if signals.contains(.hangUp), !isShuttingDown { reloadConfiguration() }
        return false
    }

    private func endsProcess(_ signal: Signal) -> Bool {
        switch signal {
        case .terminate, .interrupt: true
        case .hangUp: terminal.isGone
        case .childEnded: false
        }
    }

    /// Reads the configuration again and applies it. An invalid one changes nothing.
    private func reloadConfiguration() {
        guard context.service != nil, let readConfiguration else { return }
        do {
            let configuration = try readConfiguration()
            let service = context.roles.reconfigures
            if let failure = turns.attempt({ try service?.reconfigure(configuration) }) {
                throw failure
            }
            context.log.level = LogLevel(rawValue: configuration.text("JAGA_LOG_LEVEL")) ?? .info
            context.log.info("configuration reloaded")
        } catch {
            context.log.error(error, ["operation": "reload", "configuration": "unchanged"])
        }
    }
}
