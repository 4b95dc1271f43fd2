import Foundation
import Runtime

/// A running program with everything that it has written so far.
///
/// A thread of its own reads all the time: programs of Jaga leave out lines that nobody takes.
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

    /// Nothing is left behind, running or ended: whoever waits for any child of this program, as
    /// exit tests do, would hear of one that nobody reaps for ever.
    deinit {
        process.send(SIGKILL)
        while process.reap() == nil { usleep(1000) }
        reader.end()
    }

    /// Asks it to end and waits for that, 10 s at most.
    public func end() {
        process.send(SIGTERM)
        for _ in 0..<1000 where process.reap() == nil { usleep(10_000) }
    }

    /// Everything that it wrote until now.
    public var text: String {
        reader.read()
        return String(decoding: reader.bytes, as: UTF8.self)
    }

    /// The whole lines that it wrote until now.
    public var lines: [Substring] {
        let text = text
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return Array(lines.dropLast())
    }

    /// Sends a signal and waits for its end; kills it when that takes longer than 15 s.
    ///
    /// - Returns: the exit status, or 128 + the number of the signal
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
    /// What its thread and whoever asks share. Of the process both touch the output alone, which
    /// nobody else does.
    private final class Reader: @unchecked Sendable {
        private let process: ChildProcess
        private let lock = NSLock()
        private var taken: [UInt8] = []
        private var isOver = false

        init(_ process: ChildProcess) { self.process = process }

        var bytes: [UInt8] { lock.withLock { taken } }

        /// Takes what is there, without waiting.
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

        /// Whoever the program has started may hold the pipe for longer.
        func end() { lock.withLock { isOver = true } }

        /// Takes what comes next; false when no more will.
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
