import Directory
import MembershipCore
import Model
import Parsing
import SignOn
import TestSupport
import Testing

@Suite struct `A sign-in at a provider` {
    @Test func `goes there with state, nonce and a hidden verifier`() throws {
        let scene = try ProviderScene()
        guard case .redirect(let url)? = scene.start() else {
            Issue.record("not sent to the provider")
            return
        }
        #expect(url.hasPrefix("https://id.example.org/authorize?response_type=code&client_id=jaga"))
        #expect(url.contains("state=s1"))
        #expect(url.contains("nonce=n1"))
        #expect(!url.contains("v1"))
        #expect(scene.documentsRead == [.metadata, .keys])
        // The state itself is stored nowhere.
        #expect(!"\(scene.rows)".contains("\"s1\""))
    }

    @Test func `exchanges the code and opens a session`() throws {
        let scene = try ProviderScene()
        scene.start()
        let request = scene.comeBack()
        let call = try #require(scene.call(request))
        #expect(call.url == "https://id.example.org/token")
        #expect(call.form["code"] == "c")
        #expect(call.form["code_verifier"] == "v1")
        #expect(scene.sso.pendingRequests == [request])
        scene.handle(.exchanged(request, .token(scene.token())))
        #expect(scene.answer(request) == .signedIn(page: "/app/"))
        #expect(scene.sso.pendingRequests.isEmpty)
        let person = try #require(scene.lastPerson)
        #expect(person.name == "Dewi")
        #expect(person.signIn == .sso)
    }

    @Test func `finds the person by issuer and subject, whatever else changes`() throws {
        let scene = try ProviderScene()
        scene.signIn(1, .signIn, [("email", "a@example.org")])
        let first = try #require(scene.lastPerson)
        scene.signIn(2, .signIn, [("email", "b@example.org"), ("name", "Dewi Lestari")])
        #expect(scene.lastPerson?.id == first.id)
        #expect(scene.lastPerson?.name == "Dewi Lestari")
        // The same address of another subject is another person.
        scene.signIn(3, .signIn, [("sub", "u2"), ("email", "b@example.org")])
        #expect(scene.lastPerson?.id != first.id)
    }

    @Test func `counts once`() throws {
        let scene = try ProviderScene()
        scene.signIn()
        let request = scene.comeBack()
        #expect(scene.answer(request) == .rejected(.state))
        #expect(scene.opened.count == 1)
    }

    @Test(arguments: [nil, "other browser", ""])
    func `of another browser is rejected and goes on in its own`(browser: String?) throws {
        let scene = try ProviderScene()
        scene.start()
        let foreign = scene.comeBack(browser: browser)
        #expect(scene.answer(foreign) == .rejected(.state))
        #expect(scene.call(foreign) == nil)
        let own = scene.comeBack()
        scene.handle(.exchanged(own, .token(scene.token())))
        #expect(scene.answer(own) == .signedIn(page: "/app/"))
    }

    @Test func `ends after ten minutes, also if the clock jumps`() throws {
        let scene = try ProviderScene()
        scene.start()
        scene.now = scene.now + .seconds(600)
        #expect(scene.answer(scene.comeBack()) == .rejected(.expired))
        #expect(scene.answer(scene.comeBack()) == .rejected(.state))
        #expect(scene.opened.isEmpty)
        // The token is older than it may be.
        scene.start(2)
        let token = scene.token(2)
        let request = scene.comeBack(2)
        scene.now = scene.now + .seconds(3600)
        scene.handle(.exchanged(request, .token(token)))
        #expect(scene.answer(request) == .rejected(.token(.expired)))
    }

    @Test func `is not accepted later if the clock is set back`() throws {
        let scene = try ProviderScene()
        scene.start()
        let token = scene.token()
        let request = scene.comeBack()
        scene.now = scene.now - .seconds(3600)
        scene.handle(.exchanged(request, .token(token)))
        #expect(scene.answer(request) == .rejected(.token(.issuedInFuture)))
        #expect(scene.opened.isEmpty)
        scene.now = scene.now + .seconds(3600)
        #expect(scene.answer(scene.comeBack()) == .rejected(.state))
    }

    @Test func `survives a restart`() throws {
        let scene = try ProviderScene()
        scene.start()
        scene.restart()
        let request = scene.comeBack()
        scene.handle(.exchanged(request, .token(scene.token())))
        #expect(scene.answer(request) == .signedIn(page: "/app/"))
        scene.restart()
        scene.signIn(2)
        #expect(Set(scene.opened).count == 1)
    }

    @Test func `is broken off by the provider`() throws {
        let scene = try ProviderScene()
        scene.start()
        #expect(scene.answer(scene.comeBack(code: nil)) == .rejected(.cancelled))
        scene.start(2)
        let expired = scene.comeBack(2)
        scene.handle(.exchanged(expired, .rejected))
        #expect(scene.answer(expired) == .rejected(.code))
        scene.start(3)
        let failed = scene.comeBack(3)
        scene.handle(.exchanged(failed, .failed))
        #expect(scene.answer(failed) == .rejected(.unavailable))
        #expect(scene.opened.isEmpty)
    }

    @Test func `is not answered by another issuer`() throws {
        let scene = try ProviderScene()
        scene.metadata = ProviderScene.document([
            .init("authorization_response_iss_parameter_supported", true)
        ])
        scene.start()
        let other = "https://other.example.org"
        #expect(scene.answer(scene.comeBack(issuer: other)) == .rejected(.issuer))
        scene.start(2)
        #expect(scene.answer(scene.comeBack(2)) == .rejected(.issuer))
        scene.start(3)
        #expect(scene.answer(scene.comeBack(3, issuer: ProviderScene.issuer)) == nil)
        #expect(scene.start(4, provider: "other") == .rejected(.unknownProvider))
    }

    @Test(
        arguments: [
            ("nonce", "n2", TokenRejection.nonce), ("aud", "other", .audience),
            ("iss", "https://other.example.org", .issuer),
            ("iat", .integer(1_795_000_100), .issuedInFuture),
        ] as [(String, JSON, TokenRejection)])
    func `with a wrong token changes nothing`(
        name: String, value: JSON, reason: TokenRejection
    ) throws {
        let scene = try ProviderScene()
        let before = scene.directory.counts.people
        #expect(scene.signIn(1, .signIn, [(name, value)]) == .rejected(.token(reason)))
        #expect(scene.opened.isEmpty)
        #expect(scene.directory.counts.people == before)
        #expect(scene.rows.isEmpty)
    }

    @Test func `waits for keys that the provider has changed`() throws {
        let scene = try ProviderScene()
        scene.signIn()
        let old = scene.signer
        scene.signer = try TokenSigner(.ec2)
        scene.published = [scene.signer]
        let count = scene.documentsRead.count
        #expect(scene.signIn(2) == .signedIn(page: "/app/"))
        #expect(scene.documentsRead.count == count + 1)
        // A minute later at the earliest, keys are read for another token.
        scene.signer = old
        scene.published = [old]
        #expect(scene.signIn(3) == .rejected(.token(.unknownKey)))
        #expect(scene.documentsRead.count == count + 1)
        scene.now = scene.now + .seconds(60)
        #expect(scene.signIn(4) == .signedIn(page: "/app/"))
    }

    @Test func `with a key that nobody publishes is rejected`() throws {
        let scene = try ProviderScene()
        scene.signIn()
        scene.signer = try TokenSigner(.ec2)
        let count = scene.documentsRead.count
        #expect(scene.signIn(2) == .rejected(.token(.unknownKey)))
        #expect(scene.signIn(3) == .rejected(.token(.unknownKey)))
        #expect(scene.documentsRead.count == count + 1)
        #expect(scene.opened.count == 1)
    }

    @Test func `waits for a provider that is read for the first time`() throws {
        let scene = try ProviderScene()
        scene.metadata = nil
        #expect(scene.start() == .rejected(.unavailable))
        #expect(scene.sso.failures.map(\.provider) == ["campus"])
        // The provider is back, and is asked again after 5 s.
        scene.metadata = ProviderScene.document()
        #expect(scene.start(2) == .rejected(.unavailable))
        scene.now = scene.now + .seconds(5)
        guard case .redirect? = scene.start(3) else {
            Issue.record("not sent to the provider")
            return
        }
        #expect(scene.sso.failures.isEmpty)
    }

    @Test func `reads keys hourly and metadata daily`() throws {
        let scene = try ProviderScene()
        scene.handle(.tick)
        #expect(scene.documentsRead == [.metadata, .keys])
        scene.handle(.tick)
        #expect(scene.documentsRead.count == 2)
        #expect(scene.sso.nextDeadline == scene.now + .seconds(3600))
        scene.now = scene.now + .seconds(3600)
        scene.handle(.tick)
        #expect(scene.documentsRead == [.metadata, .keys, .keys])
        scene.now = scene.now + .seconds(86_400)
        scene.handle(.tick)
        #expect(scene.documentsRead.suffix(2) == [.metadata, .keys])
    }

    @Test func `of somebody unknown needs sign-up`() throws {
        let scene = try ProviderScene { $0.allowsSignUp = false }
        #expect(scene.signIn() == .rejected(.noAccount))
        let open = try ProviderScene()
        let names: [(String, JSON)] = [("name", .null)]
        #expect(open.signIn(1, .signIn, names) == .rejected(.noName))
        let hidden: [(String, JSON)] = [("name", "\u{202E}Dewi")]
        #expect(open.signIn(2, .signIn, hidden) == .rejected(.noName))
    }
}

@Suite struct `Joining an identity` {
    @Test func `needs the person, once`() throws {
        let scene = try ProviderScene { $0.allowsSignUp = false }
        #expect(scene.signIn(1, .join(person(1))) == .joined(page: "/app/"))
        #expect(scene.opened.isEmpty)
        #expect(scene.sso.identities(of: person(1)).map(\.key.subject) == ["u1"])
        // Name and contact points stay those of the person.
        #expect(scene.directory.person(person(1))?.name == "Anna")
        #expect(scene.signIn(2) == .signedIn(page: "/app/"))
        #expect(scene.opened == [person(1)])
        #expect(scene.signIn(3, .join(person(2))) == .rejected(.taken))
        #expect(scene.signIn(4, .join(person(1))) == .joined(page: "/app/"))
    }

    @Test func `ends with the person`() throws {
        let scene = try ProviderScene { $0.allowsSignUp = false }
        scene.signIn(1, .join(person(1)))
        scene.signIn(2)
        scene.start(3, .join(person(1)))
        scene.directory.apply(.personRemoved(PersonRemoval(person: person(1))))
        scene.handle(.personRemoved(person(1)))
        #expect(scene.rows.isEmpty)
        #expect(scene.signIn(4) == .rejected(.noAccount))
    }
}

@Suite struct `Claims of a provider` {
    private let mail: [(String, JSON)] = [
        ("email", "dewi@example.org"), ("email_verified", true),
        ("phone_number", "+60 12-345 6789"),
        ("phone_number_verified", true),
    ]

    @Test func `verify contact points if the operator trusts it`() throws {
        let scene = try ProviderScene { $0.trustedChannels = [.email] }
        scene.signIn(1, .signIn, mail)
        let contacts = try #require(scene.lastPerson).contacts
        #expect(contacts.map(\.address) == ["dewi@example.org", "+60123456789"])
        #expect(contacts.map { $0.verified != nil } == [true, false])
        let unproven = try ProviderScene { $0.trustedChannels = [.email] }
        unproven.signIn(1, .signIn, [("email", "dewi@example.org")])
        #expect(unproven.lastPerson?.contacts.map { $0.verified } == [nil])
    }

    @Test func `replace contact points that came from it`() throws {
        let scene = try ProviderScene { $0.trustedChannels = [.email] }
        scene.signIn(1, .signIn, mail)
        var person = try #require(scene.lastPerson)
        person.contacts.append(
            ContactPoint(id: ContactID(.zero), channel: .email, address: "own@example.org"))
        scene.directory.apply(.personChanged(person))
        scene.signIn(2, .signIn, [("email", "new@example.org"), ("email_verified", "true")])
        let addresses = scene.lastPerson?.contacts.map(\.address)
        #expect(addresses == ["own@example.org", "new@example.org"])
    }

    @Test func `change nothing if they are the same`() throws {
        let scene = try ProviderScene()
        scene.signIn(1, .signIn, mail)
        let version = scene.lastPerson?.version
        scene.signIn(2, .signIn, mail)
        #expect(scene.lastPerson?.version == version)
    }

    @Test func `make staff, and take it back`() throws {
        let scene = try ProviderScene {
            $0.staff = [
                .init(group: "duty", role: .officer), .init(group: "root", role: .operator),
            ]
        }
        scene.signIn(1, .signIn, [("groups", ["duty", "x"])])
        #expect(scene.lastPerson?.staff == .officer)
        scene.signIn(2, .signIn, [("groups", ["duty", "root"])])
        #expect(scene.lastPerson?.staff == .operator)
        scene.signIn(3)
        #expect(scene.lastPerson?.staff == nil)
    }

    @Test func `do not touch staff if the provider is not named for it`() throws {
        let scene = try ProviderScene()
        scene.signIn(1, .signIn, [("groups", ["duty", "operator"])])
        var person = try #require(scene.lastPerson)
        #expect(person.staff == nil)
        person.staff = .officer
        scene.directory.apply(.personChanged(person))
        scene.signIn(2)
        #expect(scene.lastPerson?.staff == .officer)
    }

    @Test func `invite to circles, and end the invitation`() throws {
        let scene = try ProviderScene {
            $0.circles = [.init(group: "crew", circle: circle(1), role: .guardian)]
        }
        let admin = Membership(
            person: person(1), role: .admin, joined: scene.now, trackerID: "AN")
        scene.directory.apply(
            .circleChanged(Circle(id: circle(1), name: "Crew", members: [admin])))
        func membership() -> Membership? {
            scene.directory.circle(circle(1))?.members.first { $0.person == scene.lastPerson?.id }
        }
        scene.signIn(1, .signIn, [("groups", ["crew"])])
        // Nobody is put into a circle without accepting.
        #expect(membership()?.joined == nil)
        #expect(membership()?.role == .guardian)
        // Who has left is not invited again.
        var crew = try #require(scene.directory.circle(circle(1)))
        let me = try #require(membership())
        crew.members.removeAll { $0.person == me.person }
        scene.directory.apply(.circleChanged(crew))
        scene.signIn(2, .signIn, [("groups", ["crew"])])
        #expect(membership() == nil)
        // Who is out of the group is out of the circle.
        scene.signIn(3)
        scene.signIn(4, .signIn, [("groups", "crew")])
        #expect(membership() != nil)
        scene.signIn(5)
        #expect(membership() == nil)
        #expect(scene.directory.circle(circle(1))?.members == [admin])
    }
}

@Suite struct `A logout by a provider` {
    @Test func `ends the session that it names, once`() throws {
        let scene = try ProviderScene()
        scene.signIn()
        scene.signIn(2, .signIn, [("sid", "p2")])
        #expect(scene.logout() == .loggedOut(sessions: 1))
        #expect(scene.ended.count == 1)
        #expect(scene.logout() == .rejected(.replayed))
        scene.restart()
        #expect(scene.logout() == .rejected(.replayed))
        #expect(scene.logout([("jti", "j2")]) == .loggedOut(sessions: 0))
        #expect(scene.ended.count == 1)
    }

    @Test func `ends all sessions of a subject`() throws {
        let scene = try ProviderScene()
        scene.signIn()
        scene.signIn(2, .signIn, [("sid", "p2")])
        scene.signIn(3, .signIn, [("sub", "u2"), ("sid", "p3")])
        #expect(scene.logout([("sid", .null), ("sub", "u1")]) == .loggedOut(sessions: 2))
    }

    @Test func `is rejected if it is no logout token of the provider`() throws {
        let scene = try ProviderScene()
        scene.signIn()
        #expect(scene.logout([("nonce", "n")]) == .rejected(.token(.nonce)))
        #expect(scene.logout([("events", [:])]) == .rejected(.token(.events)))
        #expect(scene.logout([("aud", "other")]) == .rejected(.token(.audience)))
        #expect(scene.ended.isEmpty)
    }

    @Test func `is forgotten when it is too old to be used again`() throws {
        let scene = try ProviderScene()
        scene.signIn()
        _ = scene.logout()
        scene.now = scene.now + .seconds(3600)
        scene.handle(.tick)
        #expect(!scene.rows.keys.contains { $0.hasPrefix("token") })
        let late: [(String, JSON)] = [("iat", .integer(scene.now.seconds - 3600))]
        #expect(scene.logout(late) == .rejected(.token(.issuedLongAgo)))
    }

    @Test func `that starts here names the provider's page`() throws {
        let scene = try ProviderScene()
        scene.signIn()
        let session = scene.rows.values.lazy.compactMap { row in
            if case .saveSession(let session) = row { session.id } else { nil }
        }.first
        let request = scene.nextRequest()
        scene.handle(.signOut(request, session: session, landing: "https://jaga.example.org/"))
        guard case .signedOut(let url?)? = scene.answer(request) else {
            Issue.record("no page of the provider")
            return
        }
        #expect(url.hasPrefix("https://id.example.org/end?id_token_hint=ey"))
        #expect(
            url.hasSuffix("&post_logout_redirect_uri=https%3A%2F%2Fjaga.example.org%2F"))
        let again = scene.nextRequest()
        scene.handle(.signOut(again, session: session, landing: "https://jaga.example.org/"))
        #expect(scene.answer(again) == .signedOut(url: nil))
    }

    @Test func `forgets sessions that ended in another way`() throws {
        let scene = try ProviderScene()
        scene.signIn()
        var effects: [SingleSignOn.Effect] = []
        scene.sso.removeEnded(isOpen: { _, _ in true }, into: &effects)
        #expect(effects.isEmpty)
        scene.sso.removeEnded(isOpen: { _, _ in false }, into: &effects)
        #expect(effects.count == 1)
    }
}
