import Testing

@testable import Bus

@Suite struct `The address of an accepted connection` {
    private typealias Event = MonitorQueue.Event

    private func accepted(_ descriptor: Int32) -> Event {
        Event(kind: MonitorQueue.accepted, value: descriptor, endpoint: "tcp://0.0.0.0:8201")
    }

    private func ended(_ descriptor: Int32) -> Event {
        Event(kind: MonitorQueue.ended, value: descriptor, endpoint: "tcp://0.0.0.0:8201")
    }

    /// Addresses of all events, received in these portions; each look-up finds another connection.
    private func addresses(_ portions: [[Event]]) -> [String] {
        var portions = portions
        var lookUps = 0
        var queue = MonitorQueue()
        var found: [String] = []
        while let event = queue.next(
            receive: { portions.isEmpty ? [] : portions.removeFirst() },
            address: { descriptor in
                lookUps += 1
                return "\(descriptor)/\(lookUps)"
            })
        {
            found.append(event.address)
        }
        return found
    }

    @Test func `is known while the connection is open`() {
        #expect(addresses([[accepted(20), accepted(21)]]) == ["20/1", "21/2"])
        #expect(addresses([[accepted(20)], [], [ended(20)]]) == ["20/1", ""])
    }

    @Test func `is unknown once the connection has ended`() {
        #expect(addresses([[accepted(20), ended(20)]]) == ["", ""])
        #expect(addresses([[accepted(20)], [ended(20)]]) == ["", ""], "ended while looked up")
        #expect(addresses([[accepted(20), accepted(21)], [ended(20)]]) == ["", "21/2", ""])
    }

    @Test func `is not that of the next connection with the same descriptor`() {
        #expect(
            addresses([[accepted(20), ended(20), accepted(20)]]) == ["", "", "20/1"])
        #expect(
            addresses([[accepted(20)], [ended(20), accepted(20)], []]) == ["", "", "20/2"])
    }
}
