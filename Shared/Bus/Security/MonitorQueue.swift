import CZeroMQ

/// Queue of monitor events, with the addresses of accepted connections.
///
/// Only the descriptor identifies the peer, and only while the connection is open: later the same
/// number may be another connection or a file. The end of a connection is reported before its
/// descriptor is closed. So an address is valid if no end was reported until after it was looked
/// up.
struct MonitorQueue {
    struct Event: Hashable {
        /// `ZMQ_EVENT_…`.
        var kind: Int32
        /// The descriptor, or an error code.
        var value: Int32
        var endpoint: String
        /// Address of the peer; empty if it is uncertain.
        var address = ""
    }

    static let accepted: Int32 = ZMQ_EVENT_ACCEPTED
    static let ended: Int32 = ZMQ_EVENT_DISCONNECTED

    private var events: ArraySlice<Event> = []

    /// Returns the next event; nil if there is none.
    ///
    /// - Parameters:
    ///   - receive: returns the events since its last call
    ///   - address: returns the peer's address of a descriptor
    mutating func next(receive: () -> [Event], address: (Int32) -> String) -> Event? {
        if events.isEmpty { append(receive, address) }
        return events.popFirst()
    }

    private mutating func append(_ receive: () -> [Event], _ address: (Int32) -> String) {
        var received = receive()
        while !received.isEmpty {
            for index in received.indices where received[index].kind == MonitorQueue.accepted {
                let event = received[index]
                guard !Self.hasEnd(of: event.value, in: received[(index + 1)...]) else { continue }
                received[index].address = address(event.value)
            }
            let later = receive()
            for index in received.indices
            where Self.hasEnd(of: received[index].value, in: later[...]) {
                received[index].address = ""
            }
            events += received
            received = later
        }
    }

    private static func hasEnd(of descriptor: Int32, in events: ArraySlice<Event>) -> Bool {
        events.contains { $0.kind == MonitorQueue.ended && $0.value == descriptor }
    }
}
