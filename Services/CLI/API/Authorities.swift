import Runtime

/// Whom a command believes that it talks to the suite: the system's authorities, else those of the
/// file that its user names.
enum Authorities {
    /// More than every authority of a system together.
    private static let bytesMax = 4 << 20
    /// What to do about a certificate that nobody believes.
    static let hint = "where it made its certificate itself, name that with --cacert FILE"

    /// The file that a call names; nil for the system's.
    static func file(of call: Call) throws -> String? {
        guard let path = call.value("--cacert") else { return nil }
        guard Files.exists(path) else {
            throw CommandError(
                "there is no file \(path)", hint: "--cacert names a certificate, or some, in PEM")
        }
        let text = String(decoding: try Files.read(path, bytesMax: bytesMax), as: UTF8.self)
        guard text.contains("-----BEGIN CERTIFICATE-----"),
            text.contains("-----END CERTIFICATE-----")
        else {
            throw CommandError(
                "no certificate in PEM is in \(path)",
                hint: text.contains("PRIVATE KEY-----")
                    ? "that is a key, which belongs to the suite alone: name its certificate"
                    : "it begins with -----BEGIN CERTIFICATE-----; of DER make it with "
                        + "openssl x509 -inform der -in FILE")
        }
        return path
    }
}
