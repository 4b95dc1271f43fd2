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
    private var thread = pthread_t()
    private let frameBytes: Int
    /// Of the log as it is now: frames that are in the store.
    private var moved = 0
    private var isBusy = false

    /// - Parameters:
    ///   - connection: of whoever commits
    ///   - path: of the store
    init(_ connection: Connection, path: String, pageBytes: Int) throws(StoreError) {
        self.connection = connection
        frameBytes = pageBytes
        helper = Helper(try Connection(path: path))
        let held = Unmanaged.passRetained(helper)
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
    }

    deinit {
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
            moved = helper.moved.load(ordering: .acquiring)
        }
        // The log began anew.
        if frames < moved { moved = 0 }
        let rest = (frames - moved) * frameBytes
        guard !isBusy, rest > 0 else { return }
        let isLast = moved > 0 && rest <= Checkpointer.bytesLeft
        if isLast || frames * frameBytes >= Checkpointer.bytesMax {
            moved = connection.checkpoint()
        } else if moved > 0 || rest >= Checkpointer.bytesBegun {
            isBusy = true
            helper.wanted.post()
        }
    }
}

/// The thread's side. The semaphores say whose turn it is with the rest.
private final class Helper {
    let wanted = Semaphore()
    let done = Semaphore()
    let moved = Atomic(0)
    let isLeaving = Atomic(false)
    private var connection: Connection?

    init(_ connection: Connection) { self.connection = connection }

    func run() {
        while true {
            _ = wanted.take(isWaiting: true)
            if isLeaving.load(ordering: .acquiring) { break }
            moved.store(connection?.checkpoint() ?? 0, ordering: .releasing)
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
