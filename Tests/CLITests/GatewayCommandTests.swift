import Parsing
import Testing

@testable import JagaCLI

@Suite struct `The report of a gateway's test` {
    @Test func `has the request and the gateway's response`() {
        let answer: JSON = [
            "outcome": "unroutable", "answer": "403 Not routable.",
            "request": "to http://127.0.0.1:13013\n\nPOST /cgi-bin/sendsms HTTP/1.1\n\nhi\n",
        ]
        #expect(
            Gateway.report(answer) == [
                "> to http://127.0.0.1:13013", ">", "> POST /cgi-bin/sendsms HTTP/1.1", ">", "> hi",
                "< unroutable: 403 Not routable.",
                "the gateway has no route to this address, or rejects this text",
            ])
    }

    @Test func `has every line of the response, and the rule that interpreted it`() {
        let answer: JSON = [
            "outcome": "rejected", "answer": "422 bad number", "request": "GET /\n",
            "response": "HTTP status 422\n\n{\n \"error\": 7\n}\n", "rule": "RULE=rejected 422",
        ]
        #expect(
            Gateway.report(answer) == [
                "> GET /", "< HTTP status 422", "<", "< {", "<  \"error\": 7", "< }",
                "interpreted as rejected: 422 bad number, by RULE=rejected 422",
                "the gateway rejects this address permanently",
            ])
    }

    @Test func `of a dry run states that nothing was sent`() {
        #expect(Gateway.report(["request": "GET /\n"]) == ["> GET /", "nothing was sent"])
    }
}
