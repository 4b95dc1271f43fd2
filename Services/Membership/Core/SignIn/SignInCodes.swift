import Directory
import Model

/// Signs people in by one-time codes that are sent to a verified contact point.
///
/// A request changes the same rows and causes the same work whether the contact belongs to
/// somebody, to several people or to nobody, so that neither answer nor timing tells. Limits are
/// rows, so they survive restarts.
public struct SignInCodes: Sendable {
    /// Settings of the operator.
    public struct Policy: Hashable, Sendable {
        /// Whether a code for an unknown contact creates an account.
        public var allowsSignUp: Bool
        /// Codes per network and hour.
        public var codesPerNetworkMax: Int
        /// Codes by SMS per hour, to all numbers together.
        public var textsPerHourMax: Int

        public init(
            allowsSignUp: Bool = false, codesPerNetworkMax: Int = 60, textsPerHourMax: Int = 200
        ) {
            self.allowsSignUp = allowsSignUp
            self.codesPerNetworkMax = codesPerNetworkMax
            self.textsPerHourMax = textsPerHourMax
        }
    }

    private let policy: Policy
    private var pending: [ContactPointKey: SignInCode] = [:]
    private var attempts = SignInAttempts()

    public init(
        _ policy: Policy = Policy(), pending: [SignInCode] = [], attempts: [SignInAttempt] = []
    ) {
        self.policy = policy
        self.pending = Dictionary(pending.map { ($0.contact, $0) }) { $1 }
        for attempt in attempts.sorted(by: { $0.at < $1.at }) { self.attempts.append(attempt) }
    }

    // MARK: Codes

    /// Decides about a request for a code. A new code replaces the pending one.
    mutating func request(
        _ request: SignInCodeRequest, _ accounts: SignInAccounts, at now: Timestamp
    ) -> SignInDecision {
        let contact = request.contact
        if let wait = wait(for: request, at: now) {
            return SignInDecision(
                .rejected(
                    CommandRejection(.tooOften(wait), "too many codes were requested")))
        }
        let expires = now + Limits.accountCodeAgeMax
        let isWanted = accounts.receivesCode(contact, signUp: policy.allowsSignUp)
        let hasTexts = contact.channel == .email || textsLeft(at: now)
        let isSent = isWanted && hasTexts
        var decision = SignInDecision(.signInCodeRequested)
        save(
            .attempted(
                SignInAttempt(
                    kind: .code, contact: contact.key, network: request.network, at: now,
                    isText: isSent && contact.channel == .sms)), &decision)
        save(
            .save(
                SignInCode(
                    contact: contact.key, code: OneTimeCode(request.code, expires: expires))),
            &decision)
        decision.notices = [
            AccountNotice(
                isSent ? .signInCode : .decoy, to: contact.channel, contact.address,
                locale: accounts.locale(of: contact), expires: expires)
        ]
        decision.isTextLimitReached = isWanted && !hasTexts
        return decision
    }

    /// How long the caller has to wait; nil = not at all. Independent of whose the contact is.
    private func wait(for request: SignInCodeRequest, at now: Timestamp) -> Duration? {
        let (hour, day) = (Limits.signInWindow, Limits.codeWindow)
        return [
            attempts.wait(
                .code, .network(request.network), max: policy.codesPerNetworkMax, within: hour,
                at: now),
            attempts.wait(
                .code, .contact(request.contact.key), max: Limits.signInCodesPerContactMax,
                within: hour, at: now),
            attempts.wait(
                .code, .contact(request.contact.key), max: Limits.signInCodesPerContactDayMax,
                within: day, at: now),
        ].compactMap(\.self).max()
    }

    private func textsLeft(at now: Timestamp) -> Bool {
        attempts.texts(since: now - Limits.signInWindow) < policy.textsPerHourMax
    }

    // MARK: Sessions

    /// Decides about a typed code.
    ///
    /// A right code of several people is accepted again with the chosen person, and one of a new
    /// account with a name; then it is used.
    mutating func enter(
        _ request: SessionRequest, _ accounts: SignInAccounts, at now: Timestamp
    ) -> SignInDecision {
        let key = request.contact.key
        let wait = attempts.wait(
            .wrong, .network(request.network), max: Limits.wrongCodesPerNetworkMax,
            within: Limits.signInWindow, at: now)
        if let wait {
            return SignInDecision(
                .rejected(CommandRejection(.tooOften(wait), "too many wrong codes were entered")))
        }
        guard var known = pending[key] else { return failed(request, nil, at: now) }
        let entry = known.code.enter(request.code, at: now, for: Limits.accountCodeAgeMax)
        guard entry == .right else { return failed(request, known, at: now) }
        let people = accounts.people(with: request.contact)
        var decision: SignInDecision
        switch people.count {
        case 0 where accounts.allowsSignUp(with: request.contact, policy.allowsSignUp):
            guard let name = request.name else { return SignInDecision(.nameNeeded) }
            let contact = ContactPoint(
                id: request.newContact, channel: request.contact.channel,
                address: request.contact.address, verified: now)
            let person = Person(
                id: request.newPerson, name: name, locale: request.locale ?? "en",
                contacts: [contact], affiliation: .none)
            decision = opened(request, for: person, at: now)
            decision.events = [.personChanged(person)]
        case 0: return failed(request, known, at: now)
        default:
            guard let person = request.person ?? (people.count == 1 ? people[0].id : nil) else {
                return SignInDecision(.choosePerson(people))
            }
            guard let chosen = people.first(where: { $0.id == person }) else {
                known.code.triesLeft -= 1
                return failed(request, known, at: now)
            }
            decision = opened(request, for: chosen, at: now)
        }
        save(.remove(key), &decision)
        return decision
    }

    /// - Parameter known: the pending code, one try less
    private mutating func failed(
        _ request: SessionRequest, _ known: SignInCode?, at now: Timestamp
    ) -> SignInDecision {
        var decision = SignInDecision(.signInFailed)
        if let known { save(.save(known), &decision) }
        save(
            .attempted(
                SignInAttempt(
                    kind: .wrong, contact: request.contact.key, network: request.network,
                    at: now, isText: false)), &decision)
        return decision
    }

    /// Opens a session, and warns the person's other contact points.
    private func opened(
        _ request: SessionRequest, for person: Person, at now: Timestamp
    ) -> SignInDecision {
        var decision = SignInDecision(opening: person)
        decision.notices = person.contacts.filter {
            $0.verified != nil
                && VerifiedContacts.key($0.channel, $0.address) != request.contact.key
        }.map { AccountNotice(.newSession, to: $0, of: person, at: now) }
        return decision
    }

    // MARK: Rows

    private mutating func save(_ change: SignInChange, _ decision: inout SignInDecision) {
        decision.changes.append(change)
        switch change {
        case .save(let code): pending[code.contact] = code
        case .remove(let contact): pending[contact] = nil
        case .attempted(let attempt):
            attempts.append(attempt)
            if let end = attempts.surplus { save(.forgotten(until: end), &decision) }
        case .forgotten(let end): attempts.removeAll(until: end)
        }
    }

    /// Removes expired codes and old attempts from memory. The daemon deletes their rows.
    mutating func removeExpired(at now: Timestamp) {
        attempts.removeAll(until: now - Limits.codeWindow)
        let end = now - Limits.signInWindow
        if pending.values.contains(where: { $0.code.expires <= end }) {
            pending = pending.filter { $0.value.code.expires > end }
        }
    }
}
