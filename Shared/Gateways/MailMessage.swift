import Model

/// A plain-text mail (RFC 5322) with an optional attachment.
///
/// The Message-ID is derived from the notification's id and equal for all attempts, so receivers
/// can drop duplicates. Mails of one thread refer to one common id.
struct MailMessage {
    var from: MailAddress
    var to: MailAddress
    var message: GatewayMessage

    /// Header and body with CR LF line ends.
    var bytes: [UInt8] {
        var lines = [
            "Date: \(MailMessage.date(message.now))",
            "From: \(MailMessage.mailbox(from))",
            "To: <\(to.address)>",
            "Message-ID: \(identifier(message.id))",
        ]
        if let thread = message.thread {
            lines += [
                "In-Reply-To: \(identifier(thread))", "References: \(identifier(thread))",
            ]
        }
        lines.append("Subject: " + EncodedWord.encode(message.subject, after: 9))
        if message.isUrgent { lines += ["Importance: high", "X-Priority: 1"] }
        lines += [
            // Suppresses automatic replies (RFC 3834).
            "Auto-Submitted: auto-generated",
            "MIME-Version: 1.0",
        ]
        guard let file = message.file else { return MailMessage.lines(lines) + text }
        let boundary = "jaga-\(message.id)"
        let name = MailMessage.fileName(file.name)
        lines += ["Content-Type: multipart/mixed; boundary=\"\(boundary)\"", "", "--\(boundary)"]
        let attached = [
            "--\(boundary)", "Content-Type: application/octet-stream; name=\"\(name)\"",
            "Content-Disposition: attachment; filename=\"\(name)\"",
            "Content-Transfer-Encoding: base64", "",
        ]
        return MailMessage.lines(lines) + text + MailMessage.lines(attached)
            + Base64Lines.encode(Array(file.text.utf8)) + MailMessage.lines(["--\(boundary)--"])
    }

    /// Content headers and encoded text.
    private var text: [UInt8] {
        let head = [
            "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: quoted-printable", "",
        ]
        return MailMessage.lines(head) + QuotedPrintable.encode(message.text)
    }

    private static func lines(_ lines: [String]) -> [UInt8] {
        lines.flatMap { Array($0.utf8) + [13, 10] }
    }

    /// Replaces characters that some mail programs do not accept in file names.
    private static func fileName(_ name: String) -> String {
        String(
            name.unicodeScalars.map { scalar in
                let isPlain = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                let isSafe = scalar.isASCII && (isPlain || "-_.".unicodeScalars.contains(scalar))
                return isSafe ? Character(scalar) : "_"
            })
    }

    private func identifier(_ id: String) -> String { "<\(id)@\(from.domain)>" }

    private static func mailbox(_ address: MailAddress) -> String {
        if address.name.isEmpty { return "<\(address.address)>" }
        let isPlain = address.name.utf8.allSatisfy { byte in
            byte == 32 || (48...57).contains(byte) || (65...90).contains(byte)
                || (97...122).contains(byte)
        }
        let name = isPlain ? address.name : EncodedWord.encode(address.name, after: 6)
        return "\(name) <\(address.address)>"
    }

    /// `Fri, 20 Nov 2026 10:20:00 +0000`
    static func date(_ time: Timestamp) -> String {
        let seconds = time.seconds
        let days = (seconds - ((seconds % 86_400) + 86_400) % 86_400) / 86_400
        let date = CivilDate(daysSinceEpoch: days)
        let ofDay = seconds - days * 86_400
        // 1970-01-01 was a Thursday.
        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        let clock = [ofDay / 3600, ofDay / 60 % 60, ofDay % 60].map { value in
            value < 10 ? "0\(value)" : String(value)
        }
        let weekday = weekdays[Int(((days % 7) + 7) % 7)]
        let day = date.day < 10 ? "0\(date.day)" : String(date.day)
        return "\(weekday), \(day) \(months[Int(date.month) - 1]) \(date.year) "
            + clock.joined(separator: ":") + " +0000"
    }
}
