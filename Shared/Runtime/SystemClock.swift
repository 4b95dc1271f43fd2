import CLinux
import Model

/// The clock of a process: wall time at its start, advanced by CLOCK_BOOTTIME.
///
/// Changes of the wall clock do not affect intervals; suspended time counts.
public final class SystemClock {
    /// Nanoseconds since 1970 and nanoseconds since boot.
    typealias Source = () -> (wall: Int64, boot: Int64)

    /// The smallest change of the wall clock that is reported.
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

    /// The current time in milliseconds; never decreases.
    public var now: Timestamp {
        Timestamp(milliseconds: (wallAtStart + source().boot - bootAtStart) / 1_000_000)
    }

    /// Time since this clock was created; never decreases.
    public var monotonic: Duration { .nanoseconds(source().boot - bootAtStart) }

    /// How far the wall clock was set since the last call (positive = forwards), if by more than
    /// ``wallJumpMin``. ``now`` is not affected.
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
