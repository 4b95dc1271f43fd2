import Directory
import Model

/// Decides changes of the operator's token and the monitoring token.
struct AdminTokens {
    let context: CommandContext

    func rotateOperatorToken(to new: NewCredential) -> Verdict {
        if let rejection = context.denial(.administer, on: .suite) { return .rejected(rejection) }
        let credential = Credential(id: new.id, hash: new.hash, created: context.now)
        let removals = context.directory.operatorCredentials.map {
            EventBody.credentialRemoved(CredentialRemoval(credential: $0.id))
        }
        return .done([.credentialChanged(credential)] + removals, .credential(credential))
    }

    /// Replaces the monitoring token.
    func rotateMonitorToken(to new: NewCredential) -> Verdict {
        if let rejection = context.denial(.administer, on: .suite) { return .rejected(rejection) }
        let credential = Credential(
            id: new.id, hash: new.hash, kind: .monitor, created: context.now)
        return .done(
            [.credentialChanged(credential)] + monitorRemovals, .credential(credential))
    }

    func removeMonitorToken() -> Verdict {
        if let rejection = context.denial(.administer, on: .suite) { return .rejected(rejection) }
        guard !context.directory.monitorCredentials.isEmpty else {
            return .rejected(.missing("monitoring token"))
        }
        return .done(monitorRemovals, .gone)
    }

    private var monitorRemovals: [EventBody] {
        context.directory.monitorCredentials.map {
            .credentialRemoved(CredentialRemoval(credential: $0.id))
        }
    }

    /// Events that make one credential the operator's only one.
    static func soleToken(
        _ credential: NewCredential, in directory: Replica, at now: Timestamp
    ) -> [EventBody] {
        let old = directory.operatorCredentials
        var events: [EventBody] = []
        if !old.contains(where: { $0.hash == credential.hash }) {
            events.append(
                .credentialChanged(
                    Credential(id: credential.id, hash: credential.hash, created: now)))
        }
        for outdated in old where outdated.hash != credential.hash {
            events.append(.credentialRemoved(CredentialRemoval(credential: outdated.id)))
        }
        return events
    }
}
