import Glibc
import Hosting
import Model
import Runtime

/// The self-signed certificate of `jaga up --self-signed`.
///
/// Stored in `tls/` of the home. Renewed if the address changes or it expires within 30 days.
/// Phones accept it only after their owners have installed it.
struct SelfSigned {
    /// Paths of PEM files.
    let certificate: String
    let key: String
    /// SHA-256 of the certificate, as pairs of hexadecimal digits with colons.
    let fingerprint: String

    /// Phones reject certificates that are valid for more than 825 days.
    private static let validDays = 397
    private static let renewalSeconds = 30 * 86_400

    /// Loads the certificate in the home, or creates one.
    ///
    /// - Parameters:
    ///   - home: absolute path of the home folder
    ///   - address: the IPv4 address that phones use
    /// - Throws: ``CommandError`` if `openssl` is missing or fails
    init(home: String, address: String, environment: [String: String]) throws {
        let folder = home + "/tls"
        certificate = folder + "/certificate.pem"
        key = folder + "/key.pem"
        try Files.makeFolder(folder, mode: 0o700)
        let tool = OpenSSL(environment: environment)
        if try !SelfSigned.isUsable(certificate, key, for: address, tool) {
            try SelfSigned.make(certificate, key, for: address, tool)
        }
        let shown = try tool.run(
            ["x509", "-in", certificate, "-noout", "-fingerprint", "-sha256"])
        fingerprint =
            shown.split(separator: "=").last.map(String.init)?
            .trimmed ?? shown
    }

    private static func isUsable(
        _ certificate: String, _ key: String, for address: String, _ tool: OpenSSL
    ) throws -> Bool {
        guard Files.exists(certificate), Files.exists(key) else { return false }
        let base = ["x509", "-in", certificate, "-noout"]
        // Both checks exit with status 1 for an unsuitable certificate.
        let match = try? tool.run(base + ["-checkip", address])
        let end = try? tool.run(base + ["-checkend", String(renewalSeconds)])
        return match?.contains("does match") == true && end != nil
    }

    private static func make(
        _ certificate: String, _ key: String, for address: String, _ tool: OpenSSL
    ) throws {
        // Restricts permissions before the files have content.
        for path in [key, certificate] { try Files.write([], to: path + ".new", mode: 0o600) }
        _ = try tool.run([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-days", String(validDays), "-subj", "/O=Jaga/CN=\(address)",
            "-addext", "subjectAltName=IP:\(address),IP:127.0.0.1,DNS:localhost",
            "-addext", "extendedKeyUsage=serverAuth",
            "-keyout", key + ".new", "-out", certificate + ".new",
        ])
        guard rename(key + ".new", key) == 0, rename(certificate + ".new", certificate) == 0
        else { throw SystemError(errno, "write \(certificate)") }
    }
}

/// The program `openssl`.
private struct OpenSSL {
    let environment: [String: String]

    /// Runs openssl and returns its output.
    func run(_ arguments: [String]) throws -> String {
        let program = try ChildProcess(
            path: "/usr/bin/env", arguments: ["openssl"] + arguments, environment: environment)
        var bytes: [UInt8] = []
        while let more = program.drain() {
            bytes += more
            if more.isEmpty { Loop.wait(on: [program], atMost: 1000) }
        }
        while program.reap() == nil { Loop.wait(on: [], atMost: 1) }
        let text = String(decoding: bytes, as: UTF8.self)
        switch program.exitStatus {
        case 0: return text
        case 127:
            throw CommandError("openssl is not installed", hint: "apt-get install openssl")
        default:
            throw CommandError(
                "openssl \(arguments.first ?? "") failed: \(text.suffix(300).trimmed)")
        }
    }
}

extension StringProtocol {
    /// The text without whitespace at both ends.
    fileprivate var trimmed: String {
        let start = drop { $0.isWhitespace }
        let end = start.lastIndex { !$0.isWhitespace } ?? start.startIndex
        return start.isEmpty ? "" : String(start[...end])
    }
}
