import CZeroMQ

/// What a monitor told and nobody has looked at yet, with the addresses of who was accepted.
///
/// Only the descriptor says who it was, and only while the connection is open: afterwards the same
/// number is that of the next connection, or of a file. The end of a connection is told before its
/// descriptor is closed. So an address counts if no end was told before it was looked up, and none
/// until all was heard that was told by then.
struct MonitorQueue {
    struct Event: Hashable {
        /// `ZMQ_EVENT_…`.
        var kind: Int32
        /// The descriptor, or what went wrong.
        var value: Int32
        var endpoint: String
        /// Who is at the other end, where that is certain; else empty.
        var address = ""
    }

    static let accepted: Int32 = ZMQ_EVENT_ACCEPTED
    static let ended: Int32 = ZMQ_EVENT_DISCONNECTED

    private var events: ArraySlice<Event> = []

    /// The next event; nil when there is none.
    ///
    /// - Parameters:
    ///   - told: all events that were told since it was last called
    ///   - address: who is at the other end of a descriptor
    mutating func next(told: () -> [Event], address: (Int32) -> String) -> Event? {
        if events.isEmpty { fill(told, address) }
        return events.popFirst()
    }

    private mutating func fill(_ told: () -> [Event], _ address: (Int32) -> String) {
        var fresh = told()
        while !fresh.isEmpty {
            for index in fresh.indices where fresh[index].kind == MonitorQueue.accepted {
                let event = fresh[index]
                guard !Self.hasEnd(of: event.value, in: fresh[(index + 1)...]) else { continue }
                fresh[index].address = address(event.value)
            }
            let later = told()
            for index in fresh.indices where Self.hasEnd(of: fresh[index].value, in: later[...]) {
                fresh[index].address = ""
            }
            events += fresh
            fresh = later
        }
    }

    private static func hasEnd(of descriptor: Int32, in events: ArraySlice<Event>) -> Bool {
        events.contains { $0.kind == MonitorQueue.ended && $0.value == descriptor }
    }
}
