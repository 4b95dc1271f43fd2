import Dialects
import Directory
import Model

/// An operation of the HTTP API: a method on a path, and everything that is decided before its
/// handler runs.
///
/// To add one, add a row to its service's table and a case to the handler. Routers, nginx's routes
/// and rate limits derive from the tables; a test compares them with `docs/openapi.yaml`.
public struct Operation: Hashable, Sendable {
    /// The credentials that it accepts.
    public enum Access: Hashable, Sendable {
        /// Those of the operator, people and devices, as far as they have the right: of several,
        /// which ones depends on the content. ``Action/target`` says on what.
        case rights([Action])
        /// Those of the operator, people and devices. The answer contains what they may see.
        case signedIn
        /// Those of a device.
        case device
        /// Those of a device, in any form that apps send.
        case phone
        /// None but a secret in the path.
        case pathSecret
        /// None: what it needs is a secret in its body.
        case open
        /// None but a signature of the body.
        case signature
        /// Those of the operator and of staff with that role, or the monitoring token, for which
        /// private data is masked.
        case monitoring

        static func right(_ actions: Action...) -> Access { .rights(actions) }
    }

    /// How long a request with the same `Idempotency-Key` is a repetition of an earlier one.
    public enum Repetition: Hashable, Sendable {
        /// Never: keys are ignored.
        case never
        /// A day: configuration, reports, journeys.
        case day
        /// A minute, and only with an equal path and body: commands about a person's safety, which
        /// some clients always send with the same key.
        case minute
        /// Until somebody answers the emergency.
        case emergency
    }

    /// The rate limit of its requests.
    public enum RateLimit: Hashable, Sendable {
        /// That of configuration, by credential and address.
        case usual
        /// None.
        case none
        /// That of check-ins and answers to alarms.
        case answers
        /// By the number of reports, once they are read; calls for help are not limited.
        case content
    }

    /// The maximum size of its body.
    public enum BodySize: Hashable, Sendable {
        /// That of most operations.
        case usual
        /// That of files and batches.
        case large
        /// That of one photo.
        case photo
        /// That of batches with photos in base64.
        case photos
        /// The usual one; the request counts without a body that cannot be read.
        case ignored

        /// In bytes. Some phones delete what is rejected.
        public var bytesMax: Int {
            switch self {
            case .usual, .ignored: 1 << 20
            case .large: PhoneProtocol.batchBodyBytesMax
            case .photo: 5 << 20
            case .photos: PhoneProtocol.photoBodyBytesMax
            }
        }
    }

    public let service: ServiceName
    public let method: Method
    /// With `{name}` for a parameter.
    public let path: String
    /// The `operationId` in `docs/openapi.yaml`; nil for phone protocols.
    public let name: String?
    public let access: Access
    /// The kinds of credentials that it accepts, before rights are asked.
    public let kinds: CredentialKinds
    public let repetition: Repetition
    /// Whether it is rejected while the disk is nearly full. Additions and edits of zones and
    /// circles can wait; removals, new secrets and changes of sharing cannot.
    public let canWait: Bool
    /// Whether it raises, answers or ends an emergency.
    public let isEmergencyCommand: Bool
    public let limit: RateLimit
    public let body: BodySize
    /// Whether its response lasts as long as the client reads it: server-sent events.
    public let isStream: Bool

    /// - Parameter also: kinds that it accepts besides those of its access
    init(
        service: ServiceName, method: Method, path: String, name: String?, access: Access,
        also: CredentialKinds = [], repetition: Repetition, canWait: Bool,
        isEmergencyCommand: Bool, limit: RateLimit, body: BodySize, isStream: Bool = false
    ) {
        self.service = service
        self.method = method
        self.path = path
        self.name = name
        self.access = access
        kinds = access.kinds.union(also)
        self.repetition = repetition
        self.canWait = canWait
        self.isEmergencyCommand = isEmergencyCommand
        self.limit = limit
        self.body = body
        self.isStream = isStream
    }

    /// Every operation that the reverse proxy passes on.
    public static let all: [Operation] =
        operations(of: IngestOperation.self) + operations(of: MembershipOperation.self)
        + operations(of: TimerOperation.self) + operations(of: NotifierOperation.self)
        + HostOperation.all

    /// Maximum body sizes in bytes of a service's paths, where they are not the usual one. The keys
    /// have `*` for a parameter.
    public static func bodyBytesByPath(of service: ServiceName) -> [String: Int] {
        let others = all.filter {
            $0.service == service && $0.body.bytesMax != BodySize.usual.bytesMax
        }
        return Dictionary(
            others.map { ($0.pathPattern, $0.body.bytesMax) }, uniquingKeysWith: max)
    }

    /// Paths of a service whose requests count without a body that cannot be read.
    public static func unreadBodyPaths(of service: ServiceName) -> Set<String> {
        Set(all.filter { $0.service == service && $0.body == .ignored }.map(\.path))
    }

    /// The path with `*` for each parameter.
    private var pathPattern: String {
        path.split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.hasPrefix("{") ? "*" : $0 }.joined(separator: "/")
    }

    private static func operations<ID: OperationID>(of type: ID.Type) -> [Operation] {
        type.table.map(\.operation)
    }
}

extension Operation.Access {
    /// The kinds of credentials that such operations accept.
    fileprivate var kinds: CredentialKinds {
        switch self {
        case .rights, .signedIn: CredentialKinds.personal.union(.operator)
        case .device, .phone: .report
        // A credential is not looked at.
        case .pathSecret, .signature, .open: .all
        case .monitoring: CredentialKinds.personal.union([.monitor, .operator])
        }
    }
}

/// A row of a service's table: an operation, and the id that the service's handler switches over.
public struct RoutedOperation<ID: Sendable>: Sendable {
    public let id: ID
    public let operation: Operation

    init(_ id: ID, _ operation: Operation) {
        self.id = id
        self.operation = operation
    }
}

/// The operations of one service.
public protocol OperationID: Sendable {
    static var service: ServiceName { get }
    static var table: [RoutedOperation<Self>] { get }
}

extension RoutedOperation where ID: OperationID {
    /// - Parameters:
    ///   - also: kinds of credentials that it accepts besides those of its access
    ///   - repeats: nil = a day for POST, otherwise none
    init(
        _ method: Method, _ path: String, _ id: ID, _ name: String?, _ access: Operation.Access,
        also: CredentialKinds = [], repeats: Operation.Repetition? = nil, canWait: Bool = false,
        isEmergencyCommand: Bool = false, limit: Operation.RateLimit = .usual,
        body: Operation.BodySize = .usual, isStream: Bool = false
    ) {
        self.init(
            id,
            Operation(
                service: ID.service, method: method, path: path, name: name, access: access,
                also: also,
                repetition: repeats ?? (method == .post ? .day : .never), canWait: canWait,
                isEmergencyCommand: isEmergencyCommand, limit: limit, body: body,
                isStream: isStream))
    }
}
