import Geometry
import Model

/// Where fixes of a person change nothing: around a fix that was judged, no zone has an edge here.
///
/// Most fixes are close to the one before. While they stay in the clearing they are on the same
/// side of every edge, and of every line at an alert distance, as the fix that it was made for; so
/// what is told already stays true whatever their accuracy, and no zone is looked at.
///
/// It is no part of the state: without it the same is decided, more slowly. It ends with the next
/// record of configuration, with a wait that is over, and with a fix that is judged.
struct Clearing: Sendable {
    /// Farther than this from any edge, nobody gains by knowing how far, metres.
    static let metresMax = 10_000.0
    /// Made in vain, the next one is made only after so many fixes.
    private static let pauseMax: UInt8 = 31

    private var disc = Disc.empty
    /// What ``PartitionState/arrangements`` was when it was made.
    private var arrangements: UInt64 = 0
    /// Fixes that were in it, as far as it matters.
    private var served: UInt8 = 0
    /// Fixes until it is worth while to make one, and how many there were last time.
    private var waits: UInt8 = 0
    private var pause: UInt8 = 0

    /// Whether a fix changes nothing.
    @inline(__always)
    mutating func holds(_ position: Coordinate, at arrangements: UInt64) -> Bool {
        guard arrangements == self.arrangements, disc.holds(position) else { return false }
        if served < .max { served += 1 }
        return true
    }

    mutating func end() { disc = .empty }

    /// After a fix that was judged: whether a clearing is to be made. Where edges are close
    /// together it seldom pays.
    mutating func isWorthWhile() -> Bool {
        disc = .empty
        guard waits == 0 else {
            waits -= 1
            return false
        }
        pause = served > 1 ? 0 : min(pause * 2 + 1, Clearing.pauseMax)
        waits = pause
        served = 0
        return true
    }

    /// Makes it.
    ///
    /// - Parameter metres: around the point there is no line so near of any zone that judges the
    ///   person, and all is told as it is on the point's side of them
    mutating func make(around point: EarthPoint, metres: Double, at arrangements: UInt64) {
        self.arrangements = arrangements
        disc = Disc(around: point, metres: metres)
    }
}
