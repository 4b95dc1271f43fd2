import Foundation
import Runtime

/// A running program with everything that it has written so far.
///
/// Reading happens on the caller's thread, whenever it asks.
public final class Capture {
    public let process: ChildProcess
    private var bytes: [UInt8] = []

    public init(_ process: ChildProcess) { self.process = process }

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
    }

    /// Asks it to end and waits for that, 10 s at most.
    public func end() {
        process.send(SIGTERM)
        for _ in 0..<1000 where process.reap() == nil { usleep(10_000) }
    }

    /// Everything that it wrote until now.
    public var text: String {
        while let more = process.drain(), !more.isEmpty { bytes += more }
        return String(decoding: bytes, as: UTF8.self)
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
