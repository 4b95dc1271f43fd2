import Glibc
import Model
import Runtime
import Testing

@Suite struct `The watchdog` {
    @Test func `ends a process whose loop is stuck`() async {
        await #expect(processExitsWith: .exitCode(70)) {
            let watchdog = Watchdog(limit: .milliseconds(50))
            watchdog.beat(.zero)
            while true { sleep(60) }
        }
    }

    @Test func `ends it also if nobody reads its output`() async {
        await #expect(processExitsWith: .exitCode(70)) {
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0, fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0 else { exit(1) }
            while write(ends[1], [0], 1) == 1 {}
            guard fcntl(ends[1], F_SETFL, 0) == 0, dup2(ends[1], 2) == 2 else { exit(1) }
            let watchdog = Watchdog(limit: .milliseconds(50))
            watchdog.beat(.zero)
            while true { sleep(60) }
        }
    }

    @Test func `spares a process whose loop turns, and one that stopped it`() async {
        await #expect(processExitsWith: .exitCode(3)) {
            do {
                let watchdog = Watchdog(limit: .milliseconds(400))
                for turn in 1...60 {
                    usleep(25_000)
                    watchdog.beat(.milliseconds(turn * 25))
                }
            }
            for _ in 1...60 { usleep(25_000) }
            exit(3)
        }
    }
}
