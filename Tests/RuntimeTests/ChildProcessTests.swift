import Glibc
import Runtime
import Testing

@Suite struct `A child process` {
    /// The output of the child until it and the pipe end, and its exit status; within 30 s.
    /// Children of other tests hold the pipe, too, until they have called execve.
    private func finish(_ child: ChildProcess) async throws -> (text: String, status: Int32) {
        var bytes: [UInt8] = []
        for _ in 0..<3000 {
            if let more = child.drain() {
                bytes += more
            } else if let status = child.reap() {
                return (String(decoding: bytes, as: UTF8.self), status)
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        child.send(SIGKILL)
        throw SystemError(ETIMEDOUT, "wait for a child")
    }

    private func shell(_ script: String, _ environment: [String: String] = [:]) throws
        -> ChildProcess
    {
        try ChildProcess(
            path: "/bin/sh", arguments: ["-c", script], environment: environment,
            diesWithParent: false)
    }

    @Test func `writes output and errors to one pipe and returns its status`() async throws {
        let child = try shell("echo $WORD; echo wrong >&2; exit 3", ["WORD": "said"])
        let (text, status) = try await finish(child)
        #expect(text == "said\nwrong\n")
        #expect(status == 3)
        #expect(child.drain() == nil)
        #expect(child.reap() == 3)
    }

    @Test func `runs in its own process group without input`() async throws {
        let child = try shell("cat; ps -o pgid= -p $$ 2>/dev/null || cut -d' ' -f5 /proc/$$/stat")
        let (text, status) = try await finish(child)
        #expect(
            text.split(separator: " ").last.map { $0.split(separator: "\n") } == ["\(child.pid)"])
        #expect(status == 0)
    }

    @Test func `inherits no descriptors`() async throws {
        let withoutCloseOnExec = dup(2)
        defer { close(withoutCloseOnExec) }
        let child = try ChildProcess(
            path: "/bin/ls", arguments: ["/proc/self/fd"], environment: [:], diesWithParent: false)
        let (text, status) = try await finish(child)
        // The last one is the folder that ls reads.
        #expect(text == "0\n1\n2\n3\n")
        #expect(status == 0)
    }

    @Test func `inherits no blocked signals`() async throws {
        let child = try shell("kill -TERM $$; echo survived")
        let (text, status) = try await finish(child)
        #expect(status == 128 + SIGTERM)
        #expect(text == "")
    }

    @Test func `ends by a signal`() async throws {
        let child = try shell("echo up; exec sleep 600")
        while child.drain()?.isEmpty == true { try await Task.sleep(for: .milliseconds(5)) }
        child.send(SIGKILL)
        #expect(try await finish(child).status == 128 + SIGKILL)
    }

    @Test func `is not started if the program does not exist`() {
        do throws(SystemError) {
            _ = try ChildProcess(path: "/nowhere/program", arguments: [], environment: [:])
            Issue.record("the program does not exist")
        } catch {
            #expect(error.number == ENOENT)
            #expect(error.operation == "start /nowhere/program")
        }
    }

    @Test func `ends when the thread that started it ends`() async throws {
        final class Box: @unchecked Sendable { var child: ChildProcess? }
        let box = Box()
        await withCheckedContinuation { continuation in
            let thread = OwnThread {
                box.child = try? ChildProcess(
                    path: "/bin/sleep", arguments: ["60"], environment: [:], diesWithParent: true)
            }
            thread.join()
            continuation.resume()
        }
        let child = try #require(box.child)
        #expect(try await finish(child).status == 128 + SIGTERM)
    }
}

/// A thread that runs a closure and ends.
private struct OwnThread {
    private final class Work {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
    }
    private var handle = pthread_t()

    init(_ body: @escaping () -> Void) {
        let work = Unmanaged.passRetained(Work(body))
        pthread_create(
            &handle, nil,
            { raw in
                Unmanaged<Work>.fromOpaque(raw!).takeRetainedValue().body()
                return nil
            }, work.toOpaque())
    }

    func join() { pthread_join(handle, nil) }
}
