import CLinux
import Model

/// The time of a process: wall time at its start, advanced by CLOCK_BOOTTIME.
///
/// So no step of the wall clock shortens or lengthens a wait; suspended time counts.
public final class SystemClock {
    /// Nanoseconds since 1970 and nanoseconds since boot.
    typealias Source = () -> (wall: Int64, boot: Int64)

    /// Steps of the wall clock smaller than this are nobody's business.
    public static let wallJumpMin = Duration.seconds(5)

    private let source: Source
    private let wallAtStart: Int64
    private let bootAtStart: Int64
    private var knownOffset: Int64 = 0

    public convenience init() {
        self.init(source: { (SystemClock.read(CLOCK_REALTIME), SystemClock.read(CLOCK_BOOTTIME)) })
    }

    init(source: @escaping Source) {
        self.source = source
        (wallAtStart, bootAtStart) = source()
    }

    /// Now, in whole milliseconds; never goes back.
    public var now: Timestamp {
        Timestamp(milliseconds: (wallAtStart + source().boot - bootAtStart) / 1_000_000)
    }

    /// Time since this clock was made; never goes back, not bound to any calendar.
    public var monotonic: Duration { .nanoseconds(source().boot - bootAtStart) }

    /// How far the wall clock was set since the last call (positive: forwards), if it was by more
    /// than ``wallJumpMin``. Each jump is told once; ``now`` stays as it was.
    public func wallJump() -> Duration? {
        let (wall, boot) = source()
        let offset = (wall - wallAtStart) - (boot - bootAtStart)
        let jump = Duration.nanoseconds(offset - knownOffset)
        guard jump > SystemClock.wallJumpMin || jump < .zero - SystemClock.wallJumpMin else {
            return nil
        }
        knownOffset = offset
        return jump
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
