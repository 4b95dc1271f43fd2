import Model
import Testing
import Web

@testable import Gateways

/// A callback as gateways send it.
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
        (400, #"Error "Argument [to] has an invalid value: [x].""#, .refused),
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
        ("id=1&id_smsc=7&message_status=DELIVRD&level=2&err=000", .delivered),
        ("id=1&id_smsc=7&message_status=UNDELIV&level=2&err=069", .failed),
        ("id=1&id_smsc=7&message_status=ENROUTE&level=2", .buffered),
    ])
    func `is followed by receipts`(query: String, kind: ReceiptKind) throws {
        #expect(try gateway("jasmin").receipt(of: callback(query: query))?.kind == kind)
    }

    @Test func `comes again unless it is acknowledged in its own words`() throws {
        let driver = try Shipped.driver("jasmin")
        #expect(text(driver.receiptAnswer.body) == "ACK/Jasmin")
        #expect(text(driver.replyAnswer.body) == "ACK/Jasmin")
        #expect(text(try Shipped.driver("kannel").receiptAnswer.body) == "ok")
        #expect(text(GatewayDriver.sink.receiptAnswer.body) == "ok")
        let form = "id=9&from=15550000001&to=40404&content=OK+4711&binary=4f4b2034373131"
        let reply = driver.reply(
            of: callback(.post, type: "application/x-www-form-urlencoded", body: form))
        #expect(reply == GatewayReply(sender: "+15550000001", text: "OK 4711", id: "9"))
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

    @Test func `brings the id of the first part`() throws {
        let answer = try gateway("vonage").read(
            answered(
                200,
                #"{"message-count":"2","messages":[{"to":"15550000001","message-id":"0C1","#
                    + #""status":"0"},{"to":"15550000001","message-id":"0C2","status":"0"}]}"#))
        #expect(answer == GatewayAnswer(.accepted, "200 0", messageID: "0C1"))
    }

    @Test(arguments: [
        ("1", "Throughput Rate Exceeded - please wait [ 500 ] and retry", AttemptOutcome.later),
        ("2", "Missing api_key", .misconfigured), ("3", "Invalid value for param: to", .refused),
        ("3", "Invalid value for param: callback", .misconfigured),
        ("4", "Bad Credentials", .misconfigured), ("5", "Internal Error", .unknown),
        ("6", "Unroutable message - rejected", .unroutable),
        ("9", "Quota Exceeded - rejected", .misconfigured),
        ("15", "Illegal Sender Address - rejected", .misconfigured),
        ("29", "Non White-listed Destination - rejected", .unroutable),
        ("33", "Number De-activated", .refused), ("77", "something new", .unknown),
    ])
    func `means, though the status is 200`(
        status: String, error: String, verdict: AttemptOutcome
    ) throws {
        let answer = try answer(status, error)
        #expect(answer.verdict == verdict)
        #expect(answer.words == "200 \(status) \(error)")
    }

    @Test(arguments: [
        (401, AttemptOutcome.misconfigured), (429, .later), (503, .unknown), (200, .unknown),
    ])
    func `without a known body means`(status: Int, verdict: AttemptOutcome) throws {
        #expect(try gateway("vonage").read(answered(status, "[]")).verdict == verdict)
        let empty = answered(status, #"{"messages":[]}"#)
        #expect(try gateway("vonage").read(empty).verdict == verdict)
    }

    @Test func `is followed by receipts in whatever form the account is set to`() throws {
        let json = #"{"msisdn":"15550000001","status":"failed","err-code":"6","price":0.03}"#
        let form = "msisdn=15550000001&status=failed&err-code=6"
        let expected = GatewayReceipt(.failed, address: "15550000001", words: "6")
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

@Suite struct `The answer of gammu-smsd's front` {
    @Test(arguments: [
        (202, #"{"id":"17"}"#, AttemptOutcome.accepted),
        (400, #"{"error":"number"}"#, .refused), (400, #"{"error":"text"}"#, .misconfigured),
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
        (400, #"{"error":"number"}"#, .refused), (400, #"{"error":"stopped"}"#, .refused),
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
