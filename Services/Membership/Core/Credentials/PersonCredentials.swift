import Directory
import Model

/// Decides which credentials and sessions a person has. Credentials of devices are decided by
/// ``Devices``.
struct PersonCredentials {
    let context: CommandContext

    /// Creates a credential. Nobody but the person may: it acts as them.
    func create(_ new: NewCredential, _ terms: CredentialTerms, of owner: PersonID) -> Verdict {
        if let rejection = context.denial(.editDevices, on: .person(owner)) {
            return .rejected(rejection)
        }
        switch context.command.principal {
        case .person(owner): break
        case .operator: return .rejected(.denied(.personOnly))
        case .person, .device: return .rejected(.denied(.notYours))
        }
        return created(new, terms, of: owner)
    }

    /// Creates the first credential of an account with its activation code.
    func activate(
        _ person: PersonID, with code: String, _ new: NewCredential, _ terms: CredentialTerms
    ) -> Verdict {
        guard context.activations.accepts(code, of: person, at: context.now) else {
            return .rejected(
                CommandRejection(
                    .invalid, "the code is wrong, used or expired", field: "code",
                    hint: "sign in instead, or ask the operator to create the account again"))
        }
        return created(new, terms, of: person)
    }

    private func created(
        _ new: NewCredential, _ terms: CredentialTerms, of owner: PersonID
    ) -> Verdict {
        guard context.directory.person(owner) != nil else { return .rejected(.missing("person")) }
        let expires: Timestamp?
        switch terms.kind {
        case .help: expires = terms.expires
        case .person:
            let end = terms.expires ?? context.now + Limits.credentialAge
            guard end <= context.now + Limits.credentialAgeMax else {
                return .rejected(
                    CommandRejection(
                        .invalid, "a credential of kind person expires within a year",
                        field: "expires"))
            }
            expires = end
        case .report, .session, .monitor, .operator:
            return .rejected(
                CommandRejection(
                    .invalid, "credentials of this kind are not created here", field: "kind",
                    hint: "use person or help; devices have their own credentials"))
        }
        if let expires, expires <= context.now {
            return .rejected(
                CommandRejection(.invalid, "this time has passed", field: "expires"))
        }
        let own = context.directory.credentials(of: owner).filter {
            $0.kind == .person || $0.kind == .help
        }
        guard own.count < Limits.credentialsPerPersonMax else {
            return .rejected(.full("credentials of a person", Limits.credentialsPerPersonMax))
        }
        let credential = Credential(
            id: new.id, hash: new.hash, kind: terms.kind, person: owner, name: terms.name,
            created: context.now, expires: expires)
        return .done([.credentialChanged(credential)], .credential(credential))
    }

    func remove(_ id: CredentialID, of owner: PersonID) -> Verdict {
        if let rejection = context.denial(.editDevices, on: .person(owner)) {
            return .rejected(rejection)
        }
        guard context.directory.credential(id)?.person == owner else {
            return .rejected(.missing("credential"))
        }
        if let session = context.sessions.session(of: id) {
            return .done(context.sessions.ends(session), .gone)
        }
        return .done([.credentialRemoved(CredentialRemoval(credential: id))], .gone)
    }

    func endSession(_ id: CredentialID) -> Verdict {
        guard let person = context.command.principal.person else {
            return .rejected(.denied(.personOnly))
        }
        guard let session = context.sessions.session(id, of: person) else {
            return .rejected(.missing("session"))
        }
        return .done(context.sessions.ends(session), .gone)
    }

    /// - Parameter kept: a session that goes on; nil = none
    func endSessions(besides kept: CredentialID?) -> Verdict {
        guard let person = context.command.principal.person else {
            return .rejected(.denied(.personOnly))
        }
        let ended = context.sessions.sessions(of: person, in: context.directory).filter {
            $0.id != kept
        }
        return .done(ended.flatMap(context.sessions.ends), .gone)
    }
}
