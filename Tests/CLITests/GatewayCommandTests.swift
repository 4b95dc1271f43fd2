import Parsing
import Testing

@testable import JagaCLI

@Suite struct `The report of a gateway's test` {
    @Test func `has the request, and what the gateway said`() {
        let answer: JSON = [
            "outcome": "unroutable", "answer": "403 Not routable.",
            "request": "to http://127.0.0.1:13013\n\nPOST /cgi-bin/sendsms HTTP/1.1\n\nhi\n",
        ]
        #expect(
            Gateway.report(answer) == [
                "> to http://127.0.0.1:13013", ">", "> POST /cgi-bin/sendsms HTTP/1.1", ">", "> hi",
                "< unroutable: 403 Not routable.",
                "the gateway has no way to this address, or does not take this text",
            ])
    }

    @Test func `of a dry run says that nothing was sent`() {
        #expect(Gateway.report(["request": "GET /\n"]) == ["> GET /", "nothing was sent"])
    }
}
