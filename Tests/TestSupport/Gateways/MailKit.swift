import Foundation

/// Exim with STARTTLS and AUTH, and a mail server that breaks. The recipient decides what happens:
/// see `Tests/Gateways/README.md`.
public final class MailKit: GatewayKit {
    public static let isInstalled = GatewayKit.isInstalled("/usr/sbin/exim4", "/usr/bin/openssl")
    public static let user = "jaga"
    public static let password = "s3cret"

    /// - Parameter boxes: local parts that have a mailbox
    public init(boxes: [String] = ["ada", "ben"]) throws {
        try super.init(
            "mail", ports: ["SUBMISSION", "SMTPS", "BROKEN"],
            settings: ["BOXES": boxes.joined(separator: " ")])
    }

    /// STARTTLS and AUTH.
    public var url: String { "smtp://localhost:\(port("SUBMISSION"))/client.example.test" }
    /// TLS from the first byte.
    public var tlsURL: String { "smtps://localhost:\(port("SMTPS"))/client.example.test" }
    /// The server that breaks.
    public var brokenURL: String { "smtp://localhost:\(port("BROKEN"))/client.example.test" }
    /// The authority behind the servers' certificate.
    public var authorities: String { folder.file("kit/tls/ca.pem") }

    /// The mails of a mailbox as they lie there, oldest first.
    public func mails(of box: String) -> [String] { files(in: "kit/mail/\(box)/new") }

    /// The messages that the breaking server kept.
    public var broken: [String] { files(in: "kit/broken") }

    private func files(in path: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.file(path))) ?? []
        return names.sorted().compactMap { name in
            FileManager.default.contents(atPath: folder.file(path + "/" + name)).map {
                String(decoding: $0, as: UTF8.self)
            }
        }
    }
}
