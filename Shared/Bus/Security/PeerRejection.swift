import Wire

/// A rejected connection or request, here or by a peer.
public struct PeerRejection: Error, Hashable, Sendable, CustomStringConvertible {
    /// Why it was rejected.
    public enum Reason: Hashable, Sendable {
        /// The key is unknown.
        case unknownKey(fingerprint: String)
        /// The role lacks the right.
        case forbidden(BusRole, String)
        /// Processes with this key have too many connections.
        case tooManyConnections(BusRole)
        /// Only one side uses keys.
        case mechanism
        /// The client has another public key for the server.
        case foreignServerKey
        /// The server does not know the client's key, or denies its role.
        case rejected
        /// The connection closed during the handshake.
        case interrupted
    }

    public var reason: Reason
    /// The peer's address, if known.
    public var address: String
    /// The local socket, or the name of the peer.
    public var place: String
    /// Whether this process was rejected.
    public var isOurs: Bool

    init(_ reason: Reason, address: String, place: String, isOurs: Bool) {
        self.reason = reason
        self.address = address
        self.place = place
        self.isOurs = isOurs
    }

    /// Checks the right to send a request; nil if it is granted, as it always is without keys.
    init?(of request: Control, from route: Route) {
        guard let role = route.role,
            let objection = BusRights.objection(to: request, by: role)
        else { return nil }
        self.init(
            .forbidden(role, objection), address: route.address,
            place: CurveAuthenticator.Place.requests.rawValue, isOurs: false)
    }

    public var description: String {
        let peer = address.isEmpty ? "unknown peer" : address
        return isOurs
            ? "\(place) at \(peer) rejected this process: \(explanation)"
            : "\(peer) rejected at \(place): \(explanation)"
    }

    private var explanation: String {
        switch reason {
        case .unknownKey(let fingerprint):
            "key \(fingerprint) is unknown; are its keys from the same 'jaga keys init'?"
        case .forbidden(let role, let what):
            "\(role.rawValue) may not \(what); does it have the right .key?"
        case .tooManyConnections(let role):
            "more than \(BusLimits.connectionsMax) connections with the key of \(role.rawValue);"
                + " rotate it if they are not yours"
        case .mechanism:
            "one side uses keys and the other does not; see JAGA_CURVE, JAGA_KEYS"
        case .foreignServerKey:
            "it has another public key for this service; copy the .pub files to it again"
        case .rejected:
            "it does not know our key or denies its role; compare 'jaga keys show'"
        case .interrupted:
            "the connection closed during the handshake; is its .pub file here the right one?"
        }
    }
}
