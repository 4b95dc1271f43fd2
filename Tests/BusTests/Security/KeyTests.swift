import Foundation
import Runtime
import TestSupport
import Testing

@testable import Bus

@Suite struct `Keys in files` {
    private let folder: TemporaryFolder
    private var keys: KeyFolder { KeyFolder(folder.file("bus")) }

    init() throws { folder = try TemporaryFolder() }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    private func configuration(_ environment: [String: String] = [:]) throws -> Configuration {
        var environment = environment
        environment["JAGA_HOME"] = folder.path
        environment["JAGA_KEYS"] = environment["JAGA_KEYS"] ?? keys.path
        return try Configuration(settings: BusSecurity.settings, environment: environment)
    }

    private func read(_ environment: [String: String] = [:]) throws -> BusSecurity? {
        try BusSecurity.read(configuration(environment), role: .timer)
    }

    @Test func `are made for every role, secret halves for their owner alone`() throws {
        let made = try keys.make(BusRole.allCases)
        #expect(Set(made.keys) == Set(BusRole.allCases) && Set(made.values).count == 6)
        #expect(keys.existing.count == 12)
        #expect(try mode(keys.path) == 0o700)
        for role in BusRole.allCases {
            #expect(try mode(keys.secretFile(role)) == 0o600)
            #expect(try keys.pair(of: role).publicKey == made[role])
            #expect(try keys.publicKey(keys.publicFile(role)) == made[role])
            let text = try String(contentsOfFile: keys.publicFile(role), encoding: .utf8)
            #expect(text.hasPrefix("# public half of the key of \(role.rawValue) "))
            let secret = try keys.pair(of: role).secret
            let described = "\(try keys.pair(of: role))"
            #expect(!text.contains(secret) && !described.contains(secret))
        }
    }

    @Test func `are required on loopback too, unless JAGA_CURVE is never`() throws {
        let error = #expect(throws: BusError.self) { try read() }
        #expect(error?.code == "keys-missing")
        let text = error.map { "\($0)" } ?? ""
        #expect(text.contains("jaga keys init"))
        #expect(text.contains("JAGA_KEYS: \(keys.secretFile(.timer)) is not there"))
        #expect(try read(["JAGA_CURVE": "never"]) == nil)
        #expect(throws: ConfigurationError.self) { try read(["JAGA_CURVE": "auto"]) }
        _ = try keys.make(BusRole.allCases)
        #expect(try read()?.role == .timer)
        #expect(try read(["JAGA_CURVE": "always"])?.role == .timer)
        #expect(try read(["JAGA_CURVE": "never"]) == nil)
    }

    @Test func `are made by a service only where the whole suite shares its home`() throws {
        func folder(
            bind: String = "127.0.0.1", hosts: [String] = ["127.0.0.1", "localhost"],
            _ environment: [String: String] = [:]
        ) throws -> String? {
            var environment = environment
            environment["JAGA_HOME"] = self.folder.path
            let configuration = try Configuration(
                settings: BusSecurity.settings, environment: environment)
            return BusSecurity.folderToFill(configuration, bindAddress: bind, hosts: hosts)?.path
        }
        let inHome = self.folder.path + "/secrets/bus"
        #expect(try folder() == inHome)
        #expect(try folder(["JAGA_CURVE": "never"]) == nil)
        #expect(try folder(["JAGA_KEYS": "/elsewhere"]) == nil)
        #expect(try folder(hosts: ["127.0.0.1", "192.0.2.1"]) == nil)
        for bind in ["0.0.0.0", "192.0.2.1", "127.evil.example", "1127.0.0.1"] {
            #expect(try folder(bind: bind) == nil)
        }
        #expect(try KeyFolder(inHome).makeOnce())
        #expect(try folder() == nil)
    }

    @Test func `are made once, however many services start together`() async throws {
        let made = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 { group.addTask { [keys] in try keys.makeOnce() } }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(made == 1)
        #expect(try read()?.role == .timer)
        #expect(try mode(keys.path) == 0o700)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["bus"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: keys.path).count == 12)
    }

    @Test func `lie in the home folder unless told otherwise`() throws {
        let configuration = try Configuration(
            settings: BusSecurity.settings, environment: ["JAGA_HOME": "/somewhere"])
        #expect(BusSecurity.folder(configuration).path == "/somewhere/secrets/bus")
    }

    @Test func `are the own secret one and all public ones, on another machine`() throws {
        _ = try keys.make(BusRole.allCases)
        for role in BusRole.allCases where role != .timer {
            try FileManager.default.removeItem(atPath: keys.secretFile(role))
        }
        #expect(try read() != nil)
        try FileManager.default.removeItem(atPath: keys.publicFile(.evaluator))
        let error = #expect(throws: BusError.self) { try read() }
        #expect(error?.message.contains(keys.publicFile(.evaluator)) == true)
    }

    @Test func `that others can read stop the start until their rights are mended`() throws {
        _ = try keys.make(BusRole.allCases)
        let secret = keys.secretFile(.timer)
        for mode in [0o644, 0o640, 0o602] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: secret)
            let error = #expect(throws: BusError.self) { try read() }
            #expect(error?.code == "key-open")
            #expect(error?.message.contains(secret) == true)
            #expect(error?.hint.contains("chmod 600 \(secret)") == true)
        }
        for mode in [0o600, 0o400] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: secret)
            #expect(try read() != nil)
        }
    }

    @Test func `that do not fit each other stop the start`() throws {
        _ = try keys.make(BusRole.allCases)
        func put(_ text: String, _ path: String) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        }
        func code() throws -> String? {
            #expect(throws: BusError.self) { try read() }?.code
        }
        let ingest = try String(contentsOfFile: keys.publicFile(.ingest), encoding: .utf8)
        let timer = try String(contentsOfFile: keys.publicFile(.timer), encoding: .utf8)
        try put(timer, keys.publicFile(.ingest))
        #expect(try code() == "key-shared")
        try put(ingest, keys.publicFile(.ingest))
        try put("# nothing\n", keys.publicFile(.ingest))
        #expect(try code() == "key-invalid")
        try put(ingest, keys.publicFile(.ingest))
        _ = try keys.make([.timer])
        try put(timer, keys.publicFile(.timer))
        #expect(try code() == "key-invalid", "the halves are of two pairs")
        _ = try keys.make([.timer])
        try put(timer, keys.oldFile(.timer))
        let old = try #require(CurvePublicKey(String(timer.split(separator: "\n")[1])))
        #expect(try read()?.holder(of: old.bytes) == .timer)
        try put(timer, keys.oldFile(.notifier))
        #expect(try code() == "key-shared", "two roles were that key's")
        try put(ingest, keys.oldFile(.notifier))
        #expect(try code() == "key-shared", "it is another role's today")
    }
}

@Suite struct `A log of refusals` {
    private func refusal(
        _ address: String, _ reason: PeerRefusal.Reason = .mechanism
    ) -> PeerRefusal {
        PeerRefusal(reason, address: address, place: "questions", isOurs: false)
    }

    @Test func `tells the first at once and the others once a minute`() {
        var log = RefusalLog()
        let one = refusal("192.0.2.1")
        #expect(log.note(.peer(one), now: .seconds(5)) == .peerRefused(one, count: 1))
        for second in 6..<65 {
            #expect(log.note(.peer(one), now: .seconds(second)) == nil)
            #expect(log.due(now: .seconds(second)).isEmpty)
        }
        #expect(log.due(now: .seconds(65)) == [.peerRefused(one, count: 59)])
        #expect(log.peers == 60)
        #expect(log.due(now: .seconds(125)).isEmpty)
        #expect(
            log.note(.peer(one), now: .seconds(126)) == .peerRefused(one, count: 1), "forgotten")
    }

    @Test func `keeps peers and reasons apart, and folds in what has none`() {
        var log = RefusalLog()
        let first = refusal("192.0.2.1")
        let second = refusal("192.0.2.2")
        let third = refusal("192.0.2.1", .foreignServerKey)
        for found in [first, second, third] {
            #expect(log.note(.peer(found), now: .zero) == .peerRefused(found, count: 1))
        }
        #expect(log.note(.peer(refusal("192.0.2.2", .brokenOff)), now: .seconds(1)) == nil)
        #expect(log.due(now: .seconds(60)) == [.peerRefused(second, count: 1)])
    }

    @Test func `does not grow with addresses`() {
        var log = RefusalLog()
        let notices = (0..<1000).compactMap {
            log.note(.peer(refusal("peer \($0)")), now: .zero)
        }
        #expect(notices.count == BusLimits.refusalsApart + 1)
        let due = log.due(now: .seconds(60))
        #expect(due.count == 1 && log.peers == 1000)
        guard case .peerRefused(_, let count) = due.first else { return }
        #expect(count == UInt64(1000 - BusLimits.refusalsApart - 1))
    }
}
