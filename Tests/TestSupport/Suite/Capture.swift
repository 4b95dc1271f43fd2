import Foundation
import Runtime

/// A running program with its output so far.
///
/// A thread reads all the time, because programs of Jaga drop lines that are not read.
public final class Capture {
    public let process: ChildProcess
    private let reader: Reader

    public init(_ process: ChildProcess) {
        self.process = process
        reader = Reader(process)
        let reader = reader
        Thread { while reader.waitAndRead() {} }.start()
    }

    /// Starts a program that ends with the tests.
    public convenience init(
        _ path: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws {
        self.init(try SpawnThread.start(path, arguments, environment: environment))
    }

    /// Every child is reaped: exit tests wait for any child of this process and would otherwise
    /// report a foreign one.
    deinit {
        process.send(SIGKILL)
        while process.reap() == nil { usleep(1000) }
        reader.end()
    }

    /// Sends SIGTERM and waits for the end, 10 s at most.
    public func end() {
        process.send(SIGTERM)
        for _ in 0..<1000 where process.reap() == nil { usleep(10_000) }
    }

    /// The output so far.
    public var text: String {
        reader.read()
        return String(decoding: reader.bytes, as: UTF8.self)
    }

    /// The complete lines so far.
    public var lines: [Substring] {
        let text = text
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return Array(lines.dropLast())
    }

    /// Sends a signal and waits for the end; kills the process after 15 s.
    ///
    /// - Returns: the exit status, or 128 + the signal number
    @discardableResult
    public func stop(_ signal: Int32 = SIGTERM) async -> Int32 {
        process.send(signal)
        let ended = await eventually(within: 15) {
            _ = text
            return process.reap() != nil
        }
        if !ended {
            process.send(SIGKILL)
            _ = await eventually { process.reap() != nil }
        }
        return process.exitStatus ?? -1
    }
}

extension Capture {
    /// State shared between the reading thread and callers. Both only touch the output, which is
    /// guarded.
    private final class Reader: @unchecked Sendable {
        private let process: ChildProcess
        private let lock = NSLock()
        private var taken: [UInt8] = []
        private var isOver = false

        init(_ process: ChildProcess) { self.process = process }

        var bytes: [UInt8] { lock.withLock { taken } }

        /// Reads what is available, without waiting.
        func read() {
            lock.withLock {
                while !isOver {
                    guard let more = process.drain() else {
                        isOver = true
                        return
                    }
                    if more.isEmpty { return }
                    taken += more
                }
            }
        }

        /// Children of the program may hold the pipe for longer.
        func end() { lock.withLock { isOver = true } }

        /// Reads the next bytes; false at the end.
        func waitAndRead() -> Bool {
            var items: [PollItem] = []
            lock.withLock { process.appendPollItems(to: &items) }
            for item in items {
                var wanted = pollfd(fd: item.fd, events: Int16(POLLIN), revents: 0)
                _ = poll(&wanted, 1, 200)
            }
            read()
            return lock.withLock { !isOver }
        }
    }
}
