import CLinux
import Glibc

/// A child process in its own process group, with its output on one pipe.
///
/// Calls never block: ``drain()`` returns the output so far, ``reap()`` the exit status once it
/// ended.
public final class ChildProcess: Pollable {
    public let pid: Int32
    /// The exit status, or 128 + the signal's number; set by ``reap()``.
    public private(set) var exitStatus: Int32?
    private var output: Int32

    /// Size of the output pipe; programs of Jaga drop log lines when it is full.
    static let pipeBytes: Int32 = 256 << 10

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: path of the program; `PATH` is not searched
    ///   - arguments: without the program's name
    ///   - diesWithParent: whether the child receives SIGTERM when the calling thread ends; call it
    ///     on the main thread
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

    /// The output since the last call; nil at the end of the pipe.
    ///
    /// The pipe may end later than the child: processes that the child started hold it, and so do
    /// other children of this process until they have called execve.
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

    /// The exit status if the child ended; its process id is invalid afterwards.
    public func reap() -> Int32? {
        if let exitStatus { return exitStatus }
        var status: Int32 = 0
        guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
        exitStatus = clinux_exit_status(status)
        return exitStatus
    }

    /// Sends a signal such as SIGTERM, unless the child ended.
    public func send(_ signal: Int32) {
        if exitStatus == nil { kill(pid, signal) }
    }

    /// Kills remaining processes in the group of a child that ended, such as workers that hold a
    /// port.
    public func killGroup() { kill(-pid, SIGKILL) }

    public func appendPollItems(to items: inout [PollItem]) {
        if output >= 0 { items.append(PollItem(descriptor: output)) }
    }

    public var waitMilliseconds: Int? { nil }

    /// Descriptors passed to a program, and the end that this process keeps.
    struct Streams {
        /// Nil = /dev/null.
        var input: Int32?
        var output: Int32
        /// Nil = inherited.
        var errors: Int32?
        var kept: Int32
    }

    /// Starts a program.
    ///
    /// Closes the passed descriptors here and makes the kept one nonblocking, or closes it if the
    /// program does not start.
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

    /// Passes a null-terminated array of C strings, as for execve.
    private static func withCStrings<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}
