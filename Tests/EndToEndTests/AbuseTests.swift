import Foundation
import TestSupport
import Testing

extension `The suite` {
    /// `scripts/abuse` measures the same with thousands of connections; these tests check that it
    /// holds.
    @Suite struct `Abuse of HTTP` {
        private static let head = "POST /v1/reports HTTP/1.1\r\nHost: h\r\n"

        @Test func `byte by byte is disconnected, and other clients do not wait`() async throws {
            try await Household.run { home in
                let ports = [home.suite.port, home.suite.portBase + 1]
                let before = memory(of: home)
                var links: [RawLink] = []
                for port in ports {
                    for _ in 0..<200 {
                        let link = try RawLink(port: port)
                        link.send(Self.head + "X-Slow: ")
                        links.append(link)
                    }
                }
                let called = try await home.button.callForHelp("while others hold connections")
                try await home.phone.report(Zone.outside)
                let emergency = try home.anna.api.call("GET", "/v1/emergencies/\(called)")
                #expect(emergency["id"]?.string != nil)
                let areClosed = await eventually(every: 500) {
                    for link in links { link.send("x") }
                    return links.allSatisfy(\.isClosed)
                }
                #expect(areClosed)
                #expect(memory(of: home) < before + 64 << 20)
            }
        }

        @Test(arguments: ["", "Authorization: Bearer none\r\n"])
        func `by slow large uploads blocks no phone's batch`(credentials: String) async throws {
            try await Household.run { home in
                let port = home.suite.port
                var links: [RawLink] = []
                func attack() throws {
                    for link in links { link.send("x") }
                    links.removeAll { $0.isClosed || $0.received.contains(" 503 ") }
                    while links.count < 48 {
                        let link = try RawLink(port: port, from: "127.0.0.\(2 + links.count % 3)")
                        link.send(
                            "POST /overland HTTP/1.1\r\nHost: h\r\n\(credentials)"
                                + "Content-Length: 8000000\r\n\r\n")
                        links.append(link)
                    }
                }
                for _ in 0..<20 {
                    try attack()
                    try await Task.sleep(for: .milliseconds(50))
                }
                let batch = Self.batch
                let start = Date()
                let isAccepted = try await eventually(within: 30, every: 200) {
                    try attack()
                    return try home.suite.http.send(
                        "POST", "/overland", body: Array(batch.utf8), token: home.phoneAPI.token
                    ).status == 200
                }
                #expect(isAccepted)
                // A phone that gets Retry-After: 5 retries.
                let seconds = Date().timeIntervalSince(start)
                print(
                    "slow uploads (\(credentials.count)): a batch was accepted after \(seconds) s")
                #expect(seconds < 15)
            }
        }

        /// Reports in one body that nginx treats as a large one.
        private static var batch: String {
            let feature =
                #"{"type":"Feature","geometry":{"type":"Point","coordinates":[101.7,3.1]},"#
                + #""properties":{"timestamp":"2026-11-20T10:20:00Z","horizontal_accuracy":8}}"#
            let features = Array(repeating: feature, count: 2500).joined(separator: ",")
            return #"{"locations":[\#(features)]}"#
        }

        @Test func `by the length or format of a body is rejected, except for emergencies`()
            async throws
        {
            try await Household.run { home in
                for port in [home.suite.port, home.suite.portBase + 1] {
                    let link = try RawLink(port: port)
                    link.send(
                        Self.head + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
                            + "0\r\n\r\nGET /v1/rights HTTP/1.1\r\nHost: h\r\n\r\n")
                    _ = await eventually {
                        link.send()
                        return link.isClosed
                    }
                    #expect(link.received.hasPrefix("HTTP/1.1 400"))
                    #expect(link.received.ranges(of: "HTTP/1.1 ").count == 1)
                }
                func send(_ path: String) throws -> PlainHTTP.Answer {
                    try home.suite.http.send(
                        "POST", path, body: [0x1F, 0x8B, 8], token: home.phoneAPI.token,
                        headers: ["Content-Encoding": "gzip"])
                }
                let rejected = try send("/v1/reports")
                #expect(rejected.status == 415)
                #expect(rejected.json["hint"]?.string?.contains("Content-Encoding") == true)
                let accepted = try [send("/v1/emergencies"), send("/pub")]
                #expect(accepted.map(\.status) == [202, 200])
            }
        }

        /// Resident memory of ingest, bytes.
        private func memory(of home: Household) -> Int {
            guard let pid = home.suite.processID(of: .ingest),
                let text = try? String(contentsOfFile: "/proc/\(pid)/statm", encoding: .utf8)
            else { return 0 }
            return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
        }
    }
}
