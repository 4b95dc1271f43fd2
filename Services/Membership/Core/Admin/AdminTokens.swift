import Directory
import Model

/// Decides changes of the operator's token and the monitoring token.
struct AdminTokens {
    typealias Verdict = MembershipCore.Verdict

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
}
