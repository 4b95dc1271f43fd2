import Foundation
import TestSupport

/// Real Kannel and Exim, and the settings of a suite for them.
final class Gateways {
    static let areInstalled = KannelKit.isInstalled && MailKit.isInstalled

    let kannel: KannelKit
    let mail: MailKit
    private let boxes = ["Anna", "Bob", "Cara"]
    /// Messages received before Kannel was restarted, which starts a new file.
    private var earlier: [KannelKit.SMS] = []

    init() throws {
        kannel = try KannelKit()
        mail = try MailKit(boxes: boxes.map { $0.lowercased() })
    }

    func start() async throws {
        try await kannel.start()
        try await mail.start()
    }

    func stop() async {
        await stopKannel()
        await mail.stop()
    }

    func stopKannel() async {
        await kannel.stop()
        earlier += kannel.messages
    }

    /// Lines of jaga.conf.
    func settings() throws -> [String: String] {
        try [
            "JAGA_SMS_GATEWAY": "kannel", "JAGA_SMS_URL": kannel.url,
            "JAGA_SMS_USER": KannelKit.user,
            "JAGA_SMS_PASSWORD_FILE": secret(KannelKit.password, in: kannel),
            "JAGA_MAIL_URL": mail.url, "JAGA_MAIL_FROM": "Jaga <jaga@example.test>",
            "JAGA_MAIL_USER": MailKit.user,
            "JAGA_MAIL_PASSWORD_FILE": secret(MailKit.password, in: mail),
            "JAGA_MAIL_CA_FILE": mail.authorities,
        ]
    }

    private func secret(_ text: String, in kit: GatewayKit) throws -> String {
        let path = kit.folder.file("password")
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        return path
    }

    /// All delivered texts, their parts joined. Parts to different numbers may alternate.
    private var wholeTexts: [(recipient: String, text: String)] {
        var texts: [(recipient: String, text: String)] = []
        for sms in earlier + kannel.messages {
            if sms.isContinuation,
                let index = texts.lastIndex(where: { $0.recipient == sms.recipient })
            {
                texts[index].text += sms.text
            } else {
                texts.append((sms.recipient, sms.text))
            }
        }
        return texts
    }

    /// All delivered messages.
    func messages(to people: [Household.Person]) -> [Message] {
        let texts = wholeTexts.map { sms in
            let name = people.first { $0.number == sms.recipient }?.name
            return Message(way: .sms, to: name ?? sms.recipient, text: sms.text)
        }
        let mails = boxes.flatMap { box in
            mail.mails(of: box.lowercased()).map { Message(mail: $0, to: box) }
        }
        return texts + mails
    }
}
