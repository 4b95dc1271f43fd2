import Model
import TestSupport
import Testing
import Web

@testable import Gateways

@Suite(.enabled(if: MailKit.isInstalled, "Exim is not installed: scripts/setup --tests"))
struct `Through a mail server` {
    private func harness(
        _ mail: MailKit, url: String? = nil, password: String = MailKit.password,
        authorities: String? = nil, timeoutMilliseconds: Int = 20_000
    ) throws -> GatewayHarness {
        let sender = try #require(MailAddress("Jaga <jaga@example.org>"))
        return try GatewayHarness { _ in
            GatewayDriver(
                name: "mail", channels: [.email],
                kind: .mail(
                    MailGateway(
                        url: url ?? mail.url, sender: sender,
                        login: Login(user: MailKit.user, password: password),
                        authoritiesFile: authorities ?? mail.authorities,
                        timeoutMilliseconds: timeoutMilliseconds)))
        }
    }

    private func mail(to box: String, _ text: String = "hello\n") -> GatewayMessage {
        message(to: "\(box)@example.test", text, subject: "Ada left «Home» 😀", thread: "emg_7")
    }

    @Test func `a mail arrives unchanged`() async throws {
        let kit = try MailKit()
        try await kit.start()
        let harness = try harness(kit)
        let answer = try harness.send(mail(to: "ada", "Ada left.\n.\n..dots\né = 5 €\n"))
        #expect(answer.verdict == .accepted)
        #expect(try harness.send(mail(to: "ada")).verdict == .accepted)
        harness.run(until: { kit.mails(of: "ada").count == 2 })
        let first = try #require(kit.mails(of: "ada").first { $0.contains("left.") })
        let parts = first.split(separator: "\n\n", maxSplits: 1)
        #expect(parts[1] == "Ada left.\n.\n..dots\n=C3=A9 =3D 5 =E2=82=AC\n")
        for line in [
            "From: Jaga <jaga@example.org>", "To: <ada@example.test>",
            "Message-ID: <ntf_1@example.org>", "References: <emg_7@example.org>",
            "Subject: =?utf-8?B?QWRhIGxlZnQgwqtIb21lwrsg8J+YgA==?=",
        ] {
            #expect(("\n" + parts[0] + "\n").contains("\n\(line)\n"), "\(line)")
        }
        #expect(first.contains("with esmtpsa"))
        await kit.stop()
        #expect(try harness.send(mail(to: "ada")).verdict == .unreachable)
    }

    @Test func `TLS from the first byte works too`() async throws {
        let kit = try MailKit()
        try await kit.start()
        let harness = try harness(kit, url: kit.tlsURL)
        #expect(try harness.send(mail(to: "ben")).verdict == .accepted)
        harness.run(until: { kit.mails(of: "ben").count == 1 })
        await kit.stop()
    }

    @Test func `every outcome is distinct`() async throws {
        let kit = try MailKit()
        try await kit.start()
        let harness = try harness(kit)
        for (box, verdict, words) in [
            ("nobody", AttemptOutcome.rejected, "550 5.1.1 … no such user (recipient)"),
            ("later", .later, "451 4.3.0 try again later (recipient)"),
            ("full", .later, "452 4.2.2 mailbox full (recipient)"),
            ("blocked", .unroutable, "554 5.7.1 blocked by policy (recipient)"),
            ("laterdata", .later, "451 4.3.2 not now (message)"),
            ("rejectdata", .unroutable, "550 5.7.1 content refused (message)"),
        ] {
            let answer = try harness.send(mail(to: box))
            #expect(answer == GatewayAnswer(verdict, words))
        }
        #expect(
            try harness.send(message(to: "ada", "hello")).verdict == .rejected, "not a mail address"
        )
        let elsewhere = try harness.send(message(to: "ada@elsewhere.test", "hello"))
        #expect(elsewhere.verdict == .unroutable)
        let stranger = try self.harness(kit, password: "wrong")
        let refused = try stranger.send(mail(to: "ada"))
        #expect(refused.verdict == .misconfigured)
        #expect(refused.detail.hasPrefix("535 "))
        let careful = try self.harness(kit, authorities: "/etc/ssl/certs/ca-certificates.crt")
        #expect(try careful.send(mail(to: "ada")).verdict == .unreachable)
        #expect(kit.mails(of: "ada").isEmpty)
        await kit.stop()
    }

    @Test func `a mail without a final answer may still arrive`() async throws {
        let kit = try MailKit()
        try await kit.start()
        let impatient = try harness(kit, timeoutMilliseconds: 1500)
        #expect(try impatient.send(mail(to: "slow")).verdict == .unknown)
        impatient.run(until: { kit.mails(of: "slow").count == 1 })
        let cut = try harness(kit, url: kit.brokenURL)
        #expect(try cut.send(mail(to: "cut")).verdict == .unknown)
        #expect(kit.broken.count == 1)
        await kit.stop()
    }

    @Test func `a mail whose transfer broke midway was not sent`() async throws {
        let kit = try MailKit()
        try await kit.start()
        // More bytes than all buffers between client and server hold.
        let line = Array(String(repeating: "0123456789", count: 7).utf8) + [13, 10]
        let call = MailCall(
            url: kit.brokenURL, sender: "jaga@example.org", recipient: "half@example.test",
            message: Array(repeatElement(line, count: 400_000).joined()),
            authoritiesFile: kit.authorities)
        let result = Transfers.run(Transfer(token: 1, .mail(call)))
        #expect(MailGateway.read(result.outcome).verdict == .unreachable)
        #expect(kit.broken.isEmpty)
        await kit.stop()
    }

    @Test func `a server that stops answering after a rejection blocks nothing`() async throws {
        let kit = try MailKit()
        try await kit.start()
        let harness = try harness(kit, url: kit.brokenURL)
        let refused = try harness.send(mail(to: "silent"))
        #expect(refused == GatewayAnswer(.rejected, "550 5.1.1 no (recipient)"))
        #expect(try harness.send(mail(to: "cut")).verdict == .unknown)
        await kit.stop()
    }
}
