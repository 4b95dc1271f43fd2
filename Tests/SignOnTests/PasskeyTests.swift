import Hashing
import Model
import Parsing
import SignOn
import TestSupport
import Testing

private let challenge = Array(UInt8(100)..<132)

private struct Vector {
    var clientData: [UInt8]
    var data: [UInt8]
    var signature: [UInt8]

    init(_ name: String) throws {
        let json = try #require(try TokenSigner.golden("passkeys")[name])
        func bytes(_ name: String) -> [UInt8] {
            json[name]?.string.flatMap { Base64.decode($0, alphabet: .url) } ?? []
        }
        clientData = bytes("cd")
        data = bytes("ad")
        signature = bytes("sig")
    }

    var registration: PasskeyRegistration {
        PasskeyRegistration(clientData: clientData, authenticatorData: data)
    }
    var assertion: PasskeyAssertion {
        PasskeyAssertion(
            clientData: clientData, authenticatorData: data, signature: signature)
    }

    /// Replaces a text of the client data.
    mutating func replace(_ old: String, _ new: String) throws {
        let text = String(decoding: clientData, as: UTF8.self)
        let range = try #require(text.firstRange(of: old))
        clientData = Array((text[..<range.lowerBound] + new + text[range.upperBound...]).utf8)
    }
}

@Suite struct `A passkey` {
    let party: RelyingParty

    init() throws { party = try #require(RelyingParty(publicURL: "https://jaga.example.org/")) }

    @Test(arguments: PasskeyKey.Algorithm.allCases)
    func `is registered and signs in`(algorithm: PasskeyKey.Algorithm) throws {
        let made = try Vector("reg_\(algorithm)")
        let key = try made.registration.verify(for: party, challenge: challenge)
        #expect(key.algorithm == algorithm)
        #expect(key.id == Array(0..<32))
        #expect(key.counter == 0)
        let used = try Vector("get_\(algorithm)")
        let after = try used.assertion.verify(with: key, for: party, challenge: challenge)
        #expect(after.counter == 7)
        // The same counter again: a copy of the authenticator, or a replayed response.
        #expect(throws: PasskeyRejection.counter) {
            try used.assertion.verify(with: after, for: party, challenge: challenge)
        }
    }

    /// Faults of the client data and of the flags, with the reason.
    static let faults: [(String, String, PasskeyRejection)] = [
        ("webauthn.", "webauthn.x", .ceremony), ("jaga.example", "jagb.example", .origin),
        ("https", "http", .origin), ("\"crossOrigin\": false", "\"crossOrigin\": true", .origin),
        ("\"challenge\": \"", "\"challenge\": \"A", .challenge), ("{", "[", .malformed),
    ]

    @Test(arguments: faults)
    func `for another page or request is rejected`(
        old: String, new: String, reason: PasskeyRejection
    ) throws {
        var made = try Vector("reg_es256")
        let key = try made.registration.verify(for: party, challenge: challenge)
        try made.replace(old, new)
        #expect(throws: reason) { try made.registration.verify(for: party, challenge: challenge) }
        var used = try Vector("get_es256")
        try used.replace(old, new)
        #expect(throws: reason) {
            try used.assertion.verify(with: key, for: party, challenge: challenge)
        }
    }

    @Test func `of another site or without its user is rejected`() throws {
        let key = try Vector("reg_es256").registration.verify(for: party, challenge: challenge)
        func reason(_ change: (inout [UInt8]) -> Void) throws -> PasskeyRejection? {
            var used = try Vector("get_es256")
            change(&used.data)
            do {
                _ = try used.assertion.verify(with: key, for: party, challenge: challenge)
                return nil
            } catch {
                return error
            }
        }
        #expect(try reason { $0[0] ^= 1 } == .relyingParty)
        #expect(try reason { $0[32] = 4 } == .userPresence)
        #expect(try reason { $0[32] = 1 } == .userVerification)
        #expect(try reason { $0[36] += 1 } == .signature)
        #expect(try reason { $0.removeLast() } == .malformed)
        #expect(try reason { $0.append(0) } == .signature)
    }

    @Test func `is not exchanged for another`() throws {
        let key = try Vector("reg_rs256").registration.verify(for: party, challenge: challenge)
        let used = try Vector("get_es256").assertion
        #expect(throws: PasskeyRejection.signature) {
            try used.verify(with: key, for: party, challenge: challenge)
        }
    }

    @Test func `of an unknown algorithm is rejected`() throws {
        var made = try Vector("reg_es256")
        // COSE key: 3 (alg) → -7 (0x26). ES384 has -35.
        let index = try #require(
            made.data.indices.last { made.data[$0] == 0x26 && made.data[$0 - 1] == 3 })
        made.data[index] = 0x28
        #expect(throws: PasskeyRejection.algorithm) {
            try made.registration.verify(for: party, challenge: challenge)
        }
        made.data[32] &= ~0x40
        #expect(throws: PasskeyRejection.malformed) {
            try made.registration.verify(for: party, challenge: challenge)
        }
    }

    @Test(arguments: PasskeyKey.Algorithm.allCases)
    func `that is changed anywhere never signs in`(algorithm: PasskeyKey.Algorithm) throws {
        let key = try Vector("reg_\(algorithm)").registration.verify(
            for: party, challenge: challenge)
        let used = try Vector("get_\(algorithm)")
        var random = SeededGenerator(seed: 7)
        for _ in 0..<500 {
            var changed = used
            let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                changed.data[Int.random(in: changed.data.indices, using: &random)] ^= bit
            case 1:
                changed.clientData[
                    Int.random(in: changed.clientData.indices, using: &random)] ^= bit
            default:
                changed.signature[
                    Int.random(in: changed.signature.indices, using: &random)] ^= bit
            }
            #expect(throws: PasskeyRejection.self) {
                try changed.assertion.verify(with: key, for: party, challenge: challenge)
            }
        }
    }

    @Test func `that is changed anywhere never stops or blocks the process`() throws {
        let made = try Vector("reg_rs256")
        var random = SeededGenerator(seed: 8)
        let start = ContinuousClock.now
        for _ in 0..<4000 {
            var changed = made
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 33..<changed.data.count, using: &random)
                changed.data[index] = UInt8.random(in: 0...255, using: &random)
            }
            if Bool.random(using: &random) {
                changed.data.removeLast(Int.random(in: 0..<changed.data.count, using: &random))
            }
            _ = try? changed.registration.verify(for: party, challenge: challenge)
        }
        // A single array of 2^32 announced elements took 8 s.
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test func `that announces more data than it has is not read`() throws {
        for head: [UInt8] in [
            [0x9A, 0xFF, 0xFF, 0xFF, 0xFF], [0xBA, 0x7F, 0, 0, 0], [0x9F], [0xC1, 0],
        ] {
            var made = try Vector("reg_es256")
            // Behind flags, counter, AAGUID and an id of 32 bytes.
            made.data.replaceSubrange(87..., with: head)
            #expect(throws: PasskeyRejection.malformed) {
                try made.registration.verify(for: party, challenge: challenge)
            }
        }
    }
}

@Suite struct `A relying party` {
    @Test(arguments: [
        ("https://jaga.example.org/", "jaga.example.org", "https://jaga.example.org"),
        ("https://Jaga.Example.org:443/app", "jaga.example.org", "https://jaga.example.org"),
        ("https://jaga.example.org:8443", "jaga.example.org", "https://jaga.example.org:8443"),
        ("http://localhost:8080", "localhost", "http://localhost:8080"),
        ("https://localhost", "localhost", "https://localhost"),
    ])
    func `is the host of the public URL`(url: String, id: String, origin: String) {
        #expect(RelyingParty(publicURL: url)?.id == id)
        #expect(RelyingParty(publicURL: url)?.origin == origin)
    }

    @Test(arguments: [
        "http://jaga.example.org", "http://127.0.0.1:8080", "https://192.0.2.7", "https://[::1]/",
        "https://", "jaga.example.org", "ftp://localhost", "https://user@jaga.example.org",
    ])
    func `needs https with a name`(url: String) { #expect(RelyingParty(publicURL: url) == nil) }
}
