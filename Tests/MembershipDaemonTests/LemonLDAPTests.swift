import Foundation
import Parsing
import TestSupport
import Testing

@testable import MembershipDaemon

/// The real process with the portal of LemonLDAP::NG.
private final class PortalWorld {
    let jaga: RunningMembership
    let portal: LemonLDAPKit
    let url: String

    init() async throws {
        jaga = try await RunningMembership()
        url = "http://127.0.0.1:\(jaga.portBase + 2)"
        portal = try LemonLDAPKit(url: url)
        try await portal.start()
        await jaga.kill()
        try write("secrets/test.secret", LemonLDAPKit.secret)
        try write(
            "providers.json",
            #"{"providers": [{"id": "test", "name": "Portal", "issuer": "\#(portal.issuer)", "#
                + #""client": "jaga", "secretFile": "test.secret", "algorithm": "RS256", "#
                + #""signUp": true, "trustedFor": ["email"], "#
                + #""staff": [{"group": "duty", "role": "officer"}]}]}"#)
        try await jaga.startAgain(["JAGA_PUBLIC_URL": url])
    }

    private func write(_ name: String, _ text: String) throws {
        let path = jaga.home + "/" + name
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    var start: String { url + "/v1/sign-in/providers/test?return=/app/" }

    var log: String { jaga.membership?.text ?? "" }

    /// Signs in on the pages of the portal, and comes back.
    ///
    /// - Returns: the URL of the callback
    func wayBack(_ browser: Browser, as user: String) throws -> String {
        var page = try browser.page(try browser.follow(start))
        if page.text.contains("id=\"lform\"") {
            page = try browser.submit(
                page, formWith: "id=\"lform\"", ["user": user, "password": user])
        }
        // The portal asks its user whether Jaga may know the name.
        if page.text.contains("class=\"confirm\"") {
            page = try browser.submit(page, formWith: "class=\"confirm\"")
        }
        guard page.status == 302, let back = page.answer.headers["location"] else {
            throw TestFailure("the portal does not send back: \(page.status) \(page.text)")
        }
        return back
    }

    /// The caller's sessions, as the browser sees them.
    func sessions(_ browser: Browser) throws -> PlainHTTP.Answer {
        try browser.open(url + "/v1/sessions")
    }

    func people() throws -> [JSON] {
        try jaga.ask("GET", "/v1/people").json["items"]?.array ?? []
    }
}

@Suite(
    .serialized,
    .enabled(if: LemonLDAPKit.isInstalled, "LemonLDAP::NG is missing: scripts/setup --tests"),
    .enabled(
        if: ProcessInfo.processInfo.environment["LONG_TESTS"] != nil,
        "signs in at a portal of its own: make test-long"))
struct `Sign-in at LemonLDAP` {
    @Test func `opens sessions by its pages, and ends them there`() async throws {
        let world = try await PortalWorld()
        let browser = Browser()
        let back = try world.wayBack(browser, as: "dwho")
        #expect(back.hasPrefix(world.url + "/v1/sign-in/providers/test/callback?"))
        #expect(try browser.follow(back) == "/app/")
        #expect(try world.sessions(browser).json["items"]?.array?.count == 1)
        let person = try #require(try world.people().first)
        #expect(person["name"] == "Doctor Who")
        #expect(person["signIn"] == "sso")
        #expect(person["staff"] == "officer")
        #expect(person["contacts"]?[0]?["address"] == "dwho@badwolf.org")
        // The same code again, in the same browser: nothing.
        #expect(try browser.open(back).status == 400)
        // Another browser of the same user is the same person.
        let other = Browser()
        #expect(try other.follow(try world.wayBack(other, as: "dwho")) == "/app/")
        #expect(try world.people().count == 1)
        #expect(try world.sessions(other).json["items"]?.array?.count == 2)
        // Signing out ends Jaga's session, and names the page that ends the portal's.
        let ended = try browser.open(
            world.url + "/v1/sign-in/logout", "POST", headers: ["Sec-Fetch-Site": "same-origin"])
        #expect(ended.status == 200)
        #expect(try world.sessions(browser).status == 401)
        #expect(try world.sessions(other).status == 200)
        let out = try #require(ended.json["providerLogout"]?.string)
        #expect(out.hasPrefix(world.portal.issuer + "/oauth2/logout?"))
        var page = try browser.page(out)
        if page.text.contains("class=\"confirm\"") {
            page = try browser.submit(page, formWith: "class=\"confirm\"")
        }
        #expect(page.status == 302)
        #expect(page.answer.headers["location"]?.hasPrefix(world.url + "/") == true)
        // The portal asks for the password again.
        let again = try browser.page(try browser.follow(world.start))
        #expect(again.text.contains("id=\"lform\""))
        for secret in ["dwho", "Doctor", "code=", "eyJ", "state="] {
            #expect(!world.log.contains(secret))
        }
    }

    @Test func `gives no session for a wrong password, and another person to another user`()
        async throws
    {
        let world = try await PortalWorld()
        let browser = Browser()
        let page = try browser.page(try browser.follow(world.start))
        let wrong = try browser.submit(
            page, formWith: "id=\"lform\"", ["user": "dwho", "password": "wrong"])
        #expect(wrong.text.contains("id=\"lform\""))
        #expect(try world.sessions(browser).status == 401)
        let rose = Browser()
        #expect(try rose.follow(try world.wayBack(rose, as: "rtyler")) == "/app/")
        let doctor = Browser()
        #expect(try doctor.follow(try world.wayBack(doctor, as: "dwho")) == "/app/")
        let people = try world.people()
        #expect(people.count == 2)
        // Only the group that the operator named makes somebody an officer.
        #expect(people.count { $0["staff"] == "officer" } == 1)
    }
}
