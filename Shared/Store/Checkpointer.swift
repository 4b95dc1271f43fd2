import CSQLite
import Glibc
import Synchronization

/// Moves the write-ahead log into the store on a thread of its own, so that whoever commits does
/// not wait until thousands of pages are written and synced.
///
/// The thread has a connection of its own and does nothing but passive checkpoints, which stand in
/// nobody's way: no state is its own, and dying in the middle loses nothing. It cannot reach the
/// end of a log that grows meanwhile, and only a log that is moved whole begins anew. So it is
/// woken until little is left, and that little is moved by whoever commits. A log that has grown
/// too long all the same is moved by whoever commits, however long that takes.
final class Checkpointer {
    /// The thread is woken for so many bytes of the log …
    static let bytesBegun = 4 << 20
    /// … the last ones are moved between two transactions …
    static let bytesLeft = 512 << 10
    /// … and no more than these are left for later.
    static let bytesMax = 16 << 20

    private let connection: Connection
    private let helper: Helper
    private var thread: pthread_t?
    private let frameBytes: Int
    /// Of the log as it is now: frames that are in the store.
    private var moved = 0
    /// Length of the log, in frames, when moving it came no farther: for a reader, or want of room.
    private var stuck = 0
    private var isBusy = false

    /// - Parameters:
    ///   - connection: of whoever commits
    ///   - path: of the store
    init(_ connection: Connection, path: String, pageBytes: Int) throws(StoreError) {
        self.connection = connection
        frameBytes = pageBytes
        helper = try Helper(path)
        let held = Unmanaged.passRetained(helper)
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { context in
                Unmanaged<Helper>.fromOpaque(context!).takeRetainedValue().run()
                return nil
            }, held.toOpaque())
        guard result == 0 else {
            held.release()
            throw StoreError(
                "io", "open store \(path)",
                "no thread for it: \(String(cString: strerror(result)))",
                hint: "Look at the limits of processes and of memory.")
        }
        self.thread = thread
    }

    deinit {
        guard let thread else { return }
        helper.isLeaving.store(true, ordering: .releasing)
        helper.wanted.post()
        pthread_join(thread, nil)
    }

    /// To be called after each commit.
    ///
    /// - Parameter frames: pages in the log
    func committed(_ frames: Int) {
        if isBusy, helper.done.take(isWaiting: frames * frameBytes >= Checkpointer.bytesMax) {
            isBusy = false
            note(helper.moved.load(ordering: .acquiring), of: frames)
        }
        // The log began anew.
        if frames < moved { moved = 0 }
        if frames < stuck { stuck = 0 }
        let rest = (frames - moved) * frameBytes
        guard !isBusy, rest > 0 else { return }
        // Who could not get on tries again when there is more to do.
        if stuck > 0, (frames - stuck) * frameBytes < Checkpointer.bytesLeft { return }
        let isLast = moved > 0 && rest <= Checkpointer.bytesLeft
        if isLast || frames * frameBytes >= Checkpointer.bytesMax {
            note(connection.checkpoint(), of: frames)
        } else if moved > 0 || rest >= Checkpointer.bytesBegun {
            isBusy = true
            helper.wanted.post()
        }
    }

    private func note(_ reached: Int, of frames: Int) {
        stuck = reached > moved ? 0 : frames
        moved = max(moved, reached)
    }
}

/// The thread's side. The semaphores say whose turn it is with the rest.
private final class Helper {
    let wanted = Semaphore()
    let done = Semaphore()
    let moved = Atomic(0)
    let isLeaving = Atomic(false)
    private var connection: Connection?

    init(_ path: String) throws(StoreError) {
        let connection = try Connection(path: path)
        // Until a connection has read, it does not know that there is a log, and moves nothing.
        let result = sqlite3_exec(connection.pointer, "PRAGMA schema_version", nil, nil, nil)
        guard result == SQLITE_OK else {
            throw StoreError(connection.pointer, "open store \(path)")
        }
        self.connection = connection
    }

    func run() {
        while true {
            _ = wanted.take(isWaiting: true)
            if isLeaving.load(ordering: .acquiring) { break }
            var reached = connection?.checkpoint() ?? 0
            if reached > 0, connection?.syncStore() != true { reached = 0 }
            moved.store(reached, ordering: .releasing)
            done.post()
        }
        connection = nil
    }
}

extension Connection {
    /// Moves as much of the log into the store as nobody still needs where it is.
    ///
    /// - Returns: frames of the log that are in the store; 0 when it failed, such as for want of
    ///   room: the log keeps everything then
    fileprivate func checkpoint() -> Int {
        var moved: Int32 = 0
        let result = sqlite3_wal_checkpoint_v2(
            pointer, nil, SQLITE_CHECKPOINT_PASSIVE, nil, &moved)
        return result == SQLITE_OK ? max(0, Int(moved)) : 0
    }

    /// Syncs what was moved so far, so that whoever moves the last frames waits for those alone:
    /// SQLite itself syncs the store once, when the whole log is in it.
    ///
    /// The file is SQLite's own: closing another one on it would drop the locks of this process.
    fileprivate func syncStore() -> Bool {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let result = sqlite3_file_control(pointer, nil, SQLITE_FCNTL_FILE_POINTER, &file)
        guard result == SQLITE_OK, let file, let methods = file.pointee.pMethods else {
            return false
        }
        return methods.pointee.xSync(file, SQLITE_SYNC_NORMAL) == SQLITE_OK
    }
}

/// A count that one thread raises and another one waits for.
private final class Semaphore {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(semaphore, 0, 0) }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func post() { sem_post(semaphore) }

    /// - Returns: whether one was taken
    func take(isWaiting: Bool) -> Bool {
        guard isWaiting else { return sem_trywait(semaphore) == 0 }
        while sem_wait(semaphore) != 0 {}
        return true
    }
}
