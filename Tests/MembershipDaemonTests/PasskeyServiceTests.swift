import Foundation
import Hashing
import Parsing
import TestSupport
import Testing

/// An authenticator in software: a key of OpenSSL, and the data that a browser adds.
private final class Authenticator {
    private let folder: TemporaryFolder
    private let point: [UInt8]
    private let id = Array(UInt8(1)...32)
    private var counter: UInt8 = 0
    var origin = "http://localhost"
    var party = "localhost"

    init() throws {
        folder = try TemporaryFolder()
        let key = folder.file("key.pem")
        try Authenticator.openssl(
            "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key)
        try Authenticator.openssl(
            "ec", "-in", key, "-pubout", "-outform", "DER", "-out", folder.file("key.der"))
        point = Array(try Data(contentsOf: URL(fileURLWithPath: folder.file("key.der"))).suffix(64))
    }

    private static func openssl(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = arguments
        process.standardError = nil
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw TestFailure("openssl \(arguments)") }
    }

    private func clientData(_ type: String, _ challenge: String) -> [UInt8] {
        Array(
            #"{"type":"\#(type)","challenge":"\#(challenge)","origin":"\#(origin)"}"#.utf8)
    }

    private func data(_ flags: UInt8) -> [UInt8] {
        counter += 1
        return Hash.sha256(Array(party.utf8)) + [flags, 0, 0, 0, counter]
    }

    private func json(
        _ clientData: [UInt8], _ data: [UInt8], _ more: [JSON.Member] = []
    ) -> JSON {
        func text(_ bytes: [UInt8]) -> JSON { .string(Base64.encode(bytes, alphabet: .url)) }
        return [
            "id": text(id), "rawId": text(id), "type": "public-key",
            "clientExtensionResults": [:],
            "response": .object(
                [
                    .init("clientDataJSON", text(clientData)),
                    .init("authenticatorData", text(data)),
                ] + more),
        ]
    }

    /// A new passkey.
    func create(_ challenge: String) -> JSON {
        // A map of five: type EC2, algorithm ES256, curve P-256, x and y.
        let key: [UInt8] =
            [0xA5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32] + point[..<32] + [0x22, 0x58, 32]
            + point[32...]
        let made = data(0x45) + [UInt8](repeating: 0, count: 16) + [0, 32] + id + key
        return json(
            clientData("webauthn.create", challenge), made, [.init("transports", ["internal"])])
    }

    /// A sign-in.
    func get(_ challenge: String) throws -> JSON {
        let (about, made) = (clientData("webauthn.get", challenge), data(5))
        let (input, output) = (folder.file("signed"), folder.file("signature"))
        try Data(made + Hash.sha256(about)).write(to: URL(fileURLWithPath: input))
        try Authenticator.openssl(
            "dgst", "-sha256", "-sign", folder.file("key.pem"), "-out", output, input)
        let signature = Array(try Data(contentsOf: URL(fileURLWithPath: output)))
        return json(
            about, made,
            [.init("signature", .string(Base64.encode(signature, alphabet: .url)))])
    }
}

/// Passkeys over the real process.
@Suite(.serialized) struct `Passkeys over HTTP` {
    private func send(
        _ jaga: RunningMembership, _ method: String, _ path: String, _ json: JSON = .object([]),
        token: String? = nil
    ) throws -> PlainHTTP.Answer {
        try PlainHTTP(port: jaga.portBase + 2).send(method, path, json, token: token)
    }

    private func challenge(_ answer: PlainHTTP.Answer) throws -> String {
        #expect(answer.status == 200)
        return try answer.text("challenge")
    }

    @Test func `are registered by their person, sign in, and are removed`() async throws {
        let jaga = try await RunningMembership()
        let anna = try jaga.person("Anna")
        let ben = try jaga.person("Ben")
        let token = try jaga.token(of: anna)
        let path = "/v1/people/\(anna)/passkeys"
        // Nobody else, not even the operator.
        for other in [try jaga.operatorToken(), try jaga.token(of: ben)] {
            #expect(try send(jaga, "POST", path + "/options", token: other).status == 403)
            #expect(try jaga.ask("GET", path, as: other).status == 403)
        }
        #expect(try send(jaga, "POST", path + "/options").status == 401)
        let phone = try Authenticator()
        phone.origin += ":\(jaga.portBase + 2)"
        let options = try send(jaga, "POST", path + "/options", token: token)
        #expect(options.json["rp"]?["id"] == "localhost")
        let made = phone.create(try challenge(options))
        let added = try send(jaga, "POST", path, made, token: token)
        #expect(added.status == 201, "\(added.text)")
        #expect(try send(jaga, "POST", path, made, token: token).status == 400, "used challenge")
        let list = try jaga.ask("GET", path, as: token)
        #expect(list.json["items"]?.array?.count == 1)

        let start = "/v1/sign-in/passkeys"
        let first = try challenge(send(jaga, "POST", start + "/options"))
        let response = try phone.get(first)
        let opened = try send(jaga, "POST", start, response)
        #expect(opened.status == 201, "\(opened.text)")
        #expect(try opened.text("person") == anna)
        let cookie = try #require(opened.headers["set-cookie"]?.split(separator: ";").first)
        let sessions = try PlainHTTP(port: jaga.portBase + 2).send(
            "GET", "/v1/sessions", headers: ["Cookie": String(cookie)])
        #expect(sessions.json["items"]?.array?.count == 1)
        // A repeated response, and one for another site.
        #expect(try send(jaga, "POST", start, response).status == 400)
        phone.origin = "http://localhost.evil.test"
        let elsewhere = try phone.get(try challenge(send(jaga, "POST", start + "/options")))
        let refused = try send(jaga, "POST", start, elsewhere)
        #expect(refused.status == 400 && refused.headers["set-cookie"] == nil)
        #expect(jaga.membership?.text.contains("reason=origin") == true)

        let id = try added.text("id")
        #expect(try jaga.ask("DELETE", path + "/" + id, as: token).status == 204)
        phone.origin = "http://localhost:\(jaga.portBase + 2)"
        let late = try phone.get(try challenge(send(jaga, "POST", start + "/options")))
        #expect(try send(jaga, "POST", start, late).status == 404)
    }

    @Test func `survive a restart, and end with their person`() async throws {
        let jaga = try await RunningMembership()
        let anna = try jaga.person("Anna")
        let token = try jaga.token(of: anna)
        let path = "/v1/people/\(anna)/passkeys"
        let phone = try Authenticator()
        phone.origin += ":\(jaga.portBase + 2)"
        let options = try send(jaga, "POST", path + "/options", token: token)
        let made = phone.create(try challenge(options))
        #expect(try send(jaga, "POST", path, made, token: token).status == 201)
        let start = "/v1/sign-in/passkeys"
        let open = try challenge(send(jaga, "POST", start + "/options"))
        await jaga.kill()
        try await jaga.startAgain()
        #expect(try send(jaga, "POST", start, try phone.get(open)).status == 201)
        let next = try challenge(send(jaga, "POST", start + "/options"))
        #expect(try jaga.ask("DELETE", "/v1/people/\(anna)").status == 200)
        #expect(try send(jaga, "POST", start, try phone.get(next)).status == 404)
    }

    @Test func `are not offered without TLS and a name`() async throws {
        let jaga = try await RunningMembership()
        await jaga.kill()
        try await jaga.startAgain(["JAGA_PUBLIC_URL": "http://192.0.2.7:8080"])
        #expect(try send(jaga, "POST", "/v1/sign-in/passkeys/options").status == 409)
    }
}
