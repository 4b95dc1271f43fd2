import Glibc
import TestSupport
import Testing

@testable import Runtime

/// Blocking here would hang: these tests run in their own processes, with an alarm.
@Suite struct `Lines to a descriptor that nobody reads` {
    private static let pad = String(repeating: "a", count: 90)

    private static func line(_ text: String) -> [UInt8] { Array("\(text) \(pad)\n".utf8) }
    private static func notice(_ dropped: Int) -> [UInt8] { line("left out: \(dropped)") }

    /// Writes a thousand lines before anybody reads, and more until the last one is read.
    ///
    /// - Returns: all bytes read; nil if nothing more arrived
    private static func read(
        from reader: () -> String, after descriptor: Int32
    ) async -> (text: String, written: Int)? {
        let lines = Lines(to: descriptor)
        var written = 0
        func write() {
            lines.write(line("\(written)"), notice: notice)
            written += 1
        }
        for _ in 0..<1000 { write() }
        var text = ""
        let hasCome = await eventually(every: 5) {
            text += reader()
            if text.contains("left out"), text.hasSuffix("\n\(written - 1) \(pad)\n") {
                return true
            }
            write()
            return false
        }
        return hasCome ? (text, written) : nil
    }

    /// Whether every line is intact, in order, and either present or counted.
    private static func isWhole(_ text: String, of written: Int) -> Bool {
        var next = 0
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.last == Substring(pad) else { return false }
            if words.count == 4, line.hasPrefix("left out: "), let count = Int(words[2]) {
                next += count
            } else {
                guard line == "\(next) \(pad)" else { return false }
                next += 1
            }
        }
        return next == written
    }

    /// Ends the process, successfully if lines are intact and nothing blocked.
    private static func checks(_ descriptor: Int32, _ reader: () -> String) async {
        alarm(60)
        let flags = fcntl(descriptor, F_GETFL)
        guard flags & O_NONBLOCK == 0 else { exit(1) }
        guard let (text, written) = await read(from: reader, after: descriptor) else { exit(2) }
        guard isWhole(text, of: written) else { exit(3) }
        // Other processes with the descriptor block as before.
        guard fcntl(descriptor, F_GETFL) == flags else { exit(4) }
        exit(EXIT_SUCCESS)
    }

    /// Reads what is available from a nonblocking end.
    private static func available(_ descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    @Test func `do not block on a terminal`() async {
        await #expect(processExitsWith: .success) {
            let terminal = try Terminal()
            await Self.checks(terminal.descriptor) { terminal.take() }
        }
    }

    @Test func `do not block on a pipe`() async {
        await #expect(processExitsWith: .success) {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { exit(5) }
            _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
            let end = ends[0]
            await Self.checks(ends[1]) { Self.available(end) }
        }
    }

    @Test func `do not block on a socket`() async {
        await #expect(processExitsWith: .success) {
            var ends: [Int32] = [-1, -1]
            guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { exit(5) }
            _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
            let end = ends[0]
            await Self.checks(ends[1]) { Self.available(end) }
        }
    }

    @Test func `follow queued texts`() async {
        await #expect(processExitsWith: .success) {
            alarm(60)
            let terminal = try Terminal()
            terminal.stop()
            let lines = Lines(to: terminal.descriptor)
            lines.enqueue("ready\n")
            lines.write(Array("lost\n".utf8)) { _ in Array("none\n".utf8) }
            lines.enqueue("stopping\n")
            lines.flush(within: .milliseconds(20))
            guard terminal.take().isEmpty else { exit(1) }
            terminal.goOn()
            var text = ""
            let hasCome = await eventually(every: 5) {
                lines.flush()
                text += terminal.take()
                return text.hasPrefix("ready\nstopping\n")
            }
            guard hasCome else { exit(2) }
            lines.write(Array("after\n".utf8)) { Array("left out: \($0)\n".utf8) }
            let hasGoneOn = await eventually(every: 5) {
                text += terminal.take()
                return text.hasPrefix("ready\nstopping\nleft out: 1\nafter\n")
            }
            exit(hasGoneOn ? EXIT_SUCCESS : 3)
        }
    }

    @Test func `are dropped without a descriptor, and nothing blocks`() async {
        await #expect(processExitsWith: .success) {
            alarm(60)
            signal(SIGPIPE, SIG_IGN)
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { exit(5) }
            close(ends[0])
            for descriptor in [ends[1], -1] {
                let lines = Lines(to: descriptor)
                for _ in 0..<1000 { lines.write(Self.line("x"), notice: Self.notice) }
                lines.enqueue("y\n")
                lines.flush(within: .milliseconds(20))
            }
            exit(EXIT_SUCCESS)
        }
    }

    @Test func `dropped at the end are reported by a final notice`() async {
        await #expect(processExitsWith: .success) {
            alarm(60)
            let terminal = try Terminal()
            terminal.stop()
            let lines = Lines(to: terminal.descriptor)
            for text in ["one\n", "two\n"] {
                lines.write(Array(text.utf8)) { _ in Array("none\n".utf8) }
            }
            for _ in 0..<2 { lines.enqueueNotice { Array("left out: \($0)\n".utf8) } }
            terminal.goOn()
            var text = ""
            let hasCome = await eventually(every: 5) {
                lines.flush()
                text += terminal.take()
                return text == "left out: 2\n"
            }
            exit(hasCome ? EXIT_SUCCESS : 1)
        }
    }

    @Test func `are not written to a closed descriptor, even if its number is reused`() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            // The test process may have left it open.
            close(512)
            let lines = Lines(to: 512)
            let file = open(folder.file("store"), O_RDWR | O_CREAT, 0o600)
            guard file >= 0, dup2(file, 512) == 512 else { exit(5) }
            lines.write(Self.line("x"), notice: Self.notice)
            lines.enqueue("y\n")
            let isEmpty = lseek(file, 0, SEEK_END) == 0
            try Files.removeTree(folder.path)
            exit(isEmpty ? EXIT_SUCCESS : 1)
        }
    }

    @Test func `are not counted as dropped without a descriptor`() {
        let lines = Lines(to: -1)
        for _ in 0..<10 {
            lines.write([0x0A]) { _ in
                Issue.record("was dropped")
                return []
            }
        }
    }

    @Test func `detect whether two descriptors are the same`() throws {
        let terminal = try Terminal()
        let other = try Terminal()
        let copy = dup(terminal.descriptor)
        defer { close(copy) }
        #expect(Lines.areSame(terminal.descriptor, copy))
        #expect(!Lines.areSame(terminal.descriptor, other.descriptor))
        #expect(!Lines.areSame(-1, -1))
    }
}
