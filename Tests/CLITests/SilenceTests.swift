import Bus
import Hosting
import TestSupport
import Testing

@testable import JagaCLI

@Suite struct `A suite that is silent` {
    /// With the keys that every command needs.
    private let home: TemporaryFolder

    init() throws {
        home = try TemporaryFolder()
        try KeyFolder(home.file("secrets/bus")).makeOnce()
    }

    private let peers = [ServiceName.ingest, .timer].map {
        Bus.Peer($0, in: Topology(portBase: 9300), streams: [])
    }

    @Test func `is told of once, with the places where it was looked for`() {
        var watch = SilenceWatch(began: .zero)
        #expect(watch.step(peers, silent: peers, now: .seconds(2)) == [])
        #expect(!watch.heardNobody)
        let told = watch.step(peers, silent: peers, now: .seconds(3))
        #expect(watch.heardNobody)
        #expect(told.count == 1)
        let places = "tcp://127.0.0.1:9401 (ingest), tcp://127.0.0.1:9404 (timer)"
        #expect(told[0].hasPrefix("nothing answers at \(places); waiting\n"))
        #expect(told[0].contains("JAGA_PORT_BASE"))
        #expect(watch.step(peers, silent: peers, now: .seconds(9)) == [])
    }

    @Test func `is heard again, service by service`() {
        var watch = SilenceWatch(began: .zero)
        _ = watch.step(peers, silent: peers, now: .seconds(3))
        #expect(watch.step(peers, silent: [peers[1]], now: .seconds(4)) == ["ingest is heard"])
        #expect(!watch.heardNobody)
        #expect(watch.step(peers, silent: [], now: .seconds(5)) == ["timer is heard"])
        #expect(watch.step(peers, silent: [peers[0]], now: .seconds(60)) == [])
        let told = watch.step(peers, silent: [peers[0]], now: .seconds(63))
        #expect(told == ["nothing answers at tcp://127.0.0.1:9401 (ingest); waiting"])
        #expect(!watch.heardNobody)
    }

    @Test(arguments: [
        ["tail"], ["tail", "--since", "1h"], ["trace", "req-1"], ["streams", "verify", "sos"],
    ])
    func `ends a command that waits for nobody`(words: [String]) async throws {
        let base = FreePorts.base(of: [101, 102, 104, 105, 201, 202, 204, 205, 302])
        let command = try Capture(
            try Programs.path("jaga"), words + ["--port-base", "\(base)"],
            environment: ["JAGA_HOME": home.path])
        let ended = await eventually {
            _ = command.text
            return command.process.reap() != nil
        }
        #expect(ended && command.process.exitStatus == 1, "\(command.text)")
        #expect(command.text.contains("nothing answers at tcp://127.0.0.1:"))
        #expect(command.text.contains("is Jaga running here?"))
    }

    @Test func `is waited for where that is wanted`() async throws {
        let base = FreePorts.base(of: [101, 102, 104, 105, 201, 202, 204, 205, 302])
        let command = try Capture(
            try Programs.path("jaga"), ["tail", "--follow", "--port-base", "\(base)"],
            environment: ["JAGA_HOME": home.path])
        #expect(await eventually { command.text.contains("nothing answers at tcp://") })
        #expect(command.process.reap() == nil)
        await command.stop()
    }
}
