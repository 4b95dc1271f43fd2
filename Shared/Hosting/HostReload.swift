import Runtime

// SIGHUP: shutdown or a reload of the configuration.
extension Host {
    /// Whether a signal asks for shutdown. SIGHUP does so only if the controlling terminal is gone;
    /// otherwise it asks for a reload of the configuration.
    func endsProcess(_ signal: Signal) -> Bool {
        switch signal {
        case .terminate, .interrupt: true
        case .hangUp: terminal.isGone
        case .childEnded: false
        }
    }

    /// Reads the configuration again and applies it. An invalid one changes nothing.
    func reloadConfiguration() {
        guard shutdownDeadline == nil, let service, let readConfiguration else { return }
        do {
            let configuration = try readConfiguration()
            if let failure = attempt({ try service.reconfigure(configuration) }) { throw failure }
            log.level = LogLevel(rawValue: configuration.text("JAGA_LOG_LEVEL")) ?? .info
            log.info("configuration reloaded")
        } catch {
            log.error(error, ["operation": "reload", "configuration": "unchanged"])
        }
    }
}
