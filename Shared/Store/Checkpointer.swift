import CSQLite
import Glibc
import Synchronization

/// Checkpoints the write-ahead log on its own thread, so that commits do not wait until thousands
/// of pages are written and synced.
///
/// The thread has its own connection and runs only passive checkpoints, which block nobody; it has
/// no state that a crash could lose. It cannot finish a log that keeps growing, and only a
/// completely checkpointed log restarts. So the thread stops when little is left, and the next
/// commit moves the rest. A log that still grows too long is moved by the commit, however long that
/// takes.
final class Checkpointer {
    /// The thread starts at this length of the log, in bytes …
    static let startBytes = 4 << 20
    /// … a commit moves the last bytes …
    static let remainderBytes = 512 << 10
    /// … and everything if the log is longer than this.
    static let bytesMax = 16 << 20

    private let connection: Connection
    private let worker: CheckpointThread
    private var thread: pthread_t?
    private let frameBytes: Int
    /// Frames of the current log that are in the store.
    private var moved = 0
    /// Length of the log in frames when a checkpoint made no progress, because of a reader or a
    /// full disk; else 0.
    private var stuck = 0
    private var isBusy = false

    /// - Parameters:
    ///   - connection: the connection that commits
    ///   - path: path of the store
    init(_ connection: Connection, path: String, pageBytes: Int) throws(StoreError) {
        self.connection = connection
        frameBytes = pageBytes
        worker = try CheckpointThread(path)
        let held = Unmanaged.passRetained(worker)
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { context in
                Unmanaged<CheckpointThread>.fromOpaque(context!).takeRetainedValue().run()
                return nil
            }, held.toOpaque())
        guard result == 0 else {
            held.release()
            throw StoreError(
                "io", "open store \(path)",
                "no thread for checkpoints: \(String(cString: strerror(result)))",
                hint: "Check the limits of processes and memory.")
        }
        self.thread = thread
    }

    deinit {
        guard let thread else { return }
        worker.isStopping.store(true, ordering: .releasing)
        worker.requested.post()
        pthread_join(thread, nil)
    }

    /// Call this after each commit.
    ///
    /// - Parameter frames: pages in the log
    func committed(_ frames: Int) {
        if isBusy, worker.done.wait(isBlocking: frames * frameBytes >= Checkpointer.bytesMax) {
            isBusy = false
            record(worker.moved.load(ordering: .acquiring), of: frames)
        }
        // The log restarted.
        if frames < moved { moved = 0 }
        if frames < stuck { stuck = 0 }
        let rest = (frames - moved) * frameBytes
        guard !isBusy, rest > 0 else { return }
        // After a checkpoint without progress, wait until there is more to move.
        if stuck > 0, (frames - stuck) * frameBytes < Checkpointer.remainderBytes { return }
        let isLast = moved > 0 && rest <= Checkpointer.remainderBytes
        if isLast || frames * frameBytes >= Checkpointer.bytesMax {
            record(connection.checkpoint(), of: frames)
        } else if moved > 0 || rest >= Checkpointer.startBytes {
            isBusy = true
            worker.requested.post()
        }
    }

    private func record(_ reached: Int, of frames: Int) {
        stuck = reached > moved ? 0 : frames
        moved = max(moved, reached)
    }
}

/// State shared with the thread; the semaphores pass it back and forth.
private final class CheckpointThread {
    let requested = Semaphore()
    let done = Semaphore()
    let moved = Atomic(0)
    let isStopping = Atomic(false)
    private var connection: Connection?

    init(_ path: String) throws(StoreError) {
        let connection = try Connection(path: path)
        // A connection detects the log only after its first read.
        let result = sqlite3_exec(connection.pointer, "PRAGMA schema_version", nil, nil, nil)
        guard result == SQLITE_OK else {
            throw StoreError(connection.pointer, "open store \(path)")
        }
        self.connection = connection
    }

    func run() {
        while true {
            _ = requested.wait(isBlocking: true)
            if isStopping.load(ordering: .acquiring) { break }
            var reached = connection?.checkpoint() ?? 0
            if reached > 0, connection?.syncStore() != true { reached = 0 }
            moved.store(reached, ordering: .releasing)
            done.post()
        }
        connection = nil
    }
}

extension Connection {
    /// Moves as many frames into the store as no reader needs in the log.
    ///
    /// - Returns: the number of frames that are in the store; 0 on failure, such as a full disk,
    ///   which leaves the log unchanged
    fileprivate func checkpoint() -> Int {
        var moved: Int32 = 0
        let result = sqlite3_wal_checkpoint_v2(
            pointer, nil, SQLITE_CHECKPOINT_PASSIVE, nil, &moved)
        return result == SQLITE_OK ? max(0, Int(moved)) : 0
    }

    /// Syncs the store, so that the commit that moves the last frames syncs only those: SQLite
    /// itself syncs once, when the whole log is moved.
    ///
    /// Uses SQLite's own file: closing another descriptor of it would drop the locks of this
    /// process.
    fileprivate func syncStore() -> Bool {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let result = sqlite3_file_control(pointer, nil, SQLITE_FCNTL_FILE_POINTER, &file)
        guard result == SQLITE_OK, let file, let methods = file.pointee.pMethods else {
            return false
        }
        return methods.pointee.xSync(file, SQLITE_SYNC_NORMAL) == SQLITE_OK
    }
}

/// A counting semaphore.
private final class Semaphore {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(semaphore, 0, 0) }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func post() { sem_post(semaphore) }

    /// - Returns: whether the count was decremented
    func wait(isBlocking: Bool) -> Bool {
        guard isBlocking else { return sem_trywait(semaphore) == 0 }
        while sem_wait(semaphore) != 0 {}
        return true
    }
}
