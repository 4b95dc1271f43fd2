import Foundation
import Runtime

/// The thread that starts the processes of tests. It lives as long as the test program, so that
/// processes that end with their parent's thread end with the test program.
public enum SpawnThread {
    private struct Job: @unchecked Sendable {
        let body: () -> Void
        let done: DispatchSemaphore
    }

    private final class Queue: @unchecked Sendable {
        private let condition = NSCondition()
        private var jobs: [Job] = []

        func add(_ job: Job) {
            condition.lock()
            jobs.append(job)
            condition.signal()
            condition.unlock()
        }

        func next() -> Job {
            condition.lock()
            defer { condition.unlock() }
            while jobs.isEmpty { condition.wait() }
            return jobs.removeFirst()
        }
    }

    private static let queue: Queue = {
        let queue = Queue()
        let thread = Thread {
            while true {
                let job = queue.next()
                job.body()
                job.done.signal()
            }
        }
        thread.start()
        return queue
    }()

    /// Starts a program that ends with this process.
    public static func start(
        _ path: String, _ arguments: [String], environment: [String: String]
    ) throws -> ChildProcess {
        nonisolated(unsafe) var result: Result<ChildProcess, any Error>?
        let done = DispatchSemaphore(value: 0)
        queue.add(
            Job(
                body: {
                    result = Result {
                        try ChildProcess(
                            path: path, arguments: arguments, environment: environment)
                    }
                }, done: done))
        done.wait()
        guard let result else { throw TestFailure("the process was not started") }
        return try result.get()
    }
}

/// A precondition of a test does not hold.
public struct TestFailure: Error, CustomStringConvertible {
    public let description: String
    public init(_ description: String) { self.description = description }
}
