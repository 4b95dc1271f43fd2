import Model
import Testing
import Web

@testable import Gateways

@Suite struct `Kannel's answer` {
    @Test(arguments: [
        (202, "0: Accepted for delivery", AttemptOutcome.accepted),
        (202, "3: Queued for later delivery", .accepted),
        (403, "Not routable. Do not try again.", .unroutable),
        (403, "Authorization failed for sendsms", .misconfigured),
        (400, "Missing receiver number, rejected", .rejected),
        (400, "Invalid content-type", .misconfigured),
        (404, "Unknown request.", .misconfigured),
        (503, "Temporal failure, try again later.", .later),
        (500, "", .unknown), (200, "login page of a proxy", .unknown),
    ])
    func `means`(status: Int, body: String, verdict: AttemptOutcome) throws {
        #expect(try gateway("kannel").read(answered(status, body)).verdict == verdict)
    }

    @Test func `is shortened, without numbers`() throws {
        let answer = try gateway("kannel").read(
            answered(400, "Number(s) has/have been denied +15550000001\nmore"))
        #expect(answer.detail == "400 Number(s) has/have been denied +…")
    }

    @Test(arguments: [
        (TransferFailure.Fate.notSent, AttemptOutcome.unreachable), (.unknown, .unknown),
    ])
    func `that is missing means`(fate: TransferFailure.Fate, verdict: AttemptOutcome) throws {
        let failure = TransferFailure(fate: fate, message: "Timeout was reached")
        let answer = try gateway("kannel").read(.failed(failure))
        #expect(answer == GatewayAnswer(verdict, "Timeout was reached"))
    }
}

@Suite struct `Kannel's report` {
    private func report(_ query: String) throws -> GatewayReceipt? {
        let request = Request(
            id: 1, method: .get, path: "/v1/receipts/tok-1", query: Query(encoded: query))
        return try gateway("kannel").receipt(of: request)
    }

    @Test(arguments: [
        (1, ReceiptKind.delivered), (2, .failed), (4, .buffered), (8, .accepted),
        (16, .failed),
    ])
    func `means`(type: Int, kind: ReceiptKind) throws {
        let receipt = try report("type=\(type)&answer=NACK%2Fno+SMSC&to=%2B15550000001")
        #expect(receipt == GatewayReceipt(kind, address: "+15550000001", detail: "NACK/no SMSC"))
    }

    @Test(arguments: ["", "type=", "type=3", "type=11", "kind=1"])
    func `with an unknown state is ignored`(query: String) throws {
        #expect(try report(query) == nil)
    }
}

@Suite struct `Twilio's answer` {
    private func answer(_ status: Int, _ body: String, _ headers: Headers = [:]) throws
        -> GatewayAnswer
    {
        try gateway("twilio").read(answered(status, body, headers))
    }

    private func failure(_ code: Int, _ status: Int = 400) throws -> GatewayAnswer {
        try answer(
            status, #"{"code":\#(code),"message":"The 'To' number +15550000011 is bad"}"#)
    }

    @Test func `contains the message id`() throws {
        let answer = try answer(201, #"{"sid":"SM12","status":"queued","error_code":null}"#)
        #expect(answer == GatewayAnswer(.accepted, "201 queued", messageID: "SM12"))
    }

    @Test(arguments: [
        (21_211, AttemptOutcome.rejected), (21_614, .rejected), (21_612, .unroutable),
        (21_408, .unroutable), (21_606, .misconfigured), (99_999, .rejected),
    ])
    func `means`(code: Int, verdict: AttemptOutcome) throws {
        let answer = try failure(code)
        #expect(answer.verdict == verdict)
        #expect(answer.detail == "400 … The 'To' number +… is bad")
        #expect(!answer.isOptOut)
    }

    @Test func `reports an opt-out of the recipient`() throws {
        let answer = try failure(21_610)
        #expect(answer.verdict == .rejected)
        #expect(answer.isOptOut)
        #expect(answer.detail == "opted out: 400 … The 'To' number +… is bad")
    }

    @Test func `can request a delay`() throws {
        let answer = try answer(429, #"{"code":20429}"#, ["Retry-After": "2"])
        #expect(answer.verdict == .later)
        #expect(answer.retryAfter == .seconds(2))
        #expect(try self.answer(429, "", ["Retry-After": "soon"]).retryAfter == nil)
    }

    @Test(arguments: [(401, AttemptOutcome.misconfigured), (500, .unknown), (503, .unknown)])
    func `without a known body means`(status: Int, verdict: AttemptOutcome) throws {
        #expect(try answer(status, "oops").verdict == verdict)
    }

    @Test func `to a message is followed by a form in a callback`() throws {
        func receipt(_ form: String) throws -> GatewayReceipt? {
            try gateway("twilio").receipt(
                of: Request(
                    id: 1, method: .post, path: "/v1/receipts/tok-1",
                    headers: [
                        "Content-Type": "application/x-www-form-urlencoded; charset=UTF-8"
                    ], body: Array(form.utf8)))
        }
        #expect(
            try receipt("MessageSid=SM1&MessageStatus=delivered&To=%2B15550000001")
                == GatewayReceipt(.delivered, address: "+15550000001"))
        #expect(try receipt("MessageStatus=undelivered&ErrorCode=30003")?.kind == .failed)
        #expect(try receipt("MessageStatus=sent")?.kind == .accepted)
        #expect(try receipt("MessageStatus=queued") == nil)
        let stop = try receipt("MessageStatus=failed&ErrorCode=21610")
        #expect(stop?.kind == .failed)
        #expect(stop?.isOptOut == true)
    }

    @Test func `is requested with a form of the configured values`() throws {
        let call = try #require(gateway("twilio").call(for: message("hé & ho")))
        #expect(
            call.url == "https://sms.example.test/send/2010-04-01/Accounts/AC1/Messages.json")
        #expect(call.login == Login(user: "AC1", password: "p&w"))
        let form = Query(encoded: text(call.body))
        #expect(form["To"] == "+15550000001")
        #expect(form["From"] == "40404")
        #expect(form["Body"] == "hé & ho")
        #expect(form["StatusCallback"] == "http://127.0.0.1:8105/v1/receipts/tok-1")
    }
}

@Suite struct `A mail server's answer` {
    private func verdict(
        _ code: Int, _ text: String, _ stage: TransferFailure.MailStage
    ) -> AttemptOutcome {
        let reply = TransferFailure.Reply(code: code, text: text, stage: stage)
        return MailGateway.read(
            .failed(TransferFailure(fate: .rejected, reply: reply, message: "no"))
        ).verdict
    }

    @Test func `means, by stage`() {
        for stage in [
            TransferFailure.MailStage.connect, .hello, .authentication, .sender, .recipient,
            .message,
        ] {
            #expect(verdict(451, "4.3.0 later", stage) == .later)
        }
        #expect(verdict(554, "5.7.1 no", .connect) == .misconfigured)
        #expect(verdict(535, "5.7.8 bad", .authentication) == .misconfigured)
        #expect(verdict(550, "5.1.8 bad sender", .sender) == .misconfigured)
        #expect(verdict(550, "5.1.1 no such user", .recipient) == .rejected)
        #expect(verdict(554, "5.7.1 relaying denied", .recipient) == .unroutable)
        #expect(verdict(550, "5.7.1 content", .message) == .unroutable)
    }

    @Test func `is shortened, without addresses`() {
        let reply = TransferFailure.Reply(
            code: 550, text: "5.1.1 <ada@example.test>: no such user", stage: .recipient)
        let answer = MailGateway.read(
            .failed(TransferFailure(fate: .rejected, reply: reply, message: "no")))
        #expect(answer.detail == "550 5.1.1 … no such user (recipient)")
        #expect(
            MailGateway.read(answered(250, "2.0.0 queued as 1vM")).detail
                == "250 2.0.0 queued as 1vM")
    }

    @Test(arguments: [
        (TransferFailure.Fate.notSent, AttemptOutcome.unreachable), (.unknown, .unknown),
    ])
    func `that is missing means`(fate: TransferFailure.Fate, verdict: AttemptOutcome) {
        let failure = TransferFailure(fate: fate, message: "cut")
        #expect(MailGateway.read(.failed(failure)) == GatewayAnswer(verdict, "cut"))
    }
}
