import Directory
import Model
import NotifierCore
import Runtime

/// Counts the circles in which nobody else can be reached for somebody, in portions, so that no
/// turn waits for it.
struct ReadinessCount {
    private var waiting: [CircleID] = []
    private var counting = 0
    /// Nil = not counted yet.
    private(set) var circles: Int?
    private(set) var next = Timestamp.zero

    /// Counts one portion, if it is time.
    mutating func step(in directory: Replica, _ reachability: Reachability, at now: Timestamp) {
        guard next <= now else { return }
        if waiting.isEmpty {
            waiting = directory.sortedCircles.map(\.id)
            counting = 0
        }
        let readiness = Readiness(directory, reachability, at: now)
        for id in waiting.suffix(Limits.readinessPortion) {
            waiting.removeLast()
            guard let circle = directory.circle(id) else { continue }
            if readiness.isAnybodyAlone(in: circle) { counting += 1 }
        }
        if waiting.isEmpty { circles = counting }
        next =
            now + (waiting.isEmpty ? Limits.readinessInterval : Limits.readinessPortionInterval)
    }

    func write(to metrics: Metrics) {
        guard let circles else { return }
        metrics.gauge(
            "jaga_circles_nobody_reachable",
            "Circles with a member for whom nobody else can be reached in an emergency."
        ).set(Double(circles))
    }
}
