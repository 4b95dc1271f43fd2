import CLinux
import Glibc

/// A program that this one started, in a process group of its own, with everything that it writes
/// on one pipe.
///
/// Nothing here waits: ``drain()`` returns what was written, ``reap()`` whether it ended.
public final class ChildProcess: Pollable {
    public let pid: Int32
    /// Set by ``reap()``: the exit status, or 128 + the number of the signal that ended it.
    public private(set) var exitStatus: Int32?
    private var output: Int32

    /// Room for what it writes until ``drain()``: programs of Jaga leave out what finds none.
    static let pipeBytes: Int32 = 256 << 10

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: of the program; nothing is looked up
    ///   - arguments: without the program's name
    ///   - diesWithParent: it gets SIGTERM when the thread that called this ends; let that be the
    ///     main thread
    public init(
        path: String, arguments: [String], environment: [String: String],
        diesWithParent: Bool = true
    ) throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard clinux_pipe(&ends) == 0 else { throw SystemError(errno, "open a pipe") }
        clinux_widen(ends[0], ChildProcess.pipeBytes)
        pid = try ChildProcess.start(
            path, arguments, environment,
            Streams(output: ends[1], errors: ends[1], kept: ends[0]),
            deathSignal: diesWithParent ? SIGTERM : 0, hasOwnGroup: true)
        output = ends[0]
    }

    deinit { if output >= 0 { close(output) } }

    /// What it wrote since the last call; nil once the pipe is at its end. That may be a moment
    /// after the child's own: whoever it started holds the pipe, too, and so does another child of
    /// this process until it has become its program.
    public func drain() -> [UInt8]? {
        guard output >= 0 else { return nil }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count < 1 << 20 {
            let count = read(output, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            if count > 0 {
                bytes += chunk[..<count]
                continue
            }
            if count == 0 {
                close(output)
                output = -1
                return bytes.isEmpty ? nil : bytes
            }
            break
        }
        return bytes
    }

    /// Its exit status if it has ended; afterwards the process id is nobody's.
    public func reap() -> Int32? {
        if let exitStatus { return exitStatus }
        var status: Int32 = 0
        guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
        exitStatus = clinux_exit_status(status)
        return exitStatus
    }

    /// Sends a signal such as SIGTERM, unless it has ended.
    public func send(_ signal: Int32) {
        if exitStatus == nil { kill(pid, signal) }
    }

    /// Kills what a child that has ended left behind in its process group, such as workers that
    /// hold a port.
    public func killRest() { kill(-pid, SIGKILL) }

    public func appendPollItems(to items: inout [PollItem]) {
        if output >= 0 { items.append(PollItem(descriptor: output)) }
    }

    public var waitMilliseconds: Int? { nil }

    /// Descriptors that a program gets, and the end of them that stays here.
    struct Streams {
        /// Nil = /dev/null
        var input: Int32?
        var output: Int32
        /// Nil = those of this process
        var errors: Int32?
        var kept: Int32
    }

    /// Starts a program. The descriptors that it gets are closed here; the kept one no longer
    /// blocks, and is closed where the program does not start.
    ///
    /// - Returns: the process id
    static func start(
        _ path: String, _ arguments: [String], _ environment: [String: String],
        _ streams: Streams, deathSignal: Int32, hasOwnGroup: Bool
    ) throws(SystemError) -> Int32 {
        let variables = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let started = path.withCString { program in
            withCStrings([path] + arguments) { argv in
                withCStrings(variables) { envp in
                    argv.withUnsafeBufferPointer { argv in
                        envp.withUnsafeBufferPointer { envp in
                            clinux_spawn(
                                clinux_program(
                                    path: program, argv: argv.baseAddress, envp: envp.baseAddress,
                                    input: streams.input ?? -1, output: streams.output,
                                    errors: streams.errors ?? -1, death_signal: deathSignal,
                                    has_own_group: hasOwnGroup ? 1 : 0))
                        }
                    }
                }
            }
        }
        let failure = errno
        close(streams.output)
        guard started > 0 else {
            close(streams.kept)
            throw SystemError(failure, "start \(path)")
        }
        clinux_set_nonblocking(streams.kept)
        return started
    }

    /// A null-terminated array of C strings, as execve takes them.
    private static func withCStrings<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}
