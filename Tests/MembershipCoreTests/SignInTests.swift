import Directory
import MembershipCore
import Model
import Testing

/// Signing in by one-time codes.
@Suite struct SignInTests {
    private let scene: Scene
    private static let number = SignInContact(.sms, "+15550000101")
    private static let mail = SignInContact(.email, "Anna@Example.org")
    private static let stranger = SignInContact(.sms, "+15550000999")

    init() {
        scene = Scene()
        own(1, "+15550000101")
        own(1, "+15550000101", "anna@example.org")
    }

    /// Gives a person contact points for which the operator vouches.
    private func own(_ number: Int, _ addresses: String..., signIn: SignInKind = .code) {
        let patch = personPatch {
            $0.contacts = addresses.enumerated().map { index, address in
                contact(
                    10 * number + index, address, address.contains("@") ? .email : .sms,
                    vouched: true)
            }
            $0.signIn = signIn
        }
        scene.ask(.operator, .updatePerson(person(number), patch))
    }

    private func network(_ number: Int) -> NetworkKey {
        NetworkKey("network \(number)")
    }

    @discardableResult
    private func request(
        _ contact: SignInContact = number, _ digest: Int = 1, from network: Int = 1
    ) -> Answer {
        scene.handle(
            .signInCode(
                SignInCodeRequest(
                    request: 1, contact: contact, network: self.network(network),
                    code: code(digest))))
    }

    @discardableResult
    private func enter(
        _ digest: Int, _ contact: SignInContact = number, person chosen: Int? = nil,
        name: String? = nil, from network: Int = 1
    ) -> Answer {
        scene.handle(
            .enterSignInCode(
                SessionRequest(
                    request: 2, contact: contact, network: self.network(network),
                    code: code(digest), person: chosen.map(person), name: name,
                    session: credential(77), newPerson: person(50), newContact: contactID(50))))
    }

    /// Restarts with the rows that were written so far.
    private func restart(policy: SignInCodes.Policy = .init(), _ changes: [SignInChange]) {
        var codes: [ContactPointKey: SignInCode] = [:]
        var attempts: [SignInAttempt] = []
        for change in changes {
            switch change {
            case .save(let code): codes[code.contact] = code
            case .remove(let contact): codes[contact] = nil
            case .attempted(let attempt): attempts.append(attempt)
            case .forgotten(let end): attempts.removeAll { $0.at <= end }
            }
        }
        scene.core = MembershipCore(
            directory: scene.core.directory,
            signIn: SignInCodes(policy, pending: Array(codes.values), attempts: attempts))
    }

    private func tooOften(_ answer: Answer) -> Duration? {
        if case .tooOften(let wait)? = answer.rejection?.reason { wait } else { nil }
    }

    // MARK: Codes

    @Test func `a code to a verified contact point opens a session`() throws {
        #expect(request() == .signInCodeRequested)
        #expect(scene.notices.map(\.content) == [.signInCode])
        #expect(scene.notices.map(\.address) == ["+15550000101"])
        #expect(scene.notices.map(\.expires) == [scene.now + .seconds(600)])
        let session = try #require(enter(1).session)
        #expect(session.person.id == person(1))
        #expect(session.credential.kind == .session)
        #expect(session.credential.person == person(1) && session.credential.device == nil)
        #expect(session.credential.expires == scene.now + .seconds(90 * 86_400))
        #expect(
            scene.core.directory.principal(
                tokenHash: session.credential.hash, at: scene.now) == .person(person(1))
        )
    }

    @Test func `the other contact points are warned of a new session`() {
        request()
        enter(1)
        #expect(scene.notices.map(\.content) == [.newSession])
        #expect(scene.notices.map(\.address) == ["anna@example.org"])
    }

    @Test func `mail addresses are compared without case`() {
        request(Self.mail)
        #expect(scene.notices.map(\.content) == [.signInCode])
        #expect(enter(1, SignInContact(.email, "ANNA@example.ORG")).session != nil)
    }

    @Test func `a code is used once`() {
        request()
        enter(1)
        #expect(enter(1) == .signInFailed)
    }

    @Test func `a code is valid for ten minutes, and not a moment longer`() {
        request()
        let sent = scene.now
        scene.now = sent + .seconds(600)
        #expect(enter(1) == .signInFailed)
        scene.now = sent + .seconds(600) - .milliseconds(1)
        #expect(enter(1).session != nil)
    }

    @Test func `five wrong codes make it void`() {
        request()
        for _ in 0..<4 { #expect(enter(9) == .signInFailed) }
        #expect(enter(1).session != nil)
        request(Self.number, 2)
        for _ in 0..<5 { #expect(enter(9) == .signInFailed) }
        #expect(enter(2) == .signInFailed)
    }

    @Test func `a new code replaces the pending one`() {
        request(Self.number, 1)
        request(Self.number, 2)
        #expect(enter(1) == .signInFailed)
        #expect(enter(2).session != nil)
    }

    @Test func `a clock that was set back makes a code void instead of longer valid`() {
        request()
        scene.now = scene.now - .seconds(61)
        #expect(enter(1) == .signInFailed)
        scene.now = scene.now + .seconds(61)
        #expect(enter(1).session != nil, "it is right again")
        request(Self.number, 2)
        scene.now = scene.now + .seconds(86_400)
        #expect(enter(2) == .signInFailed)
    }

    @Test func `codes, tries and limits survive a restart`() {
        var changes: [SignInChange] = []
        request()
        changes += scene.signIn
        for _ in 0..<4 {
            enter(9)
            changes += scene.signIn
        }
        restart(changes)
        enter(9)
        changes += scene.signIn
        #expect(enter(1) == .signInFailed, "the fifth try was used")
        for digest in 2...5 {
            request(Self.number, digest)
            changes += scene.signIn
        }
        restart(changes)
        #expect(tooOften(request(Self.number, 6)) == .seconds(3600))
        restart(changes)
        #expect(enter(5).session != nil)
    }

    @Test func `an unverified contact point signs nobody in`() {
        scene.ask(
            ben, .updatePerson(person(2), personPatch { $0.contacts = [contact(5, "+15558")] }))
        let unverified = SignInContact(.sms, "+15558")
        #expect(request(unverified) == .signInCodeRequested)
        #expect(scene.notices.map(\.content) == [.decoy])
        #expect(enter(1, unverified) == .signInFailed)
    }

    // MARK: Unknown contacts

    @Test func `an unknown contact causes the same answers and the same rows`() {
        let shared = SignInContact(.sms, "+15550000103")
        own(2, "+15550000103")
        own(3, "+15550000103")
        func shape() -> [String] {
            scene.signIn.map { change in
                switch change {
                case .save(let code): "save \(code.code.triesLeft) \(code.code.expires)"
                case .remove: "remove"
                case .attempted(let attempt): "attempted \(attempt.kind)"
                case .forgotten: "forgotten"
                }
            }
        }
        var shapes: Set<[String]> = []
        for contact in [Self.number, Self.stranger, shared] {
            #expect(request(contact, from: 5) == .signInCodeRequested)
            #expect(scene.notices.count == 1, "one message is published")
            shapes.insert(shape())
        }
        #expect(shapes.count == 1)
        shapes = []
        for contact in [Self.number, Self.stranger, shared] {
            #expect(enter(9, contact, from: 5) == .signInFailed)
            #expect(scene.notices.isEmpty && scene.published.isEmpty)
            shapes.insert(shape())
        }
        #expect(shapes.count == 1)
        #expect(enter(1, Self.stranger) == .signInFailed, "even a guessed code opens nothing")
    }

    @Test func `limits count the same for known and unknown contacts`() {
        for contact in [Self.number, Self.stranger] {
            for count in 1...6 {
                #expect((tooOften(request(contact)) == nil) == (count <= 5))
            }
        }
    }

    @Test func `a person who signs in elsewhere gets no code`() {
        own(1, "+15550000101", signIn: .sso)
        #expect(request() == .signInCodeRequested)
        #expect(scene.notices.map(\.content) == [.decoy])
        #expect(enter(1) == .signInFailed)
        restart(policy: SignInCodes.Policy(allowsSignUp: true), [])
        request()
        #expect(scene.notices.map(\.content) == [.decoy], "the contact has an account")
        #expect(enter(1, name: "Mallory") == .signInFailed)
    }

    // MARK: Limits

    @Test func `a contact gets five codes an hour and fifteen a day`() {
        let start = scene.now
        for hour in 0..<3 {
            scene.now = start + .seconds(Int64(hour) * 3600)
            for _ in 0..<5 { #expect(request(from: hour) == .signInCodeRequested) }
            #expect(tooOften(request(from: 9)) != nil)
        }
        scene.now = start + .seconds(3 * 3600)
        #expect(tooOften(request(from: 9)) == .seconds(21 * 3600))
        scene.now = start + .seconds(24 * 3600)
        #expect(request(from: 9) == .signInCodeRequested)
    }

    @Test func `a network gets a limited number of codes an hour`() {
        restart(policy: SignInCodes.Policy(codesPerNetworkMax: 3), [])
        for number in 1...3 {
            #expect(request(SignInContact(.sms, "+1555700\(number)")) == .signInCodeRequested)
        }
        #expect(tooOften(request()) == .seconds(3600))
        #expect(request(from: 2) == .signInCodeRequested)
        scene.now = scene.now + .seconds(3600)
        #expect(request() == .signInCodeRequested)
    }

    @Test func `a network enters at most thirty wrong codes an hour`() {
        for _ in 0..<30 { #expect(enter(9, Self.stranger) == .signInFailed) }
        request()
        #expect(tooOften(enter(1)) != nil)
        #expect(enter(1, from: 2).session != nil)
    }

    @Test func `all codes by SMS have one limit, without an answer that tells`() {
        restart(policy: SignInCodes.Policy(textsPerHourMax: 2), [])
        own(2, "+15550000102")
        own(3, "+15550000103")
        request(SignInContact(.sms, "+15550000102"))
        request(Self.stranger)
        request(SignInContact(.sms, "+15550000103"))
        #expect(scene.notices.map(\.content) == [.signInCode], "strangers do not count")
        #expect(request() == .signInCodeRequested)
        #expect(scene.notices.map(\.content) == [.decoy])
        request(Self.mail)
        #expect(scene.notices.map(\.content) == [.signInCode], "mail has no such limit")
        scene.now = scene.now + .seconds(3600)
        request()
        #expect(scene.notices.map(\.content) == [.signInCode])
    }

    // MARK: Several people, new accounts

    @Test func `several people with one contact choose after a right code`() {
        own(2, "+15550000101")
        request()
        #expect(enter(9, person: 2) == .signInFailed)
        guard case .choosePerson(let people) = enter(1) else {
            Issue.record("no choice")
            return
        }
        #expect(people.map(\.id) == [person(1), person(2)])
        #expect(enter(1, person: 3) == .signInFailed, "not one of them")
        #expect(enter(1, person: 2).session?.person.id == person(2))
        #expect(enter(1, person: 1) == .signInFailed, "it is used")
    }

    @Test func `a stranger gets an account only if the operator allows it`() throws {
        request(Self.stranger)
        #expect(enter(1, Self.stranger, name: "Dora") == .signInFailed)
        restart(policy: SignInCodes.Policy(allowsSignUp: true), [])
        request(Self.stranger)
        #expect(scene.notices.map(\.content) == [.signInCode])
        #expect(enter(1, Self.stranger) == .nameNeeded)
        let session = try #require(enter(1, Self.stranger, name: "Dora").session)
        #expect(session.person.id == person(50))
        let dora = try #require(scene.core.directory.person(person(50)))
        #expect(dora.name == "Dora")
        #expect(dora.contacts.map(\.address) == ["+15550000999"])
        #expect(dora.contacts.first?.verified == scene.now)
        request(Self.stranger, 2)
        #expect(enter(2, Self.stranger).session?.person.id == person(50), "known from now on")
    }

    @Test func `staff have short sessions`() throws {
        var staff = try #require(scene.core.directory.person(person(1)))
        staff.staff = .operator
        var directory = Replica()
        directory.apply(.personChanged(staff))
        scene.core = MembershipCore(directory: directory)
        request()
        let session = try #require(enter(1).session)
        #expect(session.credential.expires == scene.now + .seconds(8 * 3600))
        #expect(scene.sessions.count == 1)
    }
}
