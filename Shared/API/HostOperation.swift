import Model

/// The operations that every service serves for its own state. The reverse proxy passes on all but
/// those of evaluators.
public enum HostOperation: String, Sendable {
    /// Items that are held after an outage.
    case held
    case status, streams
    /// The events that the service keeps.
    case tail

    /// The path of a service's operation.
    public func path(of service: ServiceName) -> String { "/v1/\(rawValue)/\(service.rawValue)" }

    /// Paths for the machine that a service runs on.
    public static let localPaths: Set<String> = ["/healthz", "/readyz", "/metrics"]

    /// Every operation of the services with a store on disk.
    static let all: [Operation] = [ServiceName.ingest, .membership, .timer, .notifier]
        .flatMap { service in
            func operation(
                _ method: Method, _ part: HostOperation, _ name: String, _ access: Operation.Access
            ) -> Operation {
                let title = service.rawValue.prefix(1).uppercased() + service.rawValue.dropFirst()
                return Operation(
                    service: service, method: method, path: part.path(of: service),
                    name: "\(name)Of\(title)", access: access, repetition: .never, canWait: false,
                    isEmergencyCommand: false, limit: .usual, body: .usual, isStream: part == .tail)
            }
            let held = [
                operation(.get, .held, "readHeld", .right(.administer)),
                operation(.post, .held, "settleHeld", .right(.administer)),
            ]
            return ([.timer, .notifier].contains(service) ? held : []) + [
                operation(.get, .status, "readStatus", .monitoring),
                operation(.get, .streams, "readStreams", .right(.administer)),
                operation(.post, .streams, "mendStreams", .right(.administer)),
                operation(.get, .tail, "followEvents", .monitoring),
            ]
        }
}
