import Directory
import Hashing
import Model
import SignOn

/// Signs people in by passkeys (WebAuthn), which they register themselves.
///
/// A challenge is random, counts once whatever comes of it, and ends after
/// ``Limits/passkeyChallengeAgeMax``. The authenticator must verify its user, so that a passkey is
/// two factors.
public struct Passkeys: Sendable {
    /// Nil if passkeys do not work at the address of this server.
    public let party: RelyingParty?
    private var passkeys: [PasskeyID: Passkey] = [:]
    /// Passkeys by the authenticator's id.
    private var idOfKey: [[UInt8]: PasskeyID] = [:]
    private var challenges: [String: PasskeyChallenge] = [:]
    private var nextSweep = Timestamp.zero

    public enum Input: Sendable {
        /// Asks for the options of a new passkey of the caller.
        case registrationOptions(RequestID, PersonID, challenge: [UInt8])
        case register(RequestID, Registration)
        case remove(RequestID, PasskeyID, of: PersonID)
        /// Asks for the options of a sign-in.
        case signInOptions(RequestID, challenge: [UInt8])
        case signIn(RequestID, SignIn)
        case personRemoved(PersonID)
        /// Removes what has expired.
        case tick
    }

    /// An authenticator made a passkey.
    public struct Registration: Hashable, Sendable {
        public var person: PersonID
        public var id: PasskeyID
        public var name: String
        /// As the browser reports it.
        public var challenge: [UInt8]
        public var response: PasskeyRegistration

        public init(
            person: PersonID, id: PasskeyID, name: String, challenge: [UInt8],
            response: PasskeyRegistration
        ) {
            self.person = person
            self.id = id
            self.name = name
            self.challenge = challenge
            self.response = response
        }
    }

    /// An authenticator signed a challenge.
    public struct SignIn: Hashable, Sendable {
        /// The authenticator's id of the passkey.
        public var key: [UInt8]
        /// The person as the authenticator knows them; nil = not sent.
        public var user: [UInt8]?
        /// As the browser reports it.
        public var challenge: [UInt8]
        public var response: PasskeyAssertion

        public init(
            key: [UInt8], user: [UInt8]?, challenge: [UInt8], response: PasskeyAssertion
        ) {
            self.key = key
            self.user = user
            self.challenge = challenge
            self.response = response
        }
    }

    /// Effects of ``Passkeys``, in the order in which the daemon performs them.
    public enum Effect: Hashable, Sendable {
        case row(PasskeyChange)
        /// Opens a session for the browser of a request.
        case openSession(RequestID, PersonID)
        case answer(RequestID, Answer)
    }

    /// The result of a request.
    public enum Answer: Hashable, Sendable {
        /// - Parameter excluded: the authenticators' ids of the passkeys that the person has
        case registrationOptions(Person, RelyingParty, challenge: [UInt8], excluded: [[UInt8]])
        case signInOptions(RelyingParty, challenge: [UInt8])
        case registered(Passkey)
        case removed
        case signedIn(PersonID)
        case denied(PasskeyDenial)
    }

    /// - Parameter rows: every row of the store
    public init(party: RelyingParty?, rows: [PasskeyChange] = []) {
        self.party = party
        for row in rows { apply(row) }
    }

    /// The passkeys of a person, ids ascending.
    public func passkeys(of person: PersonID) -> [Passkey] {
        passkeys.values.filter { $0.person == person }.sorted { $0.id < $1.id }
    }

    /// Handles one input and appends its effects.
    public mutating func handle(
        _ input: Input, in directory: Replica, at now: Timestamp, into effects: inout [Effect]
    ) {
        switch input {
        case .registrationOptions(let request, let person, let challenge):
            let answer = registrationOptions(
                of: person, challenge, in: directory, at: now, into: &effects)
            effects.append(.answer(request, answer))
        case .register(let request, let registration):
            let answer = register(registration, in: directory, at: now, into: &effects)
            effects.append(.answer(request, answer))
        case .remove(let request, let id, let person):
            guard passkeys[id]?.person == person else {
                return effects.append(.answer(request, .denied(.unknown)))
            }
            save(.remove(id), into: &effects)
            effects.append(.answer(request, .removed))
        case .signInOptions(let request, let challenge):
            let answer = signInOptions(challenge, at: now, into: &effects)
            effects.append(.answer(request, answer))
        case .signIn(let request, let response):
            let answer = signIn(response, in: directory, at: now, into: &effects)
            if case .signedIn(let person) = answer {
                effects.append(.openSession(request, person))
            }
            effects.append(.answer(request, answer))
        case .personRemoved(let person):
            for passkey in passkeys(of: person) { save(.remove(passkey.id), into: &effects) }
            for challenge in challenges.values where challenge.purpose == .register(person) {
                save(.removeChallenge(challenge.id), into: &effects)
            }
        case .tick:
            guard now >= nextSweep else { return }
            nextSweep = now + .seconds(60)
            for challenge in challenges.values where challenge.expires <= now {
                save(.removeChallenge(challenge.id), into: &effects)
            }
        }
    }

    // MARK: Registration

    private mutating func registrationOptions(
        of id: PersonID, _ challenge: [UInt8], in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) -> Answer {
        guard let party else { return .denied(.unavailable) }
        guard let person = directory.person(id) else { return .denied(.notYours) }
        let own = passkeys(of: id)
        guard own.count < Limits.passkeysPerPersonMax else { return .denied(.full) }
        guard save(challenge, for: .register(id), at: now, into: &effects) else {
            return .denied(.tooMany)
        }
        return .registrationOptions(
            person, party, challenge: challenge, excluded: own.map(\.key.id))
    }

    private mutating func register(
        _ registration: Registration, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) -> Answer {
        guard let party else { return .denied(.unavailable) }
        let purpose = PasskeyChallenge.Purpose.register(registration.person)
        guard use(registration.challenge, for: purpose, at: now, into: &effects) else {
            return .denied(.challenge)
        }
        guard directory.person(registration.person) != nil else { return .denied(.notYours) }
        guard passkeys(of: registration.person).count < Limits.passkeysPerPersonMax else {
            return .denied(.full)
        }
        let key: PasskeyKey
        do {
            key = try registration.response.verify(for: party, challenge: registration.challenge)
        } catch {
            return .denied(.rejected(error))
        }
        guard idOfKey[key.id] == nil else { return .denied(.known) }
        let passkey = Passkey(
            id: registration.id, person: registration.person, name: registration.name, key: key,
            created: now)
        save(.save(passkey), into: &effects)
        return .registered(passkey)
    }

    // MARK: Sign-in

    private mutating func signInOptions(
        _ challenge: [UInt8], at now: Timestamp, into effects: inout [Effect]
    ) -> Answer {
        guard let party else { return .denied(.unavailable) }
        guard save(challenge, for: .signIn, at: now, into: &effects) else {
            return .denied(.tooMany)
        }
        return .signInOptions(party, challenge: challenge)
    }

    private mutating func signIn(
        _ response: SignIn, in directory: Replica, at now: Timestamp, into effects: inout [Effect]
    ) -> Answer {
        guard let party else { return .denied(.unavailable) }
        guard use(response.challenge, for: .signIn, at: now, into: &effects) else {
            return .denied(.challenge)
        }
        guard var passkey = idOfKey[response.key].flatMap({ passkeys[$0] }),
            directory.person(passkey.person) != nil,
            response.user.map({ $0 == passkey.person.raw.bytes }) ?? true
        else { return .denied(.unknown) }
        do {
            passkey.key = try response.response.verify(
                with: passkey.key, for: party, challenge: response.challenge)
        } catch {
            return .denied(.rejected(error))
        }
        save(.save(passkey), into: &effects)
        return .signedIn(passkey.person)
    }

    // MARK: Rows

    /// - Returns: false if too many challenges wait
    private mutating func save(
        _ challenge: [UInt8], for purpose: PasskeyChallenge.Purpose, at now: Timestamp,
        into effects: inout [Effect]
    ) -> Bool {
        guard challenges.count < Limits.passkeyChallengesMax else { return false }
        save(
            .saveChallenge(
                PasskeyChallenge(
                    id: Passkeys.id(of: challenge), purpose: purpose,
                    expires: now + Limits.passkeyChallengeAgeMax)),
            into: &effects)
        return true
    }

    /// Uses a challenge, which then is gone.
    ///
    /// - Returns: false if there is no such challenge for this purpose
    private mutating func use(
        _ challenge: [UInt8], for purpose: PasskeyChallenge.Purpose, at now: Timestamp,
        into effects: inout [Effect]
    ) -> Bool {
        guard let known = challenges[Passkeys.id(of: challenge)], known.purpose == purpose else {
            return false
        }
        save(.removeChallenge(known.id), into: &effects)
        return known.expires > now
    }

    private static func id(of challenge: [UInt8]) -> String { Hex.encode(Hash.sha256(challenge)) }

    private mutating func save(_ change: PasskeyChange, into effects: inout [Effect]) {
        apply(change)
        effects.append(.row(change))
    }

    private mutating func apply(_ change: PasskeyChange) {
        switch change {
        case .save(let passkey):
            passkeys[passkey.id] = passkey
            idOfKey[passkey.key.id] = passkey.id
        case .remove(let id):
            guard let old = passkeys.removeValue(forKey: id) else { return }
            idOfKey[old.key.id] = nil
        case .saveChallenge(let challenge): challenges[challenge.id] = challenge
        case .removeChallenge(let id): challenges[id] = nil
        }
    }
}
