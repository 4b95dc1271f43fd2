import Foundation
import Parsing
import Runtime
import TestSupport
import Testing

@testable import MembershipDaemon

/// The real process with a real provider.
private final class SignInWorld {
    let jaga: RunningMembership
    let provider: ProviderKit
    let url: String

    /// - Parameter settings: more members of the provider in the file
    init(_ settings: String = "") async throws {
        jaga = try await RunningMembership()
        url = "http://127.0.0.1:\(jaga.portBase + 2)"
        provider = try ProviderKit(
            url: url,
            user: #"{"name": "Dewi", "email": "dewi@example.org", "email_verified": true, "#
                + #""groups": ["duty"]}"#)
        try await provider.start()
        await jaga.kill()
        try write("secrets/test.secret", ProviderKit.secret)
        try write(
            "providers.json",
            #"{"providers": [{"id": "test", "name": "Test", "issuer": "\#(provider.issuer)", "#
                + #""client": "jaga", "secretFile": "test.secret", "algorithm": "ES256", "#
                + #""signUp": true, "trustedFor": ["email"], "#
                + #""staff": [{"group": "duty", "role": "officer"}]\#(settings)}]}"#)
        try await jaga.startAgain(["JAGA_PUBLIC_URL": url])
    }

    private func write(_ name: String, _ text: String) throws {
        let path = jaga.home + "/" + name
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    var start: String { url + "/v1/sign-in/providers/test?return=/app/" }

    /// Goes to the provider and comes back, up to the callback.
    func wayBack(_ browser: Browser) throws -> String {
        try browser.follow(try browser.follow(start))
    }

    /// The caller's sessions, as the browser sees them.
    func sessions(_ browser: Browser) throws -> PlainHTTP.Answer {
        try browser.open(url + "/v1/sessions")
    }

    var log: String { jaga.membership?.text ?? "" }
}

@Suite(.serialized, .enabled(if: ProviderKit.isInstalled)) struct `Sign-in at a real provider` {
    @Test func `opens a session, twice for the same person`() async throws {
        let world = try await SignInWorld()
        let list = try world.jaga.ask("GET", "/v1/sign-in/providers")
        #expect(list.json["items"]?[0]?["name"] == "Test")
        let browser = Browser()
        #expect(try browser.follow(try world.wayBack(browser)) == "/app/")
        let sessions = try world.sessions(browser)
        #expect(sessions.status == 200)
        #expect(sessions.json["items"]?.array?.count == 1)
        let other = Browser()
        _ = try other.follow(try world.wayBack(other))
        #expect(try world.sessions(other).json["items"]?.array?.count == 2)
        let people = try world.jaga.ask("GET", "/v1/people").json["items"]?.array ?? []
        #expect(people.count == 1)
        #expect(people.first?["name"] == "Dewi")
        #expect(people.first?["signIn"] == "sso")
        #expect(people.first?["contacts"]?[0]?["address"] == "dewi@example.org")
        // Nothing of it is in the log.
        for secret in ["dewi", "Dewi", "code=", "eyJ", "state="] {
            #expect(!world.log.contains(secret))
        }
    }

    @Test func `counts once, and in its own browser only`() async throws {
        let world = try await SignInWorld()
        let browser = Browser()
        let back = try world.wayBack(browser)
        let foreign = try Browser().open(back)
        #expect(foreign.status == 400)
        #expect(foreign.json["hint"] == "start the sign-in again")
        let forged = try browser.open(
            world.url + "/v1/sign-in/providers/test/callback?state=abc&code=def")
        #expect(forged.status == 400)
        #expect(try world.jaga.ask("GET", "/v1/people").json["items"]?.array?.isEmpty == true)
        #expect(try browser.open(back).status == 303)
        #expect(try browser.open(back).status == 400)
        #expect(try browser.open(world.url + "/v1/sign-in/providers/none").status == 404)
        let away = try browser.open(world.start.replacing("/app/", with: "//evil.test"))
        #expect(away.status == 400 && away.field == "return")
        #expect(world.log.contains("reason=state"))
    }

    @Test func `rejects wrong tokens, and a code that the provider does not know`() async throws {
        let world = try await SignInWorld()
        let faults = [
            (#"{"aud": ["other"]}"#, "token-audience"),
            (#"{"iat": 3600}"#, "token-issued-in-future"),
            (#"{"exp": -10}"#, "token-expired"), (#"{"nonce": "x"}"#, "token-nonce"),
            (#"{"iss": "https://x.test"}"#, "token-issuer"),
        ]
        for (fault, reason) in faults {
            let browser = Browser()
            let back = try world.wayBack(browser)
            try world.provider.breakNextToken(fault)
            #expect(try browser.open(back).status == 400, "\(fault)")
            #expect(world.log.contains("reason=\(reason)"), "\(fault)")
            #expect(try world.sessions(browser).status == 401)
        }
        let browser = Browser()
        let back = try world.wayBack(browser)
        let state = try #require(back.firstMatch(of: /state=([^&]*)/)?.1)
        let made = try browser.open(
            world.url + "/v1/sign-in/providers/test/callback?code=x&state=\(state)")
        #expect([400, 503].contains(made.status))
        #expect(try world.jaga.ask("GET", "/v1/people").json["items"]?.array?.isEmpty == true)
    }

    @Test func `follows a change of keys, and a provider that is away`() async throws {
        let world = try await SignInWorld()
        let browser = Browser()
        let back = try world.wayBack(browser)
        try world.provider.rotateKeys()
        #expect(try browser.open(back).status == 303)
        let late = try world.wayBack(browser)
        await world.provider.stop()
        #expect(try browser.open(late).status == 503)
        #expect(try world.sessions(browser).status == 200)
    }

    @Test func `ends with the session at the provider`() async throws {
        let world = try await SignInWorld()
        let browser = Browser()
        _ = try browser.follow(try world.wayBack(browser))
        let other = Browser()
        _ = try other.follow(try world.wayBack(other))
        let ended = try browser.open(
            world.url + "/v1/sign-in/logout", "POST", headers: ["Sec-Fetch-Site": "same-origin"])
        #expect(ended.status == 200)
        #expect(try world.sessions(browser).status == 401)
        let page = try #require(ended.json["providerLogout"]?.string)
        #expect(try browser.follow(try browser.follow(page)) == world.url + "/")
        // The provider has told this server, too; the other browser's session goes on.
        #expect(world.log.contains("provider ended sessions"))
        #expect(try world.sessions(other).status == 200)
    }

    @Test func `joins an identity to a person with a session`() async throws {
        let world = try await SignInWorld()
        let browser = Browser()
        let join = world.start + "&join=true"
        #expect(try browser.open(join).status == 401)
        _ = try browser.follow(try world.wayBack(browser))
        // Another site cannot make a visitor join.
        #expect(try browser.open(join).status == 403)
        let own = try browser.open(join, headers: ["Sec-Fetch-Site": "same-origin"])
        let page = try #require(own.headers["location"])
        #expect(try browser.follow(try browser.follow(page)) == "/app/")
        #expect(try world.sessions(browser).json["items"]?.array?.count == 1)
    }

    @Test func `is ended by the provider (back-channel)`() async throws {
        let world = try await SignInWorld()
        let browser = Browser()
        _ = try browser.follow(try world.wayBack(browser))
        #expect(try world.sessions(browser).status == 200)
        let bad = try PlainHTTP(port: world.jaga.portBase + 2).send(
            "POST", "/v1/sign-in/providers/test/logout", body: Array("logout_token=a.b.c".utf8))
        #expect(bad.status == 400)
        // The browser signs out at the provider alone.
        let answer = try browser.open(
            world.url + "/v1/sign-in/logout", "POST", headers: ["Sec-Fetch-Site": "cross-site"])
        #expect(answer.status == 403)
        #expect(try world.sessions(browser).status == 200)
        let session = try await endAtProvider(world, browser)
        #expect(session == 401)
    }

    /// Ends the session at the provider by a copy of the browser's own session, so that only the
    /// logout token can end that in Jaga.
    private func endAtProvider(_ world: SignInWorld, _ browser: Browser) async throws -> Int {
        // The end of a session needs the ID token, which only Jaga's store has.
        let store = world.jaga.storeBytes()
        let hint = try #require(store.firstMatch(of: /"hint":"(ey[A-Za-z0-9_.-]+)"/)?.1)
        let page = try browser.follow(world.provider.issuer + "/session?id_token_hint=" + hint)
        _ = try browser.open(page)
        return try world.sessions(browser).status
    }
}

/// The operator's file of providers.
@Suite struct `The file of providers` {
    private func error(
        _ text: String, secret: String? = "s", url: String? = "https://jaga.test"
    ) throws -> String? {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.file("secrets"), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder.file("providers.json")))
        if let secret {
            let path = folder.file("secrets/x")
            try Data(secret.utf8).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: path)
        }
        var environment = ["JAGA_HOME": folder.path]
        environment["JAGA_PUBLIC_URL"] = url
        let configuration = try Configuration(
            settings: Main.definition.settings, environment: environment)
        do {
            _ = try ProviderFile(configuration)
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func file(_ change: String = "") -> String {
        let names = ["id", "name", "issuer", "client", "secretFile", "algorithm"]
        let values = ["campus", "Campus", "https://id.example.org", "jaga", "x", "RS256"]
        let members = zip(names, values).filter { !change.contains("\"\($0.0)\"") }.map {
            "\"\($0)\": \"\($1)\""
        }
        return #"{"providers": [{"#
            + (members + (change.isEmpty ? [] : [change]))
            .joined(separator: ", ") + "}]}"
    }

    @Test func `is accepted with the fields that are required`() throws {
        #expect(try error(file()) == nil)
        #expect(try error(#"{"providers": []}"#) == nil)
    }

    @Test(arguments: [
        (#""id": "A b""#, "providers[0].id"), (#""issuer": "http://id.example.org""#, "issuer"),
        (#""algorithm": "HS256""#, "use one of RS256, ES256"), (#""algorithm": null"#, "algorithm"),
        (#""scopes": ["email"]"#, "Add openid"), (#""staff": [{"group": "x"}]"#, "staff[0].role"),
        (#""circles": [{"group": "x", "circle": "y"}]"#, "circles[0].circle"),
        (#""trustedFor": ["post"]"#, "sms, email"), (#""secretFile": "y""#, "cannot be read"),
        (#""authorities": "/does/not/exist.pem""#, "authorities"), (#""tenant": "x""#, "tenant"),
    ])
    func `names the field and the fix`(change: String, text: String) throws {
        let found = try #require(try error(file(change)))
        #expect(found.localizedCaseInsensitiveContains(text), "\(found)")
        #expect(found.contains("providers-invalid"))
    }

    @Test func `needs the public URL, JSON and a secret`() throws {
        #expect(try error(file(), url: nil)?.contains("JAGA_PUBLIC_URL") == true)
        #expect(try error("providers:")?.contains("JSON") == true)
        #expect(try error(file(), secret: "")?.contains("is empty") == true)
    }
}
