import Runtime

/// Certificates that a command trusts: the system's, or those of `--cacert`.
enum Authorities {
    /// Larger than a bundle of all authorities of a system.
    private static let bytesMax = 4 << 20
    /// Hint for an untrusted certificate.
    static let hint = "for a self-signed certificate use --cacert FILE"

    /// The file of `--cacert`; nil = the system's certificates.
    static func file(of call: Call) throws -> String? {
        guard let path = call.value("--cacert") else { return nil }
        guard Files.exists(path) else {
            throw CommandError(
                "--cacert: there is no file \(path)", hint: "name a PEM file with certificates")
        }
        let text = String(decoding: try Files.read(path, bytesMax: bytesMax), as: UTF8.self)
        guard text.contains("-----BEGIN CERTIFICATE-----"),
            text.contains("-----END CERTIFICATE-----")
        else {
            throw CommandError(
                "--cacert: \(path) has no certificate in PEM",
                hint: text.contains("PRIVATE KEY-----")
                    ? "the file is a private key: name the certificate instead"
                    : "a PEM file begins with -----BEGIN CERTIFICATE-----; convert DER with "
                        + "openssl x509 -inform der -in FILE")
        }
        return path
    }
}
