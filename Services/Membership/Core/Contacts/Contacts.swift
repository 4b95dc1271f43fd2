import Directory
import Model

/// Verifies contact points by code, and tests them.
struct Contacts {
    let context: CommandContext

    /// Sends a code to a contact point. A new code replaces the pending one.
    func sendCode(_ code: CodeDigest, to id: ContactID, of owner: PersonID) -> Verdict {
        decide(id, of: owner) { person, contact in
            guard contact.verified == nil || contact.vouched else {
                return .rejected(CommandRejection(.conflict, "this contact point is verified"))
            }
            if let rejection = context.tooOften(.contactCode, to: contact.address) {
                return .rejected(rejection)
            }
            let notice = AccountNotice(.contactCode, to: contact, of: person, at: context.now)
            let pending = PendingCode(
                subject: .contact(id), address: contact.address,
                code: OneTimeCode(code, expires: notice.expires))
            return .done(
                [], .codeSent(expires: notice.expires),
                codes: [.save(pending), requested(.contactCode, contact)], notices: [notice])
        }
    }

    /// Verifies a contact point by the code that was sent to it.
    func verify(_ id: ContactID, of owner: PersonID, by code: CodeDigest) -> Verdict {
        decide(id, of: owner) { person, contact in
            guard contact.verified == nil || contact.vouched else {
                return .done([], .person(person))
            }
            let subject = CodeSubject.contact(id)
            if let verdict = context.enter(code, for: subject, sentTo: contact.address) {
                return verdict
            }
            var person = person
            for index in person.contacts.indices where person.contacts[index].id == id {
                person.contacts[index].verified = context.now
                person.contacts[index].vouched = false
            }
            person.version += 1
            return .done([.personChanged(person)], .person(person), codes: [.remove(subject)])
        }
    }

    /// Sends a test message to a verified contact point.
    func test(_ id: ContactID, of owner: PersonID) -> Verdict {
        decide(id, of: owner) { person, contact in
            guard contact.verified != nil else {
                return .rejected(
                    CommandRejection(
                        .conflict, "this contact point is not verified",
                        hint: "verify it first: POST …/code"))
            }
            if let rejection = context.tooOften(.contactTest, to: contact.address) {
                return .rejected(rejection)
            }
            let notice = AccountNotice(.contactTest, to: contact, of: person, at: context.now)
            return .done(
                [], .testSent, codes: [requested(.contactTest, contact)], notices: [notice])
        }
    }

    /// Decides about a contact point that the caller may verify and a gateway can serve.
    private func decide(
        _ id: ContactID, of owner: PersonID, _ verdict: (Person, ContactPoint) -> Verdict
    ) -> Verdict {
        if let rejection = context.denial(.verifyContactPoint, on: .person(owner)) {
            return .rejected(rejection)
        }
        guard let person = context.directory.person(owner),
            let contact = person.contacts.first(where: { $0.id == id })
        else { return .rejected(.missing("contact point")) }
        if let rejection = context.outdated(person.version) { return .rejected(rejection) }
        guard contact.channel.rules.hasGateways else {
            return .rejected(
                CommandRejection(.conflict, "no messages can be sent to this contact point"))
        }
        return verdict(person, contact)
    }

    private func requested(_ kind: CodeRequest.Kind, _ contact: ContactPoint) -> CodeChange {
        .requested(
            CodeRequest(
                kind: kind, number: contact.address, by: Actor(context.command.principal),
                at: context.now))
    }
}

extension Person {
    /// Messages that ask the person to verify their contact points. Contact points of a person who
    /// signs in elsewhere come from there.
    func verificationReminders(at now: Timestamp) -> [AccountNotice] {
        guard signIn == .code else { return [] }
        return contacts.filter { $0.verified == nil && $0.channel.rules.hasGateways }
            .map { AccountNotice(.contactReminder, to: $0, of: self, at: now) }
    }

    /// Warnings to verified contact points that an edit removes or replaces.
    func removalNotices(after edited: Person, at now: Timestamp) -> [AccountNotice] {
        contacts.filter { old in
            old.verified != nil && !edited.contacts.contains { $0.id == old.id }
        }.map { AccountNotice(.contactRemoved, to: $0, of: self, at: now) }
    }

    /// What an edit of contact points takes away; nil if it leaves the person reachable.
    func warning(after edited: Person) -> ContactWarning? {
        if edited.contacts.isEmpty { return contacts.isEmpty ? nil : .noContactPoint }
        let wasVerified = contacts.contains { $0.verified != nil }
        let isVerified = edited.contacts.contains { $0.verified != nil }
        return wasVerified && !isVerified ? .noVerifiedContactPoint : nil
    }
}

/// What an edit of contact points took away.
public enum ContactWarning: String, Hashable, Sendable, CaseIterable {
    /// The last contact point was removed: no message reaches the person.
    case noContactPoint = "no-contact-point"
    /// The last verified one was removed: only emergencies are sent to the others.
    case noVerifiedContactPoint = "no-verified-contact-point"

    public var explanation: String {
        switch self {
        case .noContactPoint:
            "no contact point is left: no message reaches this person, and signing in by code is "
                + "not possible"
        case .noVerifiedContactPoint:
            "no verified contact point is left: only emergencies are sent to the others, and "
                + "signing in by code is not possible"
        }
    }
}
