import Glibc
import Testing

@testable import Runtime

@Suite struct `The loop` {
    private final class Reader: Pollable {
        let descriptor: Int32
        var waitMilliseconds: Int?
        init(_ descriptor: Int32) { self.descriptor = descriptor }
        func appendPollItems(to items: inout [PollItem]) {
            items.append(PollItem(descriptor: descriptor))
        }
    }

    private func milliseconds(_ body: () -> Void) -> Int64 {
        let clock = SystemClock()
        body()
        return clock.monotonic.milliseconds
    }

    private func pipeEnds() -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        return (ends[0], ends[1])
    }

    @Test func `wakes up for a readable descriptor`() {
        let ends = pipeEnds()
        defer {
            close(ends.read)
            close(ends.write)
        }
        write(ends.write, "x", 1)
        #expect(milliseconds { Loop.wait(on: [Reader(ends.read)], atMost: 30_000) } < 20_000)
    }

    @Test func `waits no longer than the smallest requested wait`() {
        let ends = pipeEnds()
        defer {
            close(ends.read)
            close(ends.write)
        }
        let (patient, hasty) = (Reader(ends.read), Reader(ends.read))
        hasty.waitMilliseconds = 0
        #expect(milliseconds { Loop.wait(on: [patient, hasty], atMost: 30_000) } < 20_000)
        #expect(milliseconds { Loop.wait(on: [patient], atMost: 20) } >= 19)
        #expect(milliseconds { Loop.wait(on: [], atMost: 20) } >= 19)
    }

    @Test func `receives signals as input`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let signals = try Signals()
            guard signals.drain().isEmpty else { exit(1) }
            pthread_kill(pthread_self(), SIGTERM)
            pthread_kill(pthread_self(), SIGHUP)
            pthread_kill(pthread_self(), SIGPIPE)
            Loop.wait(on: [signals], atMost: 30_000)
            let received = signals.drain()
            exit(Set(received) == [.terminate, .hangUp] && signals.drain().isEmpty ? 7 : 2)
        }
    }
}
