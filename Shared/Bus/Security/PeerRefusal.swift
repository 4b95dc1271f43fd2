import Wire

/// Somebody was not let in, or we were not.
public struct PeerRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// Why it came to nothing.
    public enum Reason: Hashable, Sendable {
        /// The key is of nobody here.
        case unknownKey(fingerprint: String)
        /// The role may not do that.
        case forbidden(BusRole, String)
        /// One side wants keys and the other has none.
        case mechanism
        /// The other has another public key for us than ours.
        case foreignServerKey
        /// The other knows our key and does not let it in, or does not know it.
        case rejected
        /// The connection ended in the middle of the handshake.
        case brokenOff
    }

    public var reason: Reason
    /// Where the other is, as far as it is known.
    public var address: String
    /// At which of our sockets, or of which peer.
    public var place: String
    /// Whether we wanted to be let in there.
    public var isOurs: Bool

    init(_ reason: Reason, address: String, place: String, isOurs: Bool) {
        self.reason = reason
        self.address = address
        self.place = place
        self.isOurs = isOurs
    }

    /// What stands against a question; nil when it may be asked, as it may where no keys are used.
    init?(of question: Control, from route: Route) {
        guard let role = route.role,
            let objection = BusRights.objection(to: question, by: role)
        else { return nil }
        self.init(
            .forbidden(role, objection), address: route.address,
            place: Doorkeeper.Place.questions.rawValue, isOurs: false)
    }

    public var description: String {
        let who = address.isEmpty ? "somebody" : address
        return isOurs
            ? "\(place) at \(who) does not let us in: \(words)"
            : "\(who) is not let in at \(place): \(words)"
    }

    private var words: String {
        switch reason {
        case .unknownKey(let fingerprint):
            "its key \(fingerprint) is nobody's here; are its keys of the same 'jaga keys init'?"
        case .forbidden(let role, let what):
            "\(role.rawValue) may not \(what); does it have the right .key?"
        case .mechanism:
            "one side uses keys and the other does not; see JAGA_CURVE, JAGA_KEYS"
        case .foreignServerKey:
            "it has another public key for this service; copy the .pub files to it again"
        case .rejected:
            "our key is unknown there, or of a role that may not; compare 'jaga keys show'"
        case .brokenOff:
            "the connection ended in the handshake; is its .pub file here the right one?"
        }
    }
}
