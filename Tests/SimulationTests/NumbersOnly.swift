import Model
import Runtime
import Store
import Wire

@testable import Bus

/// A transport wrapped in a layer that can change arrivals.
class MiddleTransport: BusTransport {
    let inner: SimulatedTransport
    private let change: (TransportEvent) -> TransportEvent?

    /// - Parameter change: returns the replacement of an arrival; nil drops it
    init(_ inner: SimulatedTransport, change: @escaping (TransportEvent) -> TransportEvent?) {
        self.inner = inner
        self.change = change
    }

    func publish(_ frame: [UInt8]) { inner.publish(frame) }
    func sendRequest(_ frame: [UInt8], to peer: Int) -> Bool { inner.sendRequest(frame, to: peer) }
    func sendReply(_ frame: [UInt8], to route: Route) { inner.sendReply(frame, to: route) }
    func sendProposal(_ frame: [UInt8], to peer: Int) { inner.sendProposal(frame, to: peer) }
    func subscribe(_ stream: StreamName, of peer: Int) { inner.subscribe(stream, of: peer) }
    func unsubscribe(_ stream: StreamName, of peer: Int) { inner.unsubscribe(stream, of: peer) }

    func next() -> TransportEvent? {
        while let arrival = inner.next() {
            if let changed = change(arrival) { return changed }
        }
        return nil
    }

    func reconnect(to peer: Int) { inner.reconnect(to: peer) }
    var endpoints: BusEndpoints { inner.endpoints }
    func close() { inner.close() }
    func appendPollItems(to items: inout [PollItem]) {}
    var waitMilliseconds: Int? { inner.waitMilliseconds }
}

/// The notifier accepts records by their numbers only. Every received hash is changed to match, so
/// a restored stream looks like one without new records.
final class NumbersOnly: PlantedBug {
    func transport(_ inner: SimulatedTransport, of slot: ProcessSlot) -> any BusTransport {
        slot.service == .notifier ? Transport(inner, slot.databases) : inner
    }

    private final class Transport: MiddleTransport {
        private let state: State

        init(_ inner: SimulatedTransport, _ databases: [Database]) {
            let state = State(databases: databases)
            self.state = state
            super.init(inner) { state.change($0) }
        }

        override func sendRequest(_ frame: [UInt8], to peer: Int) -> Bool {
            super.sendRequest(state.changeRequest(frame), to: peer)
        }
    }

    /// The positions of the consumer.
    private final class State {
        private let databases: [Database]
        /// Its position in each stream, by its own chain.
        private var known: [StreamName: Position] = [:]

        init(databases: [Database]) { self.databases = databases }

        // MARK: Requests

        func changeRequest(_ frame: [UInt8]) -> [UInt8] {
            guard case .control(let control)? = try? Frame(frame) else { return frame }
            switch control {
            case .hello(let consumer, let entries):
                return Control.hello(consumer: consumer, entries: entries.map(fit)).encoded()
            case .replay(let consumer, let entry, let bytes):
                return Control.replay(consumer: consumer, from: fit(entry), bytesMax: bytes)
                    .encoded()
            default: return frame
            }
        }

        /// The writer's own position at the number, or its last one.
        private func fit(_ entry: Control.Entry) -> Control.Entry {
            known[entry.stream] = entry.position
            guard entry.position != .unknown else { return entry }
            for database in databases {
                let store = SQLiteBusStore(database)
                guard let (base, head) = try? store.open(entry.stream, newIncarnation: { .zero }),
                    base.incarnation == entry.position.incarnation
                else { continue }
                guard entry.position.sequence < head.sequence else {
                    return Control.Entry(entry.stream, head)
                }
                var position = entry.position
                let hash = try? store.hash(of: entry.stream, at: position.sequence)
                position.hash = hash ?? base.hash
                return Control.Entry(entry.stream, position)
            }
            return entry
        }

        // MARK: Responses

        func change(_ arrival: TransportEvent) -> TransportEvent? {
            switch arrival {
            case .published(let peer, let frame):
                changeFrame(frame).map { .published(peer: peer, $0) }
            case .replied(let peer, let frame):
                changeFrame(frame).map { .replied(peer: peer, $0) }
            case .requested, .proposed, .rejected: arrival
            }
        }

        private func changeFrame(_ bytes: [UInt8]) -> [UInt8]? {
            guard let frame = try? Frame(bytes) else { return bytes }
            switch frame {
            case .batch(let batch): return change(batch)
            case .heads(var heads):
                heads.extents = heads.extents.map(change)
                return heads.encoded()
            case .control(.states(let states)):
                return Control.states(states.map(change)).encoded()
            case .control, .proposal: return bytes
            }
        }

        private func change(_ batch: Batch) -> [UInt8]? {
            guard let end = known[batch.stream], end != .unknown,
                batch.previous.incarnation == end.incarnation
            else { return batch.encoded() }
            guard batch.previous.sequence <= end.sequence, batch.last.sequence > end.sequence
            else { return nil }
            let rest = batch.records.dropFirst(Int(end.sequence - batch.previous.sequence))
            let fitted = Batch(
                stream: batch.stream, after: end, records: Array(rest), head: batch.head,
                published: batch.published)
            known[batch.stream] = fitted.last
            return fitted.encoded()
        }

        private func change(_ extent: Extent) -> Extent {
            guard let end = known[extent.stream], end.incarnation == extent.head.incarnation,
                extent.head.sequence <= end.sequence
            else { return extent }
            var extent = extent
            extent.head = end
            return extent
        }

        private func change(_ state: Control.State) -> Control.State {
            guard let position = known[state.extent.stream], position != .unknown,
                position.incarnation == state.extent.head.incarnation, state.verdict != .pruned
            else {
                if known[state.extent.stream] == .unknown {
                    known[state.extent.stream] = .start(of: state.extent.head.incarnation)
                }
                return state
            }
            return Control.State(.ok, on: position, change(state.extent))
        }
    }
}
