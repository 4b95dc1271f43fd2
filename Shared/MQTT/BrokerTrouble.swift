import CMosquitto
import Glibc
import Runtime

/// Why there is no connection to the broker.
public struct BrokerTrouble: ExplainedError, Hashable {
    public var code: String
    public var operation: String { "connect to the MQTT broker" }
    public var message: String
    public var hint: String

    public init(_ code: String, _ message: String, hint: String) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// What the library said.
    ///
    /// - Parameters:
    ///   - result: of one of its calls
    ///   - error: `errno` after it
    ///   - detail: the last error that it logged
    static func of(_ result: Int32, error: Int32, detail: String?) -> BrokerTrouble {
        let ours = mosq_err_t(rawValue: result)
        let isTLS = [MOSQ_ERR_TLS, MOSQ_ERR_TLS_HANDSHAKE].contains(ours)
        let words: UnsafePointer<CChar>? =
            ours == MOSQ_ERR_ERRNO ? UnsafePointer(strerror(error)) : mosquitto_strerror(result)
        let message = words.map { String(cString: $0) } ?? "error \(result)"
        if isTLS || (detail != nil && ours != MOSQ_ERR_ERRNO) {
            return BrokerTrouble(
                "tls", detail ?? message,
                hint: "Check the certificates: the broker's has to name the host of its address, "
                    + "and be vouched for by the file with authorities.")
        }
        return BrokerTrouble(
            ours == MOSQ_ERR_CONN_LOST ? "lost" : "unreachable", message,
            hint: "Check that the broker runs at this address; it is tried again by itself.")
    }

    /// The broker's own refusal, by the number of MQTT 3.1.1.
    static func refused(_ number: Int32) -> BrokerTrouble {
        switch number {
        case 4, 5:
            BrokerTrouble(
                "credentials", "the broker refuses the user or the password",
                hint: "Give the broker this user with this password, or mend "
                    + "JAGA_INGEST_MQTT_URL and JAGA_INGEST_MQTT_PASSWORD_FILE and start again.")
        case 2:
            BrokerTrouble(
                "client-id", "the broker refuses the client id",
                hint: "Choose another JAGA_INGEST_MQTT_CLIENT_ID.")
        default:
            BrokerTrouble(
                "refused",
                "the broker refuses: "
                    + (mosquitto_connack_string(number).map { String(cString: $0) } ?? ""),
                hint: "See the broker's log.")
        }
    }

    static let notAllowed = BrokerTrouble(
        "not-allowed", "the broker does not let this user read the topics",
        hint: "Allow it in the broker's access list: topic readwrite PREFIX/#.")

    static let slow = BrokerTrouble(
        "timeout", "the broker does not answer",
        hint: "Check that it runs at this address, and that no firewall is between.")

    static let unknownHost = BrokerTrouble(
        "unknown-host", "the name of the broker's host cannot be resolved",
        hint: "Check the name in JAGA_INGEST_MQTT_URL and the name service of this machine.")

    static func unusable(_ message: String) -> BrokerTrouble {
        BrokerTrouble(
            "unusable", message, hint: "Check the files that JAGA_INGEST_MQTT_… name.")
    }
}
