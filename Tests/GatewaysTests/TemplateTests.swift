import Testing
import Web

@testable import Gateways

@Suite struct `A template` {
    private func call(_ lines: String, _ message: GatewayMessage) throws -> HTTPCall {
        let gateway = try gateway(describedBy: "NAME=x\nRULE=accepted 2xx\n" + lines)
        return try #require(gateway.call(for: message))
    }

    @Test func `escapes values in an address`() throws {
        let call = try call(
            "METHOD=GET\nURL={url}?to={to}&t={text}&p={password}&f=100%25&d={to_digits}",
            message("a b&c=é+/?"))
        #expect(call.method == .get)
        #expect(
            call.url
                == "https://sms.example.test/send?to=%2B15550000001&t=a%20b%26c%3D%C3%A9%2B%2F%3F"
                + "&p=p%26w&f=100%25&d=15550000001")
        #expect(call.body.isEmpty)
    }

    @Test func `escapes a form and omits pairs without a value`() throws {
        let call = try call(
            "URL={url}\nBODY_TYPE=form\nBODY=to={to}&x={account}&cb={callback}&s={segments}",
            message(segments: 3))
        #expect(
            text(call.body) == "to=%2B15550000001&x=AC1"
                + "&cb=http%3A%2F%2F127.0.0.1%3A8105%2Fv1%2Freceipts%2Ftok-1&s=3")
        #expect(call.headers["Content-Type"] == "application/x-www-form-urlencoded")
        var gateway = try gateway(
            describedBy: "NAME=x\nRULE=accepted 2xx\nURL={url}\nBODY_TYPE=form\n"
                + "BODY=from={from}&text={text}\nHEADER=X-From: {from}\nHEADER=X-Two: a {from}")
        var account = gateway.account
        account.sender = ""
        gateway = HTTPGateway(description: gateway.description, account: account)
        let bare = try #require(gateway.call(for: message()))
        #expect(text(bare.body) == "text=hello")
        #expect(bare.headers["X-From"] == nil)
        #expect(bare.headers["X-Two"] == "a ")
    }

    @Test func `limits the validity period to the gateway's maximum`() throws {
        let lines = "URL={url}\nBODY={validity_seconds} {validity_minutes}\nVALIDITY_SECONDS_MAX="
        #expect(text(try call(lines + "600", message()).body) == "600 10")
        #expect(text(try call(lines + "36000", message()).body) == "900 15")
    }

    @Test func `escapes JSON, and its braces stay braces`() throws {
        let call = try call(
            #"URL={url}\#nBODY_TYPE=json\#n"#
                + #"BODY={"m":{"to":"{to}","text":"{text}"},"n":{segments}}"#,
            message("say \"hi\"\\\n\u{1}é"))
        #expect(
            text(call.body)
                == #"{"m":{"to":"+15550000001","text":"say \"hi\"\\\n\u0001é"},"n":1}"#)
        #expect(call.headers["Content-Type"] == "application/json")
    }

    @Test func `escapes XML and drops characters that XML does not allow`() throws {
        let call = try call(
            #"URL={url}\#nBODY_TYPE=xml\#nBODY=<sms to="{to}">{text}</sms>"#,
            message("<a href='x'>&\"\u{1}é"))
        #expect(
            text(call.body)
                == #"<sms to="+15550000001">&lt;a href=&apos;x&apos;&gt;&amp;&quot; é</sms>"#)
        #expect(call.headers["Content-Type"] == "application/xml")
    }

    @Test func `keeps line breaks out of headers`() throws {
        let call = try call("URL={url}\nHEADER=X-Text: {text}", message("a\r\nX-Evil: b"))
        #expect(call.headers["X-Text"] == "a  X-Evil: b")
        #expect(call.headers["X-Evil"] == nil)
    }

    @Test func `writes UTF-16 as bytes, escaped or as digits`() throws {
        let text16 = message("Ж😀", isGSM: false)
        let lines = "URL={url}?t={text_utf16}\nBODY={text_utf16}\nHEADER=X-Hex: {text_hex}"
        let call = try call(lines, text16)
        #expect(call.url.hasSuffix("?t=%04%16%D8%3D%DE%00"))
        #expect(call.body == [0x04, 0x16, 0xD8, 0x3D, 0xDE, 0x00])
        #expect(call.headers["X-Hex"] == "0416D83DDE00")
    }

    @Test func `can depend on the characters of the text`() throws {
        let lines =
            "URL_GSM={url}/gsm\nURL_UCS2={url}/wide\nBODY_UCS2={coding}\nHEADER_GSM=X: {coding}"
        let plain = try call(lines, message())
        #expect(plain.url.hasSuffix("/gsm"))
        #expect(plain.body.isEmpty)
        #expect(plain.headers["X"] == "0")
        let wide = try call(lines, message(isGSM: false))
        #expect(wide.url.hasSuffix("/wide"))
        #expect(text(wide.body) == "2")
        #expect(wide.headers["X"] == nil)
    }

    @Test func `contains the remaining validity period`() throws {
        let lines = "URL={url}?s={validity_seconds}&m={validity_minutes}&id={id}"
        #expect(try call(lines, message()).url.hasSuffix("?s=900&m=15&id=ntf_1"))
        var late = message()
        late.expires = late.now
        #expect(try call(lines, late).url.hasSuffix("?s=60&m=1&id=ntf_1"))
    }

    @Test func `logs in if the description requires it`() throws {
        #expect(try call("URL={url}", message()).login == nil)
        let call = try call("URL={url}\nLOGIN=basic", message())
        #expect(call.login == Login(user: "AC1", password: "p&w"))
    }

    @Test(arguments: [
        "", "+", "12", "+1555 000", "1234567890123456", "++15550000", "a@b.c", "+1٣٤٥",
    ])
    func `is not rendered for an address that is not a phone number`(address: String) throws {
        let gateway = try gateway("kannel")
        #expect(gateway.call(for: message(to: address)) == nil)
    }
}

@Suite struct `A gateway's file` {
    private let good = "NAME=x\nURL={url}\nRULE=accepted 2xx\n"

    @Test(arguments: [
        ("NAME", "\"=\" is missing"), ("WHAT=1", "unknown key WHAT"),
        ("METHOD=BREW", "\"BREW\" is not allowed"),
        ("URL={tex}", "unknown placeholder {tex}"), ("HEADER=x", "not a header"),
        ("RULE=accepted", "not a rule"), ("RULE=maybe 200", "not a rule"),
        ("RULE=accepted 2x", "not a rule"), ("RULE=accepted 200 text", "not a rule"),
        ("RULE=accepted 200 \"open", "not a rule"),
        ("RULE=accepted 200 a=", "not a rule"),
        ("RECEIPT=delivered", "not a receipt rule"),
        ("RECEIPT=maybe a=1", "not a receipt rule"),
        ("NAME_GSM=x", "NAME applies to all texts"), ("LOGIN=digest", "is not allowed"),
        ("BODY_TYPE=yaml", "is not allowed"),
        ("NAME=kan\u{202E}nel", "invisible character U+202E"), ("NAME=kan\u{200B}nel", "U+200B"),
        ("NAME=\u{1B}[2Jx", "invisible character U+001B"),
    ])
    func `with an error is rejected with line and reason`(line: String, message: String) throws {
        let error = #expect(throws: GatewayError.self) {
            try GatewayFile.parse("# comment\n\n" + good + line, file: "my.conf")
        }
        #expect(error?.message.hasPrefix("line 6: ") == true)
        #expect(error?.message.contains(message) == true)
        #expect(error?.operation == "read gateway my.conf")
        #expect(error?.hint.isEmpty == false)
    }

    @Test(arguments: [
        ("URL={url}\nRULE=accepted 2xx", "NAME is missing"),
        ("NAME=x\nRULE=accepted 2xx", "URL is missing"),
        ("NAME=x\nURL_GSM={url}\nRULE=accepted 2xx", "URL is missing"),
        ("NAME=x\nURL={url}", "no rule has the verdict accepted"),
        ("NAME=x\nURL={url}\nRULE=accepted 2xx\nBODY={text_utf16}\nBODY_TYPE=json", "is binary"),
    ])
    func `must be complete`(text: String, message: String) {
        let error = #expect(throws: GatewayError.self) { try GatewayFile.parse(text, file: "x") }
        #expect(error?.message.contains(message) == true)
    }

    @Test func `can be the operator's own`() throws {
        let error = #expect(throws: GatewayError.self) {
            try GatewaySettings.description(of: "/nonexistent/x.conf")
        }
        #expect(error?.code == "gateway-unreadable")
        let bare = #expect(throws: GatewayError.self) {
            try GatewaySettings.description(of: "nonexistent.conf")
        }
        #expect(bare?.hint.contains("./own.conf") == true)
        #expect(try GatewaySettings.description(of: "twilio").name == "twilio")
        #expect(try GatewaySettings.description(of: "kannel").name == "kannel")
    }
}
