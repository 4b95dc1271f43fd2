import Directory
import MembershipCore
import Model
import Testing

@Suite struct `A credential of a person` {
    private func expires(_ answer: Answer) -> Timestamp? {
        if case .credential(let credential) = answer { credential.expires } else { nil }
    }

    @Test func `is created by the person alone`() {
        let scene = Scene()
        for kind in [CredentialKind.person, .help] {
            let change = Change.createCredential(
                person(1), credential(1), CredentialTerms(kind: kind, name: "script"))
            #expect(scene.ask(.operator, change).denial == .personOnly)
            #expect(scene.ask(ben, change).denial == .notYours)
            #expect(
                scene.ask(.device(device(1), of: person(1)), change).denial == .notYours)
            #expect(scene.ask(anna, change).rejection == nil)
            let made = scene.core.directory.credential(credential(1).id)
            #expect(made?.kind == kind && made?.name == "script" && made?.created == scene.now)
        }
    }

    @Test(arguments: [CredentialKind.report, .session, .monitor, .operator])
    func `is of kind person or help`(kind: CredentialKind) {
        let change = Change.createCredential(
            person(1), credential(1), CredentialTerms(kind: kind))
        let rejection = Scene().ask(anna, change).rejection
        #expect(rejection?.reason == .invalid && rejection?.field == "kind")
    }

    @Test func `of kind person expires within a year, after 90 days by default`() {
        let scene = Scene()
        func create(_ kind: CredentialKind, _ days: Int64?) -> Answer {
            scene.ask(
                anna,
                .createCredential(
                    person(1), credential(1),
                    CredentialTerms(
                        kind: kind, expires: days.map { scene.now + .seconds($0 * 86_400) })))
        }
        #expect(expires(create(.person, nil)) == scene.now + .seconds(90 * 86_400))
        #expect(expires(create(.person, 365)) == scene.now + .seconds(365 * 86_400))
        #expect(create(.person, 366).rejection?.field == "expires")
        #expect(create(.person, 0).rejection?.field == "expires")
        #expect(create(.help, nil).rejection == nil)
        #expect(expires(create(.help, nil)) == nil)
        #expect(create(.help, 4000).rejection == nil)
    }

    @Test func `is no credential once it has expired, and is removed`() {
        let scene = Scene()
        let end = scene.now + .seconds(60)
        scene.ask(
            anna,
            .createCredential(person(1), credential(1), CredentialTerms(expires: end)))
        let directory = scene.core.directory
        #expect(directory.principal(tokenHash: "h1", at: end - .seconds(1)) == anna)
        #expect(directory.principal(tokenHash: "h1", at: end) == nil)
        var effects: [Effect] = []
        scene.core.handle(.removeExpired, at: end - .seconds(1), into: &effects)
        #expect(effects.isEmpty)
        scene.core.handle(.removeExpired, at: end, into: &effects)
        #expect(
            effects == [
                .record(.credentialRemoved(CredentialRemoval(credential: credential(1).id)))
            ])
    }
}

@Suite struct `An activation code` {
    private func scene() -> Scene {
        let scene = Scene()
        var effects: [Effect] = []
        scene.core.handle(.issueActivation(person(1), hash: "code"), at: scene.now, into: &effects)
        return scene
    }

    private func activate(_ number: Int = 1, _ code: String = "code") -> Change {
        .activate(person(number), code: code, credential(1), CredentialTerms(name: "first"))
    }

    @Test func `creates the first credential, once`() {
        let scene = scene()
        #expect(scene.ask(anna, activate()).rejection == nil)
        #expect(scene.core.directory.principal(tokenHash: "h1", at: scene.now) == anna)
        #expect(scene.ask(anna, activate()).rejection?.field == "code")
    }

    @Test func `is of one person, and unknown people get the same response`() {
        let scene = scene()
        let wrong = scene.ask(anna, activate(1, "edoc")).rejection
        #expect(wrong?.field == "code")
        #expect(scene.ask(ben, activate(2)).rejection == wrong)
        #expect(scene.ask(.person(person(99)), activate(99)).rejection == wrong)
        #expect(scene.ask(anna, activate(1, "")).rejection == wrong)
        #expect(scene.ask(anna, activate(1, "code0")).rejection == wrong)
    }

    @Test func `expires after a week`() {
        let scene = scene()
        scene.now = scene.now + Limits.activationAgeMax
        #expect(scene.ask(anna, activate()).rejection?.field == "code")
    }

    @Test func `is void once the person has a credential, but not by a phone`() {
        let scene = scene()
        scene.ask(
            .operator, .createDevice(person(1), device(1), deviceNamed("Phone"), credential(5)))
        var effects: [Effect] = []
        scene.core.handle(
            .openSession(person(1), credential(6), name: ""), at: scene.now, into: &effects)
        #expect(effects.contains(.activation(.remove(person(1)))))
        #expect(scene.ask(anna, activate()).rejection?.field == "code")
    }
}

@Suite struct `A session` {
    private let scene = Scene()

    private func open(_ number: Int, of who: PersonID = person(1)) -> [Effect] {
        var effects: [Effect] = []
        scene.core.handle(
            .openSession(who, credential(number), name: "Firefox on Linux"), at: scene.now,
            into: &effects)
        return effects
    }

    private func rotate(_ old: Int, to new: Int) -> [Effect] {
        var effects: [Effect] = []
        scene.core.handle(
            .rotateSession(credential(old).id, credential(new)), at: scene.now, into: &effects)
        return effects
    }

    private func principal(_ hash: String) -> Principal? {
        scene.core.directory.principal(tokenHash: hash, at: scene.now)
    }

    private func list(_ who: PersonID = person(1)) -> [Session] {
        scene.core.sessions.sessions(of: who, in: scene.core.directory)
    }

    @Test func `authenticates its person until it was not used for 90 days`() {
        #expect(open(1).count == 2)
        #expect(principal("h1") == anna)
        #expect(list().map(\.name) == ["Firefox on Linux"])
        scene.now = scene.now + .seconds(90 * 86_400 - 1)
        #expect(principal("h1") == anna)
        scene.now = scene.now + .seconds(1)
        #expect(principal("h1") == nil)
    }

    @Test func `of staff ends after 8 hours without use`() {
        var staff = Person(id: person(1), name: "Anna", version: 2)
        staff.staff = .officer
        var directory = scene.core.directory
        directory.apply(.personChanged(staff))
        scene.core = MembershipCore(directory: directory)
        _ = open(1)
        #expect(
            scene.core.directory.credential(credential(1).id)?.expires
                == scene.now + .seconds(8 * 3600))
    }

    @Test func `gets another credential in the second half of its time`() throws {
        _ = open(1)
        scene.now = scene.now + .seconds(45 * 86_400 - 1)
        #expect(rotate(1, to: 2).isEmpty, "too early")
        scene.now = scene.now + .seconds(1)
        #expect(!rotate(1, to: 2).isEmpty)
        #expect(principal("h1") == anna && principal("h2") == anna, "requests on their way")
        #expect(rotate(1, to: 3).isEmpty, "one rotation is enough")
        #expect(list().map(\.id) == [credential(1).id], "it is the same session")
        scene.now = scene.now + Limits.sessionOverlap
        #expect(principal("h1") == nil && principal("h2") == anna)
        var effects: [Effect] = []
        scene.core.handle(.removeExpired, at: scene.now, into: &effects)
        #expect(list().first?.former == nil && list().first?.credential == credential(2).id)
        #expect(scene.core.directory.credential(credential(1).id) == nil)
        scene.now = scene.now + .seconds(90 * 86_400)
        #expect(principal("h2") == nil)
    }

    @Test func `is ended by its person, with its former credential`() {
        _ = open(1)
        _ = open(5, of: person(2))
        scene.now = scene.now + .seconds(60 * 86_400)
        _ = rotate(1, to: 2)
        #expect(scene.ask(ben, .endSession(credential(1).id)).rejection?.reason == .missing)
        #expect(scene.ask(.operator, .endSession(credential(1).id)).denial == .personOnly)
        #expect(scene.ask(anna, .endSession(credential(1).id)) == .gone)
        #expect(principal("h1") == nil && principal("h2") == nil && list().isEmpty)
        #expect(principal("h5") == ben)
        #expect(scene.sessions.last == .remove(credential(1).id))
    }

    @Test func `ends when its credential is revoked`() {
        _ = open(1)
        scene.now = scene.now + .seconds(60 * 86_400)
        _ = rotate(1, to: 2)
        #expect(scene.ask(anna, .removeCredential(person(1), credential(2).id)) == .gone)
        #expect(principal("h1") == nil && principal("h2") == nil && list().isEmpty)
    }

    @Test func `ends with all others, or with all but one`() {
        for number in 1...4 { _ = open(number) }
        scene.ask(anna, .endSessions(besides: credential(3).id))
        #expect(list().map(\.id) == [credential(3).id])
        scene.ask(anna, .endSessions(besides: nil))
        #expect(list().isEmpty && principal("h3") == nil)
    }

    @Test func `ends when it is the oldest of too many, or its person is gone`() {
        for number in 1...Limits.sessionsPerPersonMax {
            scene.now = scene.now + .seconds(1)
            _ = open(number)
        }
        #expect(list().count == Limits.sessionsPerPersonMax && principal("h1") == anna)
        _ = open(100)
        #expect(list().count == Limits.sessionsPerPersonMax)
        #expect(principal("h1") == nil && principal("h2") == anna && principal("h100") == anna)
        scene.ask(.operator, .removePerson(person(1)))
        #expect(scene.core.sessions.count == 0 && principal("h100") == nil)
    }

    @Test func `of an unknown person is not opened`() {
        #expect(open(1, of: person(9)).isEmpty)
    }
}
