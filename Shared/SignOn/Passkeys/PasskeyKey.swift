import CFido2
import Model

/// Public key of a passkey, as an authenticator made it for one person.
public struct PasskeyKey: Hashable, Sendable, Codable {
    /// Algorithm of the key, by its COSE name. In the order in which they are offered.
    public enum Algorithm: String, Hashable, Sendable, CaseIterable, Codable {
        case es256, eddsa, rs256

        /// Number in the IANA registry of COSE algorithms.
        public var number: Int {
            switch self {
            case .es256: Int(COSE_ES256)
            case .eddsa: Int(COSE_EDDSA)
            case .rs256: Int(COSE_RS256)
            }
        }
    }

    /// Credential id that the authenticator chose, 16 to 1,023 bytes.
    public var id: [UInt8]
    public var algorithm: Algorithm
    /// The key in the form of libfido2.
    public var bytes: [UInt8]
    /// Number of signatures so far; 0 if the authenticator does not count.
    public var counter: UInt32

    static let idBytes = 16...1023
}

/// Initialisation of libfido2, required once before its first use.
enum Fido {
    private static let isReady: Bool = {
        fido_init(0)
        return true
    }()

    static func prepare() { invariant(isReady, "libfido2 is initialised") }
}
