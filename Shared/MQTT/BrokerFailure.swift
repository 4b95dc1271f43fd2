import CMosquitto
import Glibc
import Runtime

/// Why there is no connection to the broker.
public struct BrokerFailure: ExplainedError, Hashable {
    public var code: String
    public var operation: String { "connect to the MQTT broker" }
    public var message: String
    public var hint: String

    public init(_ code: String, _ message: String, hint: String) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// The failure of a call of the library.
    ///
    /// - Parameters:
    ///   - result: result of the call
    ///   - error: `errno` after it
    ///   - detail: the last error that the library logged
    static func of(_ result: Int32, error: Int32, detail: String?) -> BrokerFailure {
        let code = mosq_err_t(rawValue: result)
        let isTLS = [MOSQ_ERR_TLS, MOSQ_ERR_TLS_HANDSHAKE].contains(code)
        let text: UnsafePointer<CChar>? =
            code == MOSQ_ERR_ERRNO ? UnsafePointer(strerror(error)) : mosquitto_strerror(result)
        let message = text.map { String(cString: $0) } ?? "error \(result)"
        if isTLS || (detail != nil && code != MOSQ_ERR_ERRNO) {
            return BrokerFailure(
                "tls", detail ?? message,
                hint: "Check the certificates: the broker's must name the host of its address and "
                    + "be signed by a trusted CA.")
        }
        return BrokerFailure(
            code == MOSQ_ERR_CONN_LOST ? "lost" : "unreachable", message,
            hint: "Check that the broker runs at this address. The connection is retried.")
    }

    /// The broker's rejection, by its CONNACK code of MQTT 3.1.1.
    static func refused(_ number: Int32) -> BrokerFailure {
        switch number {
        case 4, 5:
            BrokerFailure(
                "credentials", "the broker rejected the user or the password",
                hint: "Add this user with this password to the broker, or correct "
                    + "JAGA_INGEST_MQTT_URL and JAGA_INGEST_MQTT_PASSWORD_FILE and restart.")
        case 2:
            BrokerFailure(
                "client-id", "the broker rejected the client id",
                hint: "Choose another JAGA_INGEST_MQTT_CLIENT_ID.")
        default:
            BrokerFailure(
                "refused",
                "the broker rejected the connection: "
                    + (mosquitto_connack_string(number).map { String(cString: $0) } ?? ""),
                hint: "Check the broker's log.")
        }
    }

    static let notAllowed = BrokerFailure(
        "not-allowed", "the broker denied the subscription",
        hint: "Allow the topics in the broker's access list: topic readwrite PREFIX/#.")

    static let slow = BrokerFailure(
        "timeout", "the broker did not respond within 20 s",
        hint: "Check that it runs at this address and that no firewall blocks it.")

    static let unknownHost = BrokerFailure(
        "unknown-host", "the name of the broker's host cannot be resolved",
        hint: "Check the name in JAGA_INGEST_MQTT_URL and the DNS settings of this machine.")

    static func unusable(_ message: String) -> BrokerFailure {
        BrokerFailure(
            "unusable", message, hint: "Check the files that JAGA_INGEST_MQTT_… name.")
    }
}
