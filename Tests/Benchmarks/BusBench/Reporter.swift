import Foundation
import Model
import Runtime
import Synchronization

/// Phones that report as fast as they are answered, or at a rate: many reports per request, over
/// persistent connections.
final class Reporter: Sendable {
    private let port: Int
    private let tokens: [String]
    private let perRequest: Int
    private let perSecond: Int
    private let seconds: Int
    private let accepted = Atomic(0)
    private let running = Atomic(0)

    init(_ options: Options) throws {
        port = options.number("port")
        tokens = try String(contentsOfFile: options["tokens"], encoding: .utf8)
            .split(separator: "\n").map(String.init)
        perRequest = options.number("batch", or: 100)
        perSecond = options.number("rate")
        seconds = options.number("seconds", or: 5)
    }

    func run() {
        let start = microseconds()
        for token in tokens {
            running.add(1, ordering: .relaxed)
            let thread = Thread { [self] in
                report(as: token, until: start + Int64(seconds) * 1_000_000)
                running.subtract(1, ordering: .relaxed)
            }
            thread.start()
        }
        while running.load(ordering: .relaxed) > 0 { usleep(1000) }
        emit(
            "whole",
            [
                "records": accepted.load(ordering: .relaxed), "first": start,
                "last": microseconds(),
            ])
    }

    private func report(as token: String, until end: Int64) {
        let descriptor = connection()
        defer { close(descriptor) }
        let start = microseconds()
        var sent = 0
        while microseconds() < end {
            let body = reports()
            let head =
                "POST /v1/reports HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(token)\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
            guard exchange(Array((head + body).utf8), descriptor) else { return }
            accepted.add(perRequest, ordering: .relaxed)
            sent += perRequest
            guard perSecond > 0 else { continue }
            let due = start + Int64(sent * tokens.count) * 1_000_000 / Int64(perSecond)
            usleep(UInt32(max(0, due - microseconds())))
        }
    }

    /// Reports of the last moments, all at one location.
    private func reports() -> String {
        let now = SystemClock().now
        let reports = (0..<perRequest).map { number in
            let time = now - .milliseconds(perRequest - number)
            return """
                {"time":"\(time)","lat":3.139,"lon":101.6869,"accuracy":12,"speed":1.5}
                """
        }
        return "{\"reports\":[" + reports.joined(separator: ",") + "]}"
    }

    private func connection() -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
        inet_pton(AF_INET, "127.0.0.1", &name.sin_addr)
        _ = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return descriptor
    }

    /// Whether the request was answered with 202.
    private func exchange(_ request: [UInt8], _ descriptor: Int32) -> Bool {
        var rest = request[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        // Responses are short: head and body usually arrive together.
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while !isComplete(answer) {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { return false }
            answer += chunk[..<count]
        }
        return answer.starts(with: Array("HTTP/1.1 202".utf8))
    }

    private func isComplete(_ answer: [UInt8]) -> Bool {
        let text = String(decoding: answer, as: UTF8.self)
        guard let head = text.firstRange(of: "\r\n\r\n"),
            let length = text.lowercased().firstMatch(of: /content-length: (\d+)/)
        else { return false }
        return text[head.upperBound...].utf8.count >= Int(length.1) ?? 0
    }
}
