import Bus
import Runtime
import TestSupport
import Wire

/// A transport that loses, repeats or changes outgoing frames of another one.
final class FaultyTransport: BusTransport {
    /// The kind of an outgoing frame.
    enum Kind { case publication, request, reply, proposal }

    /// Returns the frames to send instead of one.
    typealias Fate = (Kind, [UInt8]) -> [[UInt8]]

    private let inner: any BusTransport
    var fate: Fate

    init(_ inner: any BusTransport, fate: @escaping Fate = { [$1] }) {
        self.inner = inner
        self.fate = fate
    }

    func publish(_ frame: [UInt8]) { fate(.publication, frame).forEach(inner.publish) }

    func sendRequest(_ frame: [UInt8], to peer: Int) -> Bool {
        var isSent = true
        for frame in fate(.request, frame) { isSent = inner.sendRequest(frame, to: peer) }
        return isSent
    }

    func sendReply(_ frame: [UInt8], to route: Route) {
        for frame in fate(.reply, frame) { inner.sendReply(frame, to: route) }
    }

    func sendProposal(_ frame: [UInt8], to peer: Int) {
        for frame in fate(.proposal, frame) { inner.sendProposal(frame, to: peer) }
    }

    func subscribe(_ stream: StreamName, of peer: Int) { inner.subscribe(stream, of: peer) }
    func unsubscribe(_ stream: StreamName, of peer: Int) { inner.unsubscribe(stream, of: peer) }
    func next() -> TransportEvent? { inner.next() }
    func reconnect(to peer: Int) { inner.reconnect(to: peer) }
    var endpoints: BusEndpoints { inner.endpoints }
    func close() { inner.close() }
    func appendPollItems(to items: inout [PollItem]) { inner.appendPollItems(to: &items) }
    var waitMilliseconds: Int? { inner.waitMilliseconds }
}

/// Loses, duplicates and reorders frames, repeatably; the fate of frames of any transport.
final class Lossiness {
    private var random: SeededGenerator
    private var held: [[UInt8]] = []
    var isOver = false

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// Some frames are lost, some duplicated, some delayed beyond others of their topic.
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
    /// Whether a frame contains records.
    var isBatch: Bool { count > 9 && self[9] == 1 }
    /// Whether a frame contains heads.
    var isHeads: Bool { count > 9 && self[9] == 2 }
}
