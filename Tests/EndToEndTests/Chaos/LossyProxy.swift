import CZeroMQ
import Foundation
import Glibc
import Synchronization
import TestSupport

/// A proxy between the services of a suite, on another loopback address. It drops some published
/// batches, like a writer that is killed between its commit and its publication.
///
/// Requests and responses pass unchanged.
final class LossyProxy: Sendable {
    static let address = "127.0.0.9"

    /// Settings with which every service reaches the others through the proxy. Streams have no
    /// keys, because the proxy could not read encrypted batches.
    static let settings = Dictionary(
        uniqueKeysWithValues: ["INGEST", "MEMBERSHIP", "TIMER", "NOTIFIER"].map {
            ("JAGA_HOST_\($0)", address)
        } + [("JAGA_CURVE", "never")])

    private let isEnded = Atomic(false)
    private let dropped = Atomic(0)

    /// The number of dropped batches.
    var droppedCount: Int { dropped.load(ordering: .relaxed) }

    /// - Parameter share: share of dropped batches, 0 to 1
    init(portBase: Int, losing share: Double) throws {
        let services = [1, 2, 4, 5]
        for service in services { try pass(requestsTo: portBase + 200 + service) }
        let thread = Thread { [self] in
            let context = zmq_ctx_new()
            let publications = services.map { portBase + 100 + $0 } + [portBase + 302]
            var links = publications.map { port in
                Link(context, from: "127.0.0.1:\(port)", to: "\(Self.address):\(port)")
            }
            // Proposals have the opposite direction: evaluators connect to the proxy.
            let outputs = portBase + 301
            links.append(
                Link(
                    context, from: "\(Self.address):\(outputs)", to: "127.0.0.1:\(outputs)",
                    isReversed: true))
            while !isEnded.load(ordering: .relaxed) {
                dropped.add(carry(links, losing: share), ordering: .relaxed)
            }
            for link in links { link.close() }
            zmq_ctx_term(context)
        }
        thread.start()
    }

    func stop() { isEnded.store(true, ordering: .relaxed) }

    /// Forwards publications in one direction and subscriptions in the other.
    private struct Link {
        let source: UnsafeMutableRawPointer?
        let sink: UnsafeMutableRawPointer?

        /// - Parameter isReversed: publishers connect to the source; otherwise it connects to them
        init(
            _ context: UnsafeMutableRawPointer?, from: String, to: String, isReversed: Bool = false
        ) {
            source = zmq_socket(context, ZMQ_XSUB)
            sink = zmq_socket(context, ZMQ_XPUB)
            for socket in [source, sink] {
                var none: CInt = 0
                zmq_setsockopt(socket, ZMQ_LINGER, &none, 4)
                zmq_setsockopt(socket, ZMQ_SNDHWM, &none, 4)
                zmq_setsockopt(socket, ZMQ_RCVHWM, &none, 4)
            }
            if isReversed {
                zmq_bind(source, "tcp://\(from)")
                zmq_connect(sink, "tcp://\(to)")
            } else {
                zmq_connect(source, "tcp://\(from)")
                zmq_bind(sink, "tcp://\(to)")
            }
        }

        func close() {
            zmq_close(source)
            zmq_close(sink)
        }
    }

    /// Waits for frames and forwards them.
    ///
    /// - Returns: the number of dropped batches
    private func carry(_ links: [Link], losing share: Double) -> Int {
        var items = links.flatMap { link in
            [link.source, link.sink].map {
                zmq_pollitem_t(socket: $0, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0)
            }
        }
        guard zmq_poll(&items, Int32(items.count), 100) > 0 else { return 0 }
        var dropped = 0
        for link in links {
            dropped += pass(from: link.source, to: link.sink, losing: share)
            dropped += pass(from: link.sink, to: link.source, losing: 0)
        }
        return dropped
    }

    private func pass(
        from source: UnsafeMutableRawPointer?, to sink: UnsafeMutableRawPointer?,
        losing share: Double
    ) -> Int {
        var dropped = 0
        var message = zmq_msg_t()
        zmq_msg_init(&message)
        defer { zmq_msg_close(&message) }
        while zmq_msg_recv(&message, source, ZMQ_DONTWAIT) >= 0 {
            let bytes = UnsafeRawBufferPointer(
                start: zmq_msg_data(&message), count: zmq_msg_size(&message))
            let isBatch = bytes.count > 9 && bytes[9] == 1
            if isBatch, share > 0, Double.random(in: 0..<1) < share {
                dropped += 1
            } else {
                zmq_msg_send(&message, sink, ZMQ_DONTWAIT)
            }
        }
        return dropped
    }

    // MARK: Requests

    /// Forwards every connection to the same port of 127.0.0.1.
    private func pass(requestsTo port: Int) throws {
        let listener = Self.socket(on: Self.address, port) { bind($0, $1, $2) }
        guard listener >= 0, listen(listener, 64) == 0 else {
            throw TestFailure("cannot listen on \(Self.address):\(port)")
        }
        let thread = Thread { [self] in
            while !isEnded.load(ordering: .relaxed) {
                var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
                guard poll(&waiting, 1, 100) > 0 else { continue }
                let client = accept(listener, nil, nil)
                let server = Self.socket(on: "127.0.0.1", port) { connect($0, $1, $2) }
                guard client >= 0, server >= 0 else {
                    if client >= 0 { close(client) }
                    continue
                }
                copy(between: client, and: server)
            }
            close(listener)
        }
        thread.start()
    }

    /// Forwards both directions until either end is closed.
    private func copy(between one: Int32, and other: Int32) {
        let thread = Thread { [self] in
            var items = [one, other].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            var chunk = [UInt8](repeating: 0, count: 64 << 10)
            var isOpen = true
            while isOpen, !isEnded.load(ordering: .relaxed) {
                guard poll(&items, 2, 100) > 0 else { continue }
                for (from, to) in [(0, 1), (1, 0)] where items[from].revents != 0 {
                    let count = recv(items[from].fd, &chunk, chunk.count, 0)
                    if count <= 0 || !Self.sendAll(chunk[..<max(0, count)], to: items[to].fd) {
                        isOpen = false
                    }
                }
            }
            close(one)
            close(other)
        }
        thread.start()
    }

    private static func sendAll(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// A bound or connected socket; -1 on failure.
    private static func socket(
        on address: String, _ port: Int,
        _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, 4)
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, 4)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
        inet_pton(AF_INET, address, &name.sin_addr)
        let result = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                use(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close(descriptor)
            return -1
        }
        return descriptor
    }
}
