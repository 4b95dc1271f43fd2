import TestSupport
import Testing

@testable import Web

@Suite struct `A mail's dialogue` {
    /// Up to the recipient's acceptance.
    private func accepted() -> MailDialogue {
        var dialogue = MailDialogue()
        dialogue.takeReply("220 mx ready\r\n")
        dialogue.sawCommand("EHLO")
        for line in ["250-mx", "250-SIZE 100", "250 STARTTLS"] { dialogue.takeReply(line) }
        dialogue.sawCommand("STAR")
        dialogue.takeReply("220 go")
        dialogue.sawCommand("AUTH")
        dialogue.takeReply("334 ")
        dialogue.sawCommand("AG5v")
        dialogue.takeReply("235 ok")
        dialogue.sawCommand("MAIL")
        dialogue.takeReply("250 ok")
        dialogue.sawCommand("RCPT")
        dialogue.takeReply("250 ok")
        dialogue.sawCommand("DATA")
        dialogue.takeReply("354 go on")
        return dialogue
    }

    private func failure(_ dialogue: MailDialogue) -> TransferFailure? {
        guard case .failed(let failure) = dialogue.outcome("broken") else { return nil }
        return failure
    }

    @Test func `is answered by the reply to the final dot`() {
        var dialogue = accepted()
        dialogue.sawMessageEnd()
        dialogue.takeReply("250-first")
        #expect(failure(dialogue)?.fate == .unknown)
        dialogue.takeReply("250 2.0.0 queued as 1")
        let answer = TransferAnswer(status: 250, body: Array("first 2.0.0 queued as 1".utf8))
        #expect(dialogue.outcome(nil) == .answered(answer))
        dialogue.takeReply("421 too slow, goodbye")
        #expect(dialogue.outcome("cut before QUIT") == .answered(answer))
    }

    @Test func `tells what was refused`() {
        for (command, stage) in [
            ("EHLO", TransferFailure.MailStage.hello), ("AUTH", .authentication),
            ("MAIL", .sender), ("RCPT", .recipient), ("DATA", .message),
        ] {
            var dialogue = MailDialogue()
            dialogue.takeReply("220 mx")
            dialogue.sawCommand(command)
            dialogue.takeReply("550-5.1.1 no")
            dialogue.takeReply("550 5.1.1 really")
            dialogue.sawCommand("QUIT")
            dialogue.takeReply("221 goodbye")
            let failure = failure(dialogue)
            #expect(failure?.fate == .refused)
            #expect(
                failure?.reply == .init(code: 550, text: "5.1.1 no 5.1.1 really", stage: stage))
            #expect(failure?.message == "the mail server answered 550 at \(stage.rawValue)")
        }
        var dialogue = MailDialogue()
        dialogue.takeReply("421 too busy")
        #expect(failure(dialogue)?.reply?.stage == .connect)
        var late = accepted()
        late.sawMessageEnd()
        late.takeReply("451 4.3.0 later")
        #expect(failure(late)?.fate == .refused)
        #expect(failure(late)?.reply?.code == 451)
    }

    @Test func `is not sent before the final dot, unknown after it`() {
        var dialogue = MailDialogue()
        #expect(failure(dialogue)?.fate == .notSent)
        dialogue = accepted()
        #expect(failure(dialogue)?.fate == .notSent)
        #expect(failure(dialogue)?.message == "broken")
        dialogue.sawMessageEnd()
        #expect(failure(dialogue)?.fate == .unknown)
        dialogue.takeReply("not a reply")
        #expect(failure(dialogue)?.fate == .unknown)
    }

    @Test func `keeps a long reply within bounds`() {
        var dialogue = accepted()
        for _ in 0..<100 { dialogue.takeReply("550-" + String(repeating: "x", count: 400)) }
        dialogue.takeReply("550 end")
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

    @Test func `never goes out in clear`() throws {
        let server = RawServer()
        server.greet = { $0.send("220 mx\r\n") }
        server.hear = { connection, text in
            connection.send(text.hasPrefix("EHLO") ? "250-mx\r\n250 AUTH PLAIN\r\n" : "250 ok\r\n")
        }
        #expect(try failure(of: server).fate == .notSent)
        let said = try #require(server.connections.first).received
        #expect(said.hasPrefix("EHLO client.example\r\n"))
        for word in ["AUTH", "MAIL", "RCPT", "DATA"] { #expect(!said.contains(word)) }
    }

    @Test func `hears a refusal at once, also when the server then falls silent`() throws {
        let server = RawServer()
        server.greet = { $0.send("554 5.7.1 not you\r\n") }
        let failure = try failure(of: server)
        #expect(failure.fate == .refused)
        #expect(failure.reply == .init(code: 554, text: "5.7.1 not you", stage: .connect))
    }

    @Test func `finds nobody, or nobody who talks: not sent`() throws {
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
    func `to no address is not sent`(recipient: String) throws {
        var call = call(RawServer())
        call.recipient = recipient
        #expect(try TransferLoop().failure(of: .mail(call)).fate == .notSent)
    }
}
