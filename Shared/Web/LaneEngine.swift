import CCurl
import CLinux
import Glibc
import Model

/// Transfers of one lane: a libcurl multi handle with one pollable descriptor.
///
/// libcurl reports the sockets and the timeout that it waits for. The sockets are in an epoll
/// descriptor, so that the loop of the service polls one descriptor for all transfers.
final class LaneEngine {
    let descriptor: Int32
    private let limits: TransferLimits
    private let multi: UnsafeMutableRawPointer
    private var running: [UnsafeMutableRawPointer: RunningTransfer] = [:]
    private var waiting: [Transfer] = []
    private var firstWaiting = 0
    private var results: [TransferResult] = []
    private var wakeUp: ContinuousClock.Instant?
    /// All sockets of this lane, including those of idle connections.
    private var sockets: Set<Int32> = []
    private var isStopped = false
    private let clock = ContinuousClock()

    /// Maximum number of events per turn.
    private static let eventsMax = 256

    init(limits: TransferLimits) {
        self.limits = limits
        Curl.initialise()
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        invariant(descriptor >= 0, "epoll_create1 succeeds")
        guard let multi = curl_multi_init() else {
            fatalError("broken invariant: curl_multi_init succeeds")
        }
        self.multi = multi
        _ = ccurl_multi_set_number(multi, CURLMOPT_MAXCONNECTS, limits.idleConnections)
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = ccurl_multi_set_callbacks(multi, LaneEngine.watch, LaneEngine.setTimer, context)
    }

    deinit { stop() }

    var openCount: Int { running.count + waiting.count - firstWaiting }

    var waitMilliseconds: Int? {
        if !results.isEmpty { return 0 }
        return wakeUp.map { max(0, Int((($0 - clock.now) + .microseconds(999)).milliseconds)) }
    }

    func start(_ transfer: Transfer) {
        guard !isStopped else { return }
        if running.count < limits.running {
            begin(transfer)
        } else if waiting.count - firstWaiting < limits.waiting {
            waiting.append(transfer)
        } else {
            fail(transfer, "too many waiting transfers")
        }
    }

    func drain() -> [TransferResult] {
        guard !isStopped else { return [] }
        var active: Int32 = 0
        if let due = wakeUp, due <= clock.now {
            wakeUp = nil
            curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &active)
        }
        var socket: Int32 = 0
        var events: UInt32 = 0
        var budget = LaneEngine.eventsMax
        while budget > 0, clinux_epoll_next(descriptor, &socket, &events) == 1 {
            budget -= 1
            curl_multi_socket_action(multi, socket, selected(events), &active)
        }
        collect()
        defer { results = [] }
        return results
    }

    func drainBody(of token: UInt64) -> [UInt8] {
        guard let found = running.values.first(where: { $0.transfer.token == token }),
            ccurl_number(found.easy, CURLINFO_RESPONSE_CODE) == 200
        else { return [] }
        return found.answer.drainBody()
    }

    func stop() {
        guard !isStopped else { return }
        isStopped = true
        for transfer in running.values {
            curl_multi_remove_handle(multi, transfer.easy)
            transfer.free()
        }
        running = [:]
        // libcurl sends QUIT to idle mail servers and waits for their reply. With the sockets' read
        // side shut down, it does not wait.
        for socket in sockets { shutdown(socket, Int32(SHUT_RD)) }
        curl_multi_cleanup(multi)
        close(descriptor)
    }

    // MARK: - One transfer

    private func begin(_ transfer: Transfer) {
        guard let begun = RunningTransfer(transfer, clock.now) else {
            return fail(
                transfer, "invalid call: its URL, a header or an address is not usable")
        }
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = ccurl_set_socket_callbacks(
            begun.easy, LaneEngine.openSocket, LaneEngine.closeSocket, context)
        running[begun.easy] = begun
        curl_multi_add_handle(multi, begun.easy)
    }

    private func fail(_ transfer: Transfer, _ message: String) {
        results.append(
            TransferResult(
                token: transfer.token,
                outcome: .failed(TransferFailure(fate: .notSent, message: message)),
                elapsed: .zero))
    }

    private func collect() {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
                let ended = running.removeValue(forKey: easy)
            else { continue }
            let code = ccurl_result(message)
            let outcome = ended.outcome(code)
            curl_multi_remove_handle(multi, easy)
            ended.free()
            results.append(
                TransferResult(
                    token: ended.transfer.token, outcome: outcome,
                    elapsed: clock.now - ended.started))
        }
        while running.count < limits.running, firstWaiting < waiting.count {
            begin(waiting[firstWaiting])
            firstWaiting += 1
        }
        if firstWaiting == waiting.count {
            waiting = []
            firstWaiting = 0
        }
    }

    private func selected(_ events: UInt32) -> Int32 {
        var mask: Int32 = 0
        if events & EPOLLIN.rawValue != 0 { mask |= CURL_CSELECT_IN }
        if events & EPOLLOUT.rawValue != 0 { mask |= CURL_CSELECT_OUT }
        if events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { mask |= CURL_CSELECT_ERR }
        return mask
    }

    // MARK: - From libcurl

    private static func of(_ context: UnsafeMutableRawPointer?) -> LaneEngine {
        Unmanaged<LaneEngine>.fromOpaque(context!).takeUnretainedValue()
    }

    /// libcurl starts or stops waiting for a socket.
    private static let watch: curl_socket_callback = { easy, socket, what, context, _ in
        let engine = LaneEngine.of(context)
        if what == CURL_POLL_REMOVE {
            _ = clinux_epoll_remove(engine.descriptor, socket)
            return 0
        }
        if let easy { engine.running[easy]?.socket = socket }
        var events: UInt32 = 0
        if what & CURL_POLL_IN != 0 { events |= EPOLLIN.rawValue }
        if what & CURL_POLL_OUT != 0 { events |= EPOLLOUT.rawValue }
        _ = clinux_epoll_set(engine.descriptor, socket, events)
        return 0
    }

    /// libcurl sets its timeout; negative = none.
    private static let setTimer: curl_multi_timer_callback = { _, milliseconds, context in
        let engine = LaneEngine.of(context)
        engine.wakeUp =
            milliseconds < 0 ? nil : engine.clock.now + .milliseconds(Int64(milliseconds))
        return 0
    }

    private static let openSocket: curl_opensocket_callback = { context, _, address in
        guard let address else { return -1 }
        let target = address.pointee
        let socket = clinux_socket(target.family, target.socktype, target.protocol)
        if socket >= 0 { LaneEngine.of(context).sockets.insert(socket) }
        return socket
    }

    private static let closeSocket: curl_closesocket_callback = { context, socket in
        LaneEngine.of(context).sockets.remove(socket)
        return close(socket)
    }
}
