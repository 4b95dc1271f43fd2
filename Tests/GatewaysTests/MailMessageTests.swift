import Hashing
import Model
import Testing

@testable import Gateways

@Suite struct `A mail message` {
    private func mail(
        from: String = "Jaga <jaga@example.org>", _ message: GatewayMessage
    ) throws -> String {
        let sender = try #require(MailAddress(from))
        let recipient = try #require(MailAddress(message.address))
        return text(MailMessage(from: sender, to: recipient, message: message).bytes)
    }

    @Test func `has standard headers and a Message-ID derived from the notification`() throws {
        let text = try mail(
            message(
                to: "ada@example.test", "Ada left Home.\n.dot\n", subject: "Ada left Home",
                thread: "emg_7", isUrgent: true))
        #expect(
            text == """
                Date: Fri, 20 Nov 2026 10:20:00 +0000\r
                From: Jaga <jaga@example.org>\r
                To: <ada@example.test>\r
                Message-ID: <ntf_1@example.org>\r
                In-Reply-To: <emg_7@example.org>\r
                References: <emg_7@example.org>\r
                Subject: Ada left Home\r
                Importance: high\r
                X-Priority: 1\r
                Auto-Submitted: auto-generated\r
                MIME-Version: 1.0\r
                Content-Type: text/plain; charset=utf-8\r
                Content-Transfer-Encoding: quoted-printable\r
                \r
                Ada left Home.\r
                .dot\r

                """)
    }

    @Test func `without a thread stands alone`() throws {
        let text = try mail(from: "jaga@example.org", message(to: "ada@example.test", "x"))
        #expect(text.contains("From: <jaga@example.org>\r\n"))
        for name in ["References", "In-Reply-To", "Importance"] { #expect(!text.contains(name)) }
    }

    @Test func `carries a file in lines that every server accepts`() throws {
        var message = message(to: "ada@example.test", "See\n", subject: "Zones")
        let content = String(repeating: "AlertZoneName,Sekolah é\n", count: 20)
        message.file = RequestedMessage.File(name: "Sek \"é.pad", text: content)
        let mailed = try mail(message)
        let parts = mailed.split(separator: "--jaga-ntf_1")
        #expect(parts.count == 4, "the head, two parts and the end")
        #expect(parts[0].contains("multipart/mixed; boundary=\"jaga-ntf_1\"\r\n\r\n"))
        #expect(parts[1].hasSuffix("\r\n\r\nSee\r\n"))
        #expect(parts[2].contains("filename=\"Sek___.pad\""))
        let body = try #require(parts[2].split(separator: "\r\n\r\n").last)
        let lines = body.split(separator: "\r\n")
        #expect(lines.allSatisfy { $0.utf8.count <= 76 })
        #expect(Base64.decode(lines.joined()).map { text($0) } == content)
        #expect(parts[3] == "--\r\n")
    }

    @Test func `accepts no headers injected by its subject`() throws {
        let text = try mail(
            message(to: "ada@example.test", "x", subject: "a\r\nBcc: b@example.test"))
        #expect(!text.contains("\nBcc"))
    }

    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 +0000"), (1_709_210_096, "Thu, 29 Feb 2024 12:34:56 +0000"),
        (-1, "Wed, 31 Dec 1969 23:59:59 +0000"), (86_399, "Thu, 01 Jan 1970 23:59:59 +0000"),
    ])
    func `is dated`(seconds: Int, date: String) {
        #expect(MailMessage.date(Timestamp(seconds: Int64(seconds))) == date)
    }
}

@Suite struct `A header text` {
    @Test(arguments: ["", "Ada left Home", "50 % = half (ok)"])
    func `in ASCII stays unchanged`(text: String) {
        #expect(EncodedWord.encode(text, after: 9) == text)
    }

    @Test func `with other characters becomes encoded words`() {
        #expect(EncodedWord.encode("é", after: 9) == "=?utf-8?B?w6k=?=")
        #expect(EncodedWord.encode("a =? b", after: 9).hasPrefix("=?utf-8?B?"))
    }

    @Test(arguments: [
        String(repeating: "Ж", count: 200), String(repeating: "😀", count: 50),
        String(repeating: "a", count: 300), String(repeating: "aé中😀", count: 30),
    ])
    func `that is long is folded between characters`(text: String) throws {
        let encoded = EncodedWord.encode(text, after: 9)
        let lines = encoded.split(separator: "\r\n")
        #expect(lines.count > 1)
        var decoded = ""
        for (index, line) in lines.enumerated() {
            #expect(line.utf8.count + (index == 0 ? 9 : 0) <= 76)
            let word = index == 0 ? line : line.dropFirst()
            #expect(word.hasPrefix("=?utf-8?B?") && word.hasSuffix("?="))
            let bytes = try #require(Base64.decode(word.dropFirst(10).dropLast(2)))
            decoded += try #require(String(validating: bytes, as: UTF8.self))
        }
        #expect(decoded == text)
    }
}

@Suite struct `Quoted-printable` {
    @Test(arguments: [
        ("", ""), ("a", "a\r\n"), ("a\n\nb", "a\r\n\r\nb\r\n"), ("a\r\nb\r\n", "a\r\nb\r\n"),
        ("a=b", "a=3Db\r\n"), ("é", "=C3=A9\r\n"), ("a \t", "a =09\r\n"), (" a", " a\r\n"),
        ("\u{0}", "=00\r\n"),
    ])
    func `encodes`(plain: String, encoded: String) {
        #expect(text(QuotedPrintable.encode(plain)) == encoded)
    }

    @Test(arguments: [
        String(repeating: "x", count: 500), String(repeating: "é", count: 200),
        String(repeating: "=", count: 77), String(repeating: "a ", count: 100) + "\nend",
    ])
    func `keeps lines short and loses nothing`(plain: String) {
        let encoded = text(QuotedPrintable.encode(plain))
        for line in encoded.split(separator: "\r\n") { #expect(line.utf8.count <= 76) }
        #expect(decoded(encoded) == plain + "\n")
    }

    private func decoded(_ text: String) -> String {
        var out: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == 13 { continue }
            guard byte == UInt8(ascii: "=") else {
                out.append(byte)
                continue
            }
            if rest.first == 13 {
                rest = rest.dropFirst(2)
            } else {
                out.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
                rest = rest.dropFirst(2)
            }
        }
        return String(decoding: out, as: UTF8.self)
    }
}

@Suite struct `A mail address` {
    @Test(arguments: [
        ("a@b.example", "", "a@b.example"), ("Ada <a@b.example>", "Ada", "a@b.example"),
        ("<a@b.example>", "", "a@b.example"), ("Ada B. <a+x@b>", "Ada B.", "a+x@b"),
    ])
    func `is parsed`(text: String, name: String, address: String) {
        #expect(MailAddress(text)?.name == name)
        #expect(MailAddress(text)?.address == address)
    }

    @Test(arguments: [
        "", "a", "a@", "@b", "a@b@c", "a b@c", "a@b>\r\nX: y", "Ada\r\n <a@b>", "<a@b", "a@b,c@d",
        "+15550000001",
    ])
    func `is not parsed from`(text: String) { #expect(MailAddress(text) == nil) }
}
