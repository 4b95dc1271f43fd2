import Model
import Parsing
import Runtime
import Web
import Wire

/// The part of a service that connects its core to a ``Host``.
///
/// The host calls these methods on its one thread, inside an open transaction. Whatever a method
/// publishes, answers or starts through the host leaves the process only after COMMIT. If a method
/// throws, the host rolls the whole turn back and calls ``reload()``.
///
/// What only some services do is a role of its own, see ``ServiceRoles``.
public protocol Service: AnyObject {
    /// Loads the core from the store, in a transaction of its own, before the first turn.
    func start() throws

    /// Rebuilds the core from the store after a turn was rolled back.
    func reload() throws

    /// Applies one event of a stream that this service consumes.
    func apply(_ event: Event, from stream: StreamName, at position: Position) throws

    /// Handles a request. The service answers it exactly once with ``Host/answer(_:_:)``, in this
    /// turn or a later one.
    func handle(_ request: Request) throws

    /// Called once per turn after all other inputs, with ``Host/now`` as the time.
    func tick() throws

    /// The latest time of the next ``tick()``; nil if the service has no deadline.
    var nextDeadline: Timestamp? { get }

    /// Sets gauges. Called just before `/metrics` is answered.
    func writeMetrics(_ metrics: Metrics)

    /// Counts and texts for the member `details` of `GET /v1/status/…`. Add the name of each new
    /// text to ``StatusMasking``, which decides whether holders of the monitoring token see it.
    var statusDetails: JSON { get }

    /// Faults that make the service unfit for requests, one sentence each; empty if it is healthy.
    ///
    /// `/healthz` and `/readyz` answer 503 as long as there is one, so proxies send requests
    /// elsewhere. Holders of the monitoring token see each sentence up to its first colon: names,
    /// numbers, positions and texts from outside belong after it. The same holds for ``alarms`` and
    /// ``concerns``.
    var healthProblems: [String] { get }

    /// Faults that need an operator although the service still accepts all requests, one sentence
    /// each.
    ///
    /// `/healthz` answers 503 as long as there is one; `/readyz` does not.
    var alarms: [String] { get }

    /// Conditions that need attention some day, one sentence each. They are shown and change no
    /// status code.
    var concerns: [String] { get }
}

extension Service {
    public var healthProblems: [String] { [] }
    public var alarms: [String] { [] }
    public var concerns: [String] { [] }
}
