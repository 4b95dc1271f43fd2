import Glibc
import TestSupport
import Testing

@testable import Runtime

/// Whoever waited here would wait for ever: these tests are processes of their own, with an alarm.
@Suite struct `Lines to somebody who does not read` {
    private static let pad = String(repeating: "a", count: 90)

    private static func line(_ text: String) -> [UInt8] { Array("\(text) \(pad)\n".utf8) }
    private static func notice(_ leftOut: Int) -> [UInt8] { line("left out: \(leftOut)") }

    /// Writes a thousand lines before anybody reads, and more until somebody has read the last.
    ///
    /// - Returns: all that was read; nil if nothing more came
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

    /// Whether every line is whole, in order, and there or counted.
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

    /// Ends the process: with success where lines are whole and wait for nobody.
    private static func checks(_ descriptor: Int32, _ reader: () -> String) async {
        alarm(60)
        let flags = fcntl(descriptor, F_GETFL)
        guard flags & O_NONBLOCK == 0 else { exit(1) }
        guard let (text, written) = await read(from: reader, after: descriptor) else { exit(2) }
        guard isWhole(text, of: written) else { exit(3) }
        // Whoever shares what was opened waits as before.
        guard fcntl(descriptor, F_GETFL) == flags else { exit(4) }
        exit(EXIT_SUCCESS)
    }

    /// Takes what is there, of an end that does not wait.
    private static func take(_ descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    @Test func `wait for no terminal`() async {
        await #expect(processExitsWith: .success) {
            let terminal = try Terminal()
            await Self.checks(terminal.descriptor) { terminal.take() }
        }
    }

    @Test func `wait for no pipe`() async {
        await #expect(processExitsWith: .success) {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { exit(5) }
            _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
            let end = ends[0]
            await Self.checks(ends[1]) { Self.take(end) }
        }
    }

    @Test func `wait for no socket`() async {
        await #expect(processExitsWith: .success) {
            var ends: [Int32] = [-1, -1]
            guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { exit(5) }
            _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
            let end = ends[0]
            await Self.checks(ends[1]) { Self.take(end) }
        }
    }

    @Test func `come after what was promised`() async {
        await #expect(processExitsWith: .success) {
            alarm(60)
            let terminal = try Terminal()
            terminal.stop()
            let lines = Lines(to: terminal.descriptor)
            lines.promise("ready\n")
            lines.write(Array("lost\n".utf8)) { _ in Array("none\n".utf8) }
            lines.promise("stopping\n")
            lines.settle(within: .milliseconds(20))
            guard terminal.take().isEmpty else { exit(1) }
            terminal.goOn()
            var text = ""
            let hasCome = await eventually(every: 5) {
                lines.settle()
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

    @Test func `are dropped where there is nobody, and nobody waits`() async {
        await #expect(processExitsWith: .success) {
            alarm(60)
            signal(SIGPIPE, SIG_IGN)
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { exit(5) }
            close(ends[0])
            for descriptor in [ends[1], -1] {
                let lines = Lines(to: descriptor)
                for _ in 0..<1000 { lines.write(Self.line("x"), notice: Self.notice) }
                lines.promise("y\n")
                lines.settle(within: .milliseconds(20))
            }
            exit(EXIT_SUCCESS)
        }
    }

    @Test func `left out at the end are told of by what is promised last`() async {
        await #expect(processExitsWith: .success) {
            alarm(60)
            let terminal = try Terminal()
            terminal.stop()
            let lines = Lines(to: terminal.descriptor)
            for text in ["one\n", "two\n"] {
                lines.write(Array(text.utf8)) { _ in Array("none\n".utf8) }
            }
            for _ in 0..<2 { lines.promiseNotice { Array("left out: \($0)\n".utf8) } }
            terminal.goOn()
            var text = ""
            let hasCome = await eventually(every: 5) {
                lines.settle()
                text += terminal.take()
                return text == "left out: 2\n"
            }
            exit(hasCome ? EXIT_SUCCESS : 1)
        }
    }

    @Test func `go nowhere where the descriptor is closed, whoever gets its number`() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            // The test process may have left it open.
            close(512)
            let lines = Lines(to: 512)
            let file = open(folder.file("store"), O_RDWR | O_CREAT, 0o600)
            guard file >= 0, dup2(file, 512) == 512 else { exit(5) }
            lines.write(Self.line("x"), notice: Self.notice)
            lines.promise("y\n")
            let isEmpty = lseek(file, 0, SEEK_END) == 0
            try Files.removeTree(folder.path)
            exit(isEmpty ? EXIT_SUCCESS : 1)
        }
    }

    @Test func `are not counted where they go nowhere`() {
        let lines = Lines(to: -1)
        for _ in 0..<10 {
            lines.write([0x0A]) { _ in
                Issue.record("was left out")
                return []
            }
        }
    }

    @Test func `are one where both descriptors lead to the same`() throws {
        let terminal = try Terminal()
        let other = try Terminal()
        let copy = dup(terminal.descriptor)
        defer { close(copy) }
        #expect(Lines.areOne(terminal.descriptor, copy))
        #expect(!Lines.areOne(terminal.descriptor, other.descriptor))
        #expect(!Lines.areOne(-1, -1))
    }
}
