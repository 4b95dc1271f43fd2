import Bus
import Hosting
import Model
import TestSupport
import Testing

@testable import JagaCLI

@Suite struct `A suite that does not answer` {
    /// With the keys that every command needs.
    private let home: TemporaryFolder

    init() throws {
        home = try TemporaryFolder()
        try KeyFolder(home.file("secrets/bus")).generateOnce()
    }

    private let peers = [ServiceName.ingest, .timer].map {
        Bus.Peer($0, in: Topology(portBase: 9300), streams: [])
    }

    @Test func `is reported once, with the endpoints`() {
        var watch = PeerWatch(began: .zero)
        #expect(watch.step(peers, silent: peers, now: .seconds(2)) == [])
        #expect(!watch.noPeerAnswered)
        let warnings = watch.step(peers, silent: peers, now: .seconds(3))
        #expect(watch.noPeerAnswered)
        #expect(warnings.count == 1)
        let places = "tcp://127.0.0.1:9401 (ingest), tcp://127.0.0.1:9404 (timer)"
        #expect(warnings[0].hasPrefix("no response from \(places); waiting\n"))
        #expect(warnings[0].contains("JAGA_PORT_BASE"))
        #expect(watch.step(peers, silent: peers, now: .seconds(9)) == [])
    }

    @Test func `is reported again when services answer`() {
        var watch = PeerWatch(began: .zero)
        _ = watch.step(peers, silent: peers, now: .seconds(3))
        #expect(watch.step(peers, silent: [peers[1]], now: .seconds(4)) == ["ingest answers again"])
        #expect(!watch.noPeerAnswered)
        #expect(watch.step(peers, silent: [], now: .seconds(5)) == ["timer answers again"])
        #expect(watch.step(peers, silent: [peers[0]], now: .seconds(60)) == [])
        let warnings = watch.step(peers, silent: [peers[0]], now: .seconds(63))
        #expect(warnings == ["no response from tcp://127.0.0.1:9401 (ingest); waiting"])
        #expect(!watch.noPeerAnswered)
    }

    @Test(arguments: [
        ["tail"], ["tail", "--since", "1h"], ["trace", "req-1"], ["streams", "verify", "sos"],
    ])
    func `ends a command that does not wait`(words: [String]) async throws {
        let base = FreePorts.base(of: [101, 102, 104, 105, 201, 202, 204, 205, 302])
        let command = try Capture(
            try Programs.path("jaga"), words + ["--port-base", "\(base)"],
            environment: ["JAGA_HOME": home.path])
        let ended = await eventually {
            _ = command.text
            return command.process.reap() != nil
        }
        #expect(ended && command.process.exitStatus == 1, "\(command.text)")
        #expect(command.text.contains("no response from tcp://127.0.0.1:"))
        #expect(command.text.contains("start Jaga with 'jaga up'"))
    }

    @Test func `is waited for on request`() async throws {
        let base = FreePorts.base(of: [101, 102, 104, 105, 201, 202, 204, 205, 302])
        let command = try Capture(
            try Programs.path("jaga"), ["tail", "--follow", "--port-base", "\(base)"],
            environment: ["JAGA_HOME": home.path])
        #expect(await eventually { command.text.contains("no response from tcp://") })
        #expect(command.process.reap() == nil)
        await command.stop()
    }
}
