import Foundation

/// Exim with STARTTLS and AUTH, and a faulty mail server. The recipient selects the outcome;
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
    /// The faulty server.
    public var brokenURL: String { "smtp://localhost:\(port("BROKEN"))/client.example.test" }
    /// The CA of the servers' certificate.
    public var authorities: String { folder.file("kit/tls/ca.pem") }

    /// The mails of a mailbox, oldest first.
    public func mails(of box: String) -> [String] { files(in: "kit/mail/\(box)/new") }

    /// The messages that the faulty server stored.
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
