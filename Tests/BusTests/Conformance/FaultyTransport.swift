import Bus
import Runtime
import TestSupport
import Wire

/// A transport between a bus and another one that loses, repeats or changes what goes out.
final class FaultyTransport: BusTransport {
    /// How a frame leaves.
    enum Way { case publication, question, answer, offer }

    /// The frames that really leave for one that was to leave.
    typealias Fate = (Way, [UInt8]) -> [[UInt8]]

    private let inner: any BusTransport
    var fate: Fate

    init(_ inner: any BusTransport, fate: @escaping Fate = { [$1] }) {
        self.inner = inner
        self.fate = fate
    }

    func publish(_ frame: [UInt8]) { fate(.publication, frame).forEach(inner.publish) }

    func ask(_ frame: [UInt8], of peer: Int) -> Bool {
        var isSent = true
        for frame in fate(.question, frame) { isSent = inner.ask(frame, of: peer) }
        return isSent
    }

    func answer(_ frame: [UInt8], to route: Route) {
        for frame in fate(.answer, frame) { inner.answer(frame, to: route) }
    }

    func offer(_ frame: [UInt8], to peer: Int) {
        for frame in fate(.offer, frame) { inner.offer(frame, to: peer) }
    }

    func subscribe(_ stream: StreamName, of peer: Int) { inner.subscribe(stream, of: peer) }
    func unsubscribe(_ stream: StreamName, of peer: Int) { inner.unsubscribe(stream, of: peer) }
    func next() -> Arrival? { inner.next() }
    func reconnect(to peer: Int) { inner.reconnect(to: peer) }
    var endpoints: BusEndpoints { inner.endpoints }
    func close() { inner.close() }
    func appendPollItems(to items: inout [PollItem]) { inner.appendPollItems(to: &items) }
    var waitMilliseconds: Int? { inner.waitMilliseconds }
}

/// Loses, doubles and mixes up frames, repeatably; to be the fate of any transport's.
final class Lossiness {
    private var random: SeededGenerator
    private var held: [[UInt8]] = []
    var isOver = false

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// Some frames are lost, some doubled, some come later than others of their topic.
    func fate(of frame: [UInt8]) -> [[UInt8]] {
        if isOver { return [frame] }
        switch random.next() % 100 {
        case 0..<15: return []
        case 15..<25: return [frame, frame]
        case 25..<40:
            held.append(frame)
            return []
        case 40..<50:
            defer { held.removeAll() }
            return held.filter { $0.prefix(8) == frame.prefix(8) } + [frame]
        default: return [frame]
        }
    }
}

extension [UInt8] {
    /// Whether a frame is one of records.
    var isBatch: Bool { count > 9 && self[9] == 1 }
    /// Whether a frame says where a writer's streams end.
    var isHeads: Bool { count > 9 && self[9] == 2 }
}
