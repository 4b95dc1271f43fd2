import Runtime

// Signals that ask for something else than the end.
extension Host {
    /// SIGHUP ends a process only if its terminal is gone; else it asks for a new configuration.
    func endsProcess(_ signal: Signal) -> Bool {
        switch signal {
        case .terminate, .interrupt: true
        case .hangUp: terminal.isGone
        case .childEnded: false
        }
    }

    /// Reads the configuration again and gives it to the service. A wrong one changes nothing.
    func reloadConfiguration() {
        guard leaveUntil == nil, let service, let readConfiguration else { return }
        do {
            let configuration = try readConfiguration()
            if let failure = attempt({ try service.reconfigure(configuration) }) { throw failure }
            log.level = LogLevel(rawValue: configuration.text("JAGA_LOG_LEVEL")) ?? .info
            log.info("configuration reloaded")
        } catch {
            log.error(error, ["reload": "failed", "configuration": "the old one stays"])
        }
    }
}
