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

    @Test func `lets one live that goes on turning, and one that let go of it`() async {
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
