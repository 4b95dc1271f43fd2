import TestSupport
import Testing

@testable import Web

@Suite struct `A mail's dialogue` {
    /// The dialogue up to the acceptance of the recipient.
    private func accepted() -> MailDialogue {
        var dialogue = MailDialogue()
        dialogue.receiveReply("220 mx ready\r\n")
        dialogue.recordCommand("EHLO")
        for line in ["250-mx", "250-SIZE 100", "250 STARTTLS"] { dialogue.receiveReply(line) }
        dialogue.recordCommand("STAR")
        dialogue.receiveReply("220 go")
        dialogue.recordCommand("AUTH")
        dialogue.receiveReply("334 ")
        dialogue.recordCommand("AG5v")
        dialogue.receiveReply("235 ok")
        dialogue.recordCommand("MAIL")
        dialogue.receiveReply("250 ok")
        dialogue.recordCommand("RCPT")
        dialogue.receiveReply("250 ok")
        dialogue.recordCommand("DATA")
        dialogue.receiveReply("354 go on")
        return dialogue
    }

    private func failure(_ dialogue: MailDialogue) -> TransferFailure? {
        guard case .failed(let failure) = dialogue.outcome("broken") else { return nil }
        return failure
    }

    @Test func `is answered by the reply to the final dot`() {
        var dialogue = accepted()
        dialogue.recordMessageEnd()
        dialogue.receiveReply("250-first")
        #expect(failure(dialogue)?.fate == .unknown)
        dialogue.receiveReply("250 2.0.0 queued as 1")
        let answer = TransferAnswer(status: 250, body: Array("first 2.0.0 queued as 1".utf8))
        #expect(dialogue.outcome(nil) == .answered(answer))
        dialogue.receiveReply("421 too slow, goodbye")
        #expect(dialogue.outcome("cut before QUIT") == .answered(answer))
    }

    @Test func `reports a rejection with its stage`() {
        for (command, stage) in [
            ("EHLO", TransferFailure.MailStage.hello), ("AUTH", .authentication),
            ("MAIL", .sender), ("RCPT", .recipient), ("DATA", .message),
        ] {
            var dialogue = MailDialogue()
            dialogue.receiveReply("220 mx")
            dialogue.recordCommand(command)
            dialogue.receiveReply("550-5.1.1 no")
            dialogue.receiveReply("550 5.1.1 really")
            dialogue.recordCommand("QUIT")
            dialogue.receiveReply("221 goodbye")
            let failure = failure(dialogue)
            #expect(failure?.fate == .rejected)
            #expect(
                failure?.reply == .init(code: 550, text: "5.1.1 no 5.1.1 really", stage: stage))
            #expect(failure?.message == "the mail server replied 550 at stage \(stage.rawValue)")
        }
        var dialogue = MailDialogue()
        dialogue.receiveReply("421 too busy")
        #expect(failure(dialogue)?.reply?.stage == .connect)
        var late = accepted()
        late.recordMessageEnd()
        late.receiveReply("451 4.3.0 later")
        #expect(failure(late)?.fate == .rejected)
        #expect(failure(late)?.reply?.code == 451)
    }

    @Test func `is not sent before the final dot, unknown after it`() {
        var dialogue = MailDialogue()
        #expect(failure(dialogue)?.fate == .notSent)
        dialogue = accepted()
        #expect(failure(dialogue)?.fate == .notSent)
        #expect(failure(dialogue)?.message == "broken")
        dialogue.recordMessageEnd()
        #expect(failure(dialogue)?.fate == .unknown)
        dialogue.receiveReply("not a reply")
        #expect(failure(dialogue)?.fate == .unknown)
    }

    @Test func `shortens a long reply`() {
        var dialogue = accepted()
        for _ in 0..<100 { dialogue.receiveReply("550-" + String(repeating: "x", count: 400)) }
        dialogue.receiveReply("550 end")
        #expect(failure(dialogue)?.reply?.text.count == 1000)
    }
}

@Suite struct `A mail` {
    private func call(_ server: RawServer) -> MailCall {
        MailCall(
            url: "smtp://127.0.0.1:\(server.port)/client.example", sender: "a@example.test",
            recipient: "b@example.test", message: Array("Subject: x\r\n\r\nhi\r\n".utf8),
            login: Login(user: "u", password: "p"))
    }

    private func failure(of server: RawServer) throws -> TransferFailure {
        let loop = TransferLoop()
        loop.rawServer = server
        return try loop.failure(of: .mail(call(server)))
    }

    @Test func `is never sent unencrypted`() throws {
        let server = RawServer()
        server.greet = { $0.send("220 mx\r\n") }
        server.onReceive = { connection, text in
            connection.send(text.hasPrefix("EHLO") ? "250-mx\r\n250 AUTH PLAIN\r\n" : "250 ok\r\n")
        }
        #expect(try failure(of: server).fate == .notSent)
        let said = try #require(server.connections.first).received
        #expect(said.hasPrefix("EHLO client.example\r\n"))
        for word in ["AUTH", "MAIL", "RCPT", "DATA"] { #expect(!said.contains(word)) }
    }

    @Test func `is rejected at once, even if the server then stops replying`() throws {
        let server = RawServer()
        server.greet = { $0.send("554 5.7.1 not you\r\n") }
        let failure = try failure(of: server)
        #expect(failure.fate == .rejected)
        #expect(failure.reply == .init(code: 554, text: "5.7.1 not you", stage: .connect))
    }

    @Test func `is not sent if there is no server, or it does not reply`() throws {
        let closed = RawServer()
        closed.stop()
        #expect(try failure(of: closed).fate == .notSent)
        let loop = TransferLoop()
        let silent = RawServer()
        loop.rawServer = silent
        let failure = try loop.failure(of: .mail(call(silent)), timeoutMilliseconds: 200)
        #expect(failure.fate == .notSent)
    }

    @Test(arguments: [
        "", "a b@example.test", "a@example.test>\r\nRCPT TO:<c@example.test", "<a@example.test>",
    ])
    func `to an invalid address is not sent`(recipient: String) throws {
        var call = call(RawServer())
        call.recipient = recipient
        #expect(try TransferLoop().failure(of: .mail(call)).fate == .notSent)
    }
}
