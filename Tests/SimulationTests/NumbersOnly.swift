import Model
import Runtime
import Store
import Wire

@testable import Bus

/// A transport with somebody between it and its bus.
class MiddleTransport: BusTransport {
    let inner: SimulatedTransport
    private let change: (Arrival) -> Arrival?

    /// - Parameter change: gives what arrives in place of an arrival; nil: nothing
    init(_ inner: SimulatedTransport, change: @escaping (Arrival) -> Arrival?) {
        self.inner = inner
        self.change = change
    }

    func publish(_ frame: [UInt8]) { inner.publish(frame) }
    func ask(_ frame: [UInt8], of peer: Int) -> Bool { inner.ask(frame, of: peer) }
    func answer(_ frame: [UInt8], to route: Route) { inner.answer(frame, to: route) }
    func offer(_ frame: [UInt8], to peer: Int) { inner.offer(frame, to: peer) }
    func subscribe(_ stream: StreamName, of peer: Int) { inner.subscribe(stream, of: peer) }
    func unsubscribe(_ stream: StreamName, of peer: Int) { inner.unsubscribe(stream, of: peer) }

    func next() -> Arrival? {
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

/// The notifier takes records by their numbers alone: every hash that it hears is made to fit, so
/// that a stream that went back looks like one that has nothing new yet.
final class NumbersOnly: Plant {
    func transport(_ inner: SimulatedTransport, of seat: Seat) -> any BusTransport {
        seat.service == .notifier ? Transport(inner, seat.keepers) : inner
    }

    private final class Transport: MiddleTransport {
        private let state: State

        init(_ inner: SimulatedTransport, _ keepers: [Database]) {
            let state = State(keepers: keepers)
            self.state = state
            super.init(inner) { state.change($0) }
        }

        override func ask(_ frame: [UInt8], of peer: Int) -> Bool {
            super.ask(state.changeQuestion(frame), of: peer)
        }
    }

    /// What the consumer believes.
    private final class State {
        private let keepers: [Database]
        /// Up to where it has each stream, by its own chain.
        private var known: [StreamName: Position] = [:]

        init(keepers: [Database]) { self.keepers = keepers }

        // MARK: What it asks

        func changeQuestion(_ frame: [UInt8]) -> [UInt8] {
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
            for keeper in keepers {
                let store = SQLiteBusStore(keeper)
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

        // MARK: What it hears

        func change(_ arrival: Arrival) -> Arrival? {
            switch arrival {
            case .published(let peer, let frame):
                changeFrame(frame).map { .published(peer: peer, $0) }
            case .answered(let peer, let frame):
                changeFrame(frame).map { .answered(peer: peer, $0) }
            case .asked, .offered, .refused: arrival
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
            case .control, .offer: return bytes
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
            guard let asked = known[state.extent.stream], asked != .unknown,
                asked.incarnation == state.extent.head.incarnation, state.verdict != .pruned
            else {
                if known[state.extent.stream] == .unknown {
                    known[state.extent.stream] = .start(of: state.extent.head.incarnation)
                }
                return state
            }
            return Control.State(.ok, on: asked, change(state.extent))
        }
    }
}
