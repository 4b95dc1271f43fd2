import Model
import Testing
import Web

@testable import Gateways

/// Builds a callback request as gateways send it.
private func callback(
    _ method: Web.Method = .get, query: String = "", type: String? = nil, body: String = ""
) -> Request {
    var headers = Headers()
    headers["Content-Type"] = type
    return Request(
        id: 1, method: method, path: "/v1/receipts/tok-1", query: Query(encoded: query),
        headers: headers, body: Array(body.utf8))
}

@Suite struct `Jasmin's answer` {
    @Test(arguments: [
        (200, #"Success "07033084-5cfd-4812-90a4-e4d24ffb6e3d""#, AttemptOutcome.accepted),
        (200, "login page of a proxy", .unknown),
        (400, #"Error "Argument [to] has an invalid value: [x].""#, .rejected),
        (400, #"Error "Mandatory argument [content] is not found.""#, .misconfigured),
        (403, #"Error "Authentication failure for username:jaga""#, .misconfigured),
        (403, #"Error "User throughput exceeded""#, .later),
        (
            403, #"Error "Cannot charge submit_sm, check RouterPB log file for details""#,
            .misconfigured
        ),
        (412, #"Error "No route found""#, .unroutable),
        (412, #"Error "Failover route has no bound connectors""#, .later),
        (
            500, #"Error "Cannot send submit_sm, check SMPPClientManagerPB log file for details""#,
            .later
        ),
        (502, "", .unknown),
    ])
    func `means`(status: Int, body: String, verdict: AttemptOutcome) throws {
        #expect(try gateway("jasmin").read(answered(status, body)).verdict == verdict)
    }

    @Test(arguments: [
        ("id=1&message_status=ESME_ROK&level=1&connector=c", ReceiptKind.accepted),
        ("id=1&message_status=ESME_RINVDSTADR&level=1&connector=c", .failed),
        ("id=1&message_status=ESME_RTHROTTLED&level=1&connector=c", .buffered),
        ("id=1&message_status=ESME_RMSGQFUL&level=1&connector=c", .buffered),
        ("id=1&id_smsc=7&message_status=DELIVRD&level=2&err=000", .delivered),
        ("id=1&id_smsc=7&message_status=UNDELIV&level=2&err=069", .failed),
        ("id=1&id_smsc=7&message_status=ENROUTE&level=2", .buffered),
    ])
    func `is followed by receipts`(query: String, kind: ReceiptKind) throws {
        #expect(try gateway("jasmin").receipt(of: callback(query: query))?.kind == kind)
    }

    @Test func `is repeated unless the response is the one that Jasmin expects`() throws {
        let driver = try Shipped.driver("jasmin")
        #expect(text(driver.receiptResponse.body) == "ACK/Jasmin")
        #expect(text(driver.replyResponse.body) == "ACK/Jasmin")
        #expect(text(try Shipped.driver("kannel").receiptResponse.body) == "ok")
        #expect(text(GatewayDriver.defaultSink.receiptResponse.body) == "ok")
        let form = "id=9&from=15550000001&to=40404&content=OK+4711&binary=4f4b2034373131"
        let reply = driver.reply(
            of: callback(.post, type: "application/x-www-form-urlencoded", body: form))
        #expect(reply == GatewayReply(sender: "+15550000001", text: "OK 4711", id: "9"))
    }
}

@Suite struct `A text in Jasmin's binary field` {
    private func text(_ form: String) throws -> String? {
        try Shipped.driver("jasmin").reply(
            of: callback(
                .post, type: "application/x-www-form-urlencoded",
                body: "id=9&from=15550000001&to=40404&" + form))?.text
    }

    @Test(arguments: [
        // As Jasmin 0.11.0 posts them.
        (
            "content=%00S%00O%00S%00+%5E.b%11&binary=0053004f005300205e2e6211&coding=%08",
            "SOS 帮我"
        ),
        (
            "content=%00o%00k%00+%004%002%000%002&binary=006f006b00200034003200300032&coding=%08",
            "ok 4202"
        ),
        ("content=OK+4711&binary=4f4b2034373131&coding=%00", "OK 4711"),
        ("content=%00&binary=00&coding=0", "@"),
        ("content=OK&binary=4f4be9&coding=3", "OKé"),
        // Class bits do not change the alphabet.
        ("content=x&binary=0053004f0053&coding=24", "SOS"),
        // Binary data is not text, so the gateway's own conversion is used.
        ("content=OK&binary=0102&coding=4", "OK"),
        ("content=OK&binary=xx&coding=8", "OK"), ("content=OK", "OK"),
    ])
    func `is decoded by its data coding`(form: String, expected: String) throws {
        #expect(try text(form) == expected)
    }

    /// Jasmin 0.11.0 joins the parts of a long text. Other gateways deliver each part with its
    /// header.
    @Test(arguments: [
        ("0500032a0201" + "0053004f005300205e2e6211", 8, "SOS 帮我", false),
        ("0608042a2a0201" + "0053004f0053", 8, "SOS", false),
        ("0500032a0202" + "00530054004f0050", 8, "STOP", true),
        ("0500032a0202" + "53544f50", 0, "STOP", true),
        // The header also has ports, as in an application's message.
        ("0b05040b8423f000032a0302" + "4f4b", 0, "OK", true),
        // Not headers: a part number beyond the total, a wrong length, plain text.
        ("0500032a0203" + "0041", 8, "\u{500}\u{32A}\u{203}A", false),
        ("0053004f0053", 8, "SOS", false),
    ])
    func `of several parts is decoded without the headers`(
        hex: String, coding: Int, expected: String, isContinuation: Bool
    ) throws {
        let reply = try Shipped.driver("jasmin").reply(
            of: callback(
                .post, type: "application/x-www-form-urlencoded",
                body: "from=15550000001&content=x&binary=\(hex)&coding=\(coding)"))
        #expect(reply?.text == expected)
        #expect(reply?.isContinuation == isContinuation)
    }

    @Test(arguments: [
        ("REPLY_CHARSET=utf-16 2", "2", "OK"), ("REPLY_CHARSET=latin-1", "8", "\0O\0K"),
        ("REPLY_CHARSET=utf-8 0\nREPLY_CHARSET=utf-16 7,9", "9", "OK"),
    ])
    func `is decoded by the charset rules of the description`(
        lines: String, coding: String, expected: String
    ) throws {
        let description = try GatewayFile.parse(
            """
            NAME=own
            URL={url}
            RULE=accepted 2xx
            REPLY_FROM=from
            REPLY_TEXT_HEX=hex
            REPLY_CODING=coding
            \(lines)
            """, file: "own")
        let fields = Query(encoded: "from=15550000001&hex=004f004b&coding=\(coding)")
        #expect(description.reply.reply(in: fields)?.text == expected)
    }

    @Test func `of a receipt is decoded by the same rules`() throws {
        let description = try GatewayFile.parse(
            """
            NAME=own
            URL={url}
            RULE=accepted 2xx
            RECEIPT=failed status=2
            RECEIPT_DETAIL_HEX=why
            RECEIPT_CHARSET=utf-16
            """, file: "own")
        let gateway = HTTPGateway(
            description: description,
            account: HTTPGateway.Account(url: "http://127.0.0.1", callbackBase: ""))
        let receipt = gateway.receipt(of: callback(query: "status=2&why=004e006f"))
        #expect(receipt?.detail == "No")
    }

    @Test func `has 128 characters of GSM 03_38, and ten more`() {
        let all = TextCharset.gsm.decode((0..<128).filter { $0 != 0x1B }.map(UInt8.init))
        #expect(all?.count == 127)
        #expect(TextCharset.gsm.decode([0x1B, 0x65, 0x1B, 0x3C, 0x40]) == "€[¡")
    }

    @Test(arguments: ["utf-7 8", "gsm 256", "gsm x", ""])
    func `rejects an unknown charset`(line: String) {
        let error = #expect(throws: GatewayError.self) {
            try GatewayFile.parse("NAME=own\nREPLY_CHARSET=\(line)", file: "own")
        }
        #expect(error?.message.contains("line 2") == true)
    }
}

@Suite struct `Vonage's answer` {
    private func answer(_ status: String, _ error: String) throws -> GatewayAnswer {
        try gateway("vonage").read(
            answered(
                200,
                #"{"message-count":"1","messages":[{"status":"\#(status)","#
                    + #""error-text":"\#(error)"}]}"#))
    }

    @Test func `contains the id of the first part`() throws {
        let answer = try gateway("vonage").read(
            answered(
                200,
                #"{"message-count":"2","messages":[{"to":"15550000001","message-id":"0C1","#
                    + #""status":"0"},{"to":"15550000001","message-id":"0C2","status":"0"}]}"#))
        #expect(answer == GatewayAnswer(.accepted, "200 0", messageID: "0C1"))
    }

    @Test(arguments: [
        ("1", "Throughput Rate Exceeded - please wait [ 500 ] and retry", AttemptOutcome.later),
        ("2", "Missing api_key", .misconfigured), ("3", "Invalid value for param: to", .rejected),
        ("3", "Invalid value for param: callback", .misconfigured),
        ("4", "Bad Credentials", .misconfigured), ("5", "Internal Error", .unknown),
        ("6", "Unroutable message - rejected", .unroutable),
        ("9", "Quota Exceeded - rejected", .misconfigured),
        ("15", "Illegal Sender Address - rejected", .misconfigured),
        ("29", "Non White-listed Destination - rejected", .unroutable),
        ("33", "Number De-activated", .rejected), ("77", "something new", .unknown),
    ])
    func `means, despite status 200`(
        status: String, error: String, verdict: AttemptOutcome
    ) throws {
        let answer = try answer(status, error)
        #expect(answer.verdict == verdict)
        #expect(answer.detail == "200 \(status) \(error)")
    }

    @Test(arguments: [
        (401, AttemptOutcome.misconfigured), (429, .later), (503, .unknown), (200, .unknown),
    ])
    func `without a known body means`(status: Int, verdict: AttemptOutcome) throws {
        #expect(try gateway("vonage").read(answered(status, "[]")).verdict == verdict)
        let empty = answered(status, #"{"messages":[]}"#)
        #expect(try gateway("vonage").read(empty).verdict == verdict)
    }

    @Test func `is followed by receipts in each format that an account can choose`() throws {
        let json = #"{"msisdn":"15550000001","status":"failed","err-code":"6","price":0.03}"#
        let form = "msisdn=15550000001&status=failed&err-code=6"
        let expected = GatewayReceipt(.failed, address: "15550000001", detail: "6")
        let gateway = try gateway("vonage")
        #expect(gateway.receipt(of: callback(query: form)) == expected)
        #expect(
            gateway.receipt(
                of: callback(.post, type: "application/x-www-form-urlencoded", body: form))
                == expected)
        #expect(
            gateway.receipt(of: callback(.post, type: "application/json", body: json)) == expected)
        #expect(gateway.receipt(of: callback(.post, type: "application/json", body: "{")) == nil)
        #expect(gateway.receipt(of: callback(query: "status=unknown")) == nil)
    }
}

@Suite struct `The answer of gammu-smsd's HTTP front end` {
    @Test(arguments: [
        (202, #"{"id":"17"}"#, AttemptOutcome.accepted),
        (400, #"{"error":"number"}"#, .rejected), (400, #"{"error":"text"}"#, .misconfigured),
        (401, #"{"error":"login"}"#, .misconfigured), (503, #"{"error":"queue"}"#, .later),
        (500, "", .unknown),
    ])
    func `means`(status: Int, body: String, verdict: AttemptOutcome) throws {
        #expect(try gateway("gammu-smsd").read(answered(status, body)).verdict == verdict)
    }
}

@Suite struct `The template's answer` {
    @Test(arguments: [
        (200, #"{"id":"17","status":"queued"}"#, AttemptOutcome.accepted),
        (400, #"{"error":"number"}"#, .rejected), (400, #"{"error":"stopped"}"#, .rejected),
        (400, #"{"error":"x"}"#, .misconfigured), (429, "", .later), (500, "", .unknown),
    ])
    func `means`(status: Int, body: String, verdict: AttemptOutcome) throws {
        let gateway = try gateway(describedBy: Shipped.text("template"))
        let answer = gateway.read(answered(status, body))
        #expect(answer.verdict == verdict)
        #expect(answer.isOptOut == body.contains("stopped"))
        #expect(answer.messageID == (status == 200 ? "17" : nil))
    }
}
