import Foundation
import Hosting
import Runtime
import TestSupport
import Testing

@testable import JagaCLI

/// nginx repeats request lines in its errors, which contain tokens and positions.
@Suite struct `Lines of nginx's error log` {
    private static let lines = [
        #"2026/11/23 04:00:00 [error] 7#7: *1 connect() failed (111: Connection refused) while "#
            + #"connecting to upstream, client: 10.1.2.3, server: , request: "GET "#
            + #"/overland/SECRET?lat=3.14 HTTP/1.1", upstream: "http://10.77.42.11:8101/overland/"#
            + #"SECRET?lat=3.14", host: "x", referrer: "https://SECRET/""#,
        #"2026/11/23 04:00:00 [error] 7#7: *2 limiting connections by zone "jaga_large", client: "#
            + #"10.1.2.3, server: , request: "POST /pub?k=SECRET HTTP/1.1", host: "x""#,
        #"2026/11/23 04:00:00 [crit] 7#7: *3 open() "/tmp/SECRET" failed (28: No space left on "#
            + #"device), client: 1.2.3.4, request: "GET /SECRET""#,
        #"2026/11/23 04:00:00 [error] 7#7: *4 upstream sent invalid header: "X-SECRET"#,
        #"2026/11/23 04:00:00 [emerg] 7#7: open() "/tls/fullchain.pem" failed"#,
    ]
    private static let masked = [
        "2026/11/23 04:00:00 [error] 7#7: *1 connect() failed (111: Connection refused) while "
            + "connecting to upstream, upstream: http://10.77.42.11:8101",
        #"2026/11/23 04:00:00 [error] 7#7: *2 limiting connections by zone "jaga_large""#,
        #"2026/11/23 04:00:00 [crit] 7#7: *3 open() "***" failed (28: No space left on device)"#,
        "2026/11/23 04:00:00 [error] 7#7: *4 upstream sent invalid header: ",
        #"2026/11/23 04:00:00 [emerg] 7#7: open() "/tls/fullchain.pem" failed"#,
    ]

    @Test func `lose request, client and headers, by jaga up and in the container alike`() throws {
        #expect(Self.lines.map(NginxErrorLine.masked) == Self.masked)
        #expect(try throughMask(Self.lines.joined(separator: "\n") + "\n") == Self.masked)
    }

    @Test func `of a real nginx without services contain no token and no position`()
        async throws
    {
        let folder = try TemporaryFolder()
        let port = FreePorts.base(of: [400])
        let configuration = NginxConfiguration(
            folder: folder.path, listen: ["127.0.0.1:\(port + 400)"],
            ports: Ports(Topology(portBase: port)), isRoot: geteuid() == 0)
        try configuration.text.replacing("stderr crit;", with: "stderr error;")
            .write(toFile: folder.path + "/nginx.conf", atomically: true, encoding: .utf8)
        let nginx = try Capture(
            "/usr/sbin/nginx", ["-p", folder.path, "-c", "nginx.conf", "-e", "stderr"])
        defer { nginx.end() }
        let http = PlainHTTP(port: port + 400)
        let isThere = await eventually { (try? http.send("GET", "/nothing")) != nil }
        try #require(isThere, "\(nginx.text)")
        for (method, path) in [
            ("GET", "/?id=SECRET&lat=3.14159&lon=101.6869"), ("POST", "/overland/SECRET"),
            ("GET", "/v1/people?token=SECRET"),
        ] {
            let answer = try http.send(
                method, path, headers: ["Authorization": "Bearer SECRET", "Referer": "/SECRET"])
            #expect(answer.status == 503)
        }
        let isSaid = await eventually { nginx.text.matches(of: #/connect\(\) failed/#).count >= 3 }
        #expect(isSaid, "\(nginx.text)")
        #expect(nginx.text.contains("SECRET"), "nginx no longer repeats requests: mask nothing")
        for lines in [
            nginx.text.split(separator: "\n").map { NginxErrorLine.masked(String($0)) },
            try throughMask(nginx.text),
        ] {
            let text = lines.joined(separator: "\n")
            #expect(text.contains("connect() failed (111"))
            #expect(text.contains("upstream: http://127.0.0.1:\(port + 1)"))
            for secret in ["SECRET", "3.14159", "101.6869", "overland"] {
                #expect(!text.contains(secret), "\(text)")
            }
        }
    }

    @Test func `of a separate nginx are turned off, or masked by the container`()
        throws
    {
        #expect(NginxConfiguration.noErrorLog.contains("error_log /dev/null emerg;"))
        let edge = Programs.top.appending(path: "deploy/edge").path
        let conf = try String(contentsOfFile: edge + "/nginx.conf", encoding: .utf8)
        #expect(conf.contains("error_log /tmp/errors "))
        #expect(!conf.contains("error_log stderr"))
        let start = try String(contentsOfFile: edge + "/start", encoding: .utf8)
        #expect(start.contains("mask <&3"))
    }

    private func throughMask(_ text: String) throws -> [String] {
        let mask = Process()
        mask.executableURL = Programs.top.appending(path: "deploy/edge/mask")
        let input = Pipe()
        let output = Pipe()
        mask.standardInput = input
        mask.standardOutput = output
        try mask.run()
        input.fileHandleForWriting.write(Data(text.utf8))
        try input.fileHandleForWriting.close()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        mask.waitUntilExit()
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
