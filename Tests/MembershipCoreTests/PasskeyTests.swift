import Directory
import Hashing
import MembershipCore
import Model
import Parsing
import SignOn
import TestSupport
import Testing

/// The challenge of the fixed responses in `Tests/SignOnTests/Golden`.
private let challenge = Array(UInt8(100)..<132)

/// ``Passkeys`` with the fixed responses of an authenticator.
private final class PasskeyScene {
    var passkeys: Passkeys
    var directory = Replica()
    var now = Timestamp(seconds: 1_795_000_000)
    private(set) var opened: [PersonID] = []
    private(set) var rows: [PasskeyChange] = []
    private let golden: JSON

    init(url: String = "https://jaga.example.org") throws {
        passkeys = Passkeys(party: RelyingParty(publicURL: url))
        golden = try TokenSigner.golden("passkeys")
        for number in 1...2 {
            directory.apply(.personChanged(Person(id: person(number), name: "Anna")))
        }
    }

    func ask(_ input: (RequestID) -> Passkeys.Input) -> Passkeys.Answer? {
        var effects: [Passkeys.Effect] = []
        passkeys.handle(input(1), in: directory, at: now, into: &effects)
        var found: Passkeys.Answer?
        for effect in effects {
            switch effect {
            case .row(let change): rows.append(change)
            case .openSession(_, let person): opened.append(person)
            case .answer(_, let answer): found = answer
            }
        }
        return found
    }

    private func bytes(_ vector: String, _ name: String) -> [UInt8] {
        golden[vector]?[name]?.string.flatMap { Base64.decode($0, alphabet: .url) } ?? []
    }

    func registrationOptions(of number: Int = 1) -> Passkeys.Answer? {
        ask { .registrationOptions($0, person(number), challenge: challenge) }
    }

    func register(_ number: Int = 1, id: UInt64 = 1) -> Passkeys.Answer? {
        ask {
            .register(
                $0,
                Passkeys.Registration(
                    person: person(number), id: PasskeyID(ID128(high: 7, low: id)), name: "Phone",
                    challenge: challenge,
                    response: PasskeyRegistration(
                        clientData: bytes("reg_es256", "cd"),
                        authenticatorData: bytes("reg_es256", "ad"))))
        }
    }

    func signInOptions() -> Passkeys.Answer? { ask { .signInOptions($0, challenge: challenge) } }

    func signIn(
        user: [UInt8]? = person(1).raw.bytes, key: [UInt8] = Array(0..<32)
    ) -> Passkeys.Answer? {
        ask {
            .signIn(
                $0,
                Passkeys.SignIn(
                    key: key, user: user, challenge: challenge,
                    response: PasskeyAssertion(
                        clientData: bytes("get_es256", "cd"),
                        authenticatorData: bytes("get_es256", "ad"),
                        signature: bytes("get_es256", "sig"))))
        }
    }
}

@Suite struct `A person's passkey` {
    @Test func `is registered and signs in`() throws {
        let scene = try PasskeyScene()
        _ = scene.registrationOptions()
        guard case .registered(let passkey)? = scene.register() else {
            Issue.record("not registered")
            return
        }
        #expect(passkey.person == person(1))
        #expect(scene.passkeys.passkeys(of: person(1)) == [passkey])
        _ = scene.signInOptions()
        #expect(scene.signIn() == .signedIn(person(1)))
        #expect(scene.opened == [person(1)])
    }

    @Test func `uses a challenge once, and for one purpose`() throws {
        let scene = try PasskeyScene()
        #expect(scene.register() == .denied(.challenge))
        _ = scene.signInOptions()
        #expect(scene.register() == .denied(.challenge))
        _ = scene.registrationOptions(of: 2)
        #expect(scene.register() == .denied(.challenge))
        _ = scene.registrationOptions()
        _ = scene.register()
        #expect(scene.register() == .denied(.challenge))
        #expect(scene.signIn() == .denied(.challenge))
        _ = scene.signInOptions()
        #expect(scene.signIn(user: [1]) == .denied(.unknown))
        #expect(scene.signIn() == .denied(.challenge))
        #expect(scene.opened.isEmpty)
    }

    @Test func `is too late after five minutes`() throws {
        let scene = try PasskeyScene()
        _ = scene.registrationOptions()
        scene.now = scene.now + .seconds(300)
        #expect(scene.register() == .denied(.challenge))
        _ = scene.registrationOptions()
        scene.now = scene.now + .seconds(300)
        _ = scene.ask { _ in .tick }
        #expect(scene.rows.contains { if case .removeChallenge = $0 { true } else { false } })
    }

    @Test func `belongs to one person`() throws {
        let scene = try PasskeyScene()
        _ = scene.registrationOptions()
        _ = scene.register()
        _ = scene.registrationOptions(of: 2)
        #expect(scene.register(2, id: 2) == .denied(.known))
        let id = PasskeyID(ID128(high: 7, low: 1))
        #expect(scene.ask { .remove($0, id, of: person(2)) } == .denied(.unknown))
        #expect(scene.ask { .remove($0, id, of: person(1)) } == .removed)
        _ = scene.signInOptions()
        #expect(scene.signIn() == .denied(.unknown))
    }

    @Test func `that was copied does not sign in`() throws {
        let scene = try PasskeyScene()
        _ = scene.registrationOptions()
        _ = scene.register()
        _ = scene.signInOptions()
        _ = scene.signIn()
        _ = scene.signInOptions()
        #expect(scene.signIn() == .denied(.rejected(.counter)))
        #expect(scene.opened.count == 1)
    }

    @Test func `ends with its person and survives a restart`() throws {
        let scene = try PasskeyScene()
        _ = scene.registrationOptions()
        _ = scene.register()
        let saved = scene.rows.filter { if case .save = $0 { true } else { false } }
        scene.passkeys = Passkeys(party: scene.passkeys.party, rows: saved)
        #expect(scene.passkeys.passkeys(of: person(1)).count == 1)
        _ = scene.ask { _ in .personRemoved(person(1)) }
        #expect(scene.passkeys.passkeys(of: person(1)).isEmpty)
    }

    @Test func `needs https with a name`() throws {
        let scene = try PasskeyScene(url: "http://192.0.2.7")
        #expect(scene.registrationOptions() == .denied(.unavailable))
        #expect(scene.signInOptions() == .denied(.unavailable))
    }
}
