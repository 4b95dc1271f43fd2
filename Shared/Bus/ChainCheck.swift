import Model
import Wire

/// Verifies the hash chain of a stream by reading it from the oldest record to the newest.
///
/// Send ``request`` to the publisher and pass each reply to ``receive(_:)``. A frame with a wrong
/// hash is requested again in smaller pieces, down to one record.
public struct ChainCheck {
    public enum Outcome: Hashable, Sendable {
        /// From the base to the head at the time the check began.
        case whole
        case broken(sequence: UInt64, reason: String)
    }

    public let stream: StreamName
    /// Nil while the check is running.
    public private(set) var outcome: Outcome?
    public private(set) var records: UInt64 = 0
    public private(set) var bytes: UInt64 = 0
    /// The last verified position; nil before the first reply.
    public private(set) var position: Position?
    private var target: Position?
    private var bytesMax = UInt32(WireLimits.batchBytesMax)
    /// Computed positions that the publisher has not confirmed.
    private var unconfirmed: [Position] = []
    private let name: String

    /// The number of positions in one request: a few milliseconds of the publisher's time.
    private static let positionsMax = 512

    /// - Parameter name: consumer name in requests; must differ from real consumers
    public init(_ stream: StreamName, name: String) {
        self.stream = stream
        self.name = name
    }

    /// The next request.
    public var request: [UInt8] {
        guard let position else {
            return Control.hello(consumer: name, entries: [.init(stream, .unknown)]).encoded()
        }
        guard unconfirmed.isEmpty else {
            let positions = unconfirmed.prefix(ChainCheck.positionsMax)
            return Control.hello(
                consumer: name, entries: positions.map { .init(stream, $0) }
            ).encoded()
        }
        return Control.replay(
            consumer: name, from: .init(stream, position), bytesMax: bytesMax
        ).encoded()
    }

    /// Handles a reply. Returns false if it does not answer the last request.
    public mutating func receive(_ frame: [UInt8]) -> Bool {
        guard outcome == nil else { return false }
        let read: Frame
        do throws(WireError) {
            read = try Frame(frame)
        } catch {
            return handle(error)
        }
        switch read {
        case .batch(let batch): return handle(batch)
        case .control(.states(let states)):
            let own = states.filter { $0.extent.stream == stream }
            return unconfirmed.isEmpty ? own.first.map { handle($0) } ?? false : handleVerdicts(own)
        case .heads, .control, .proposal: return false
        }
    }

    private mutating func handle(_ state: Control.State) -> Bool {
        guard let position, let target else {
            begin(state.extent)
            return true
        }
        guard state.position == position else { return false }
        switch state.verdict {
        // The records were pruned meanwhile: continue at the new base.
        case .pruned: begin(state.extent)
        case .ok where position.sequence >= target.sequence: outcome = .whole
        case .ok:
            fail("record is missing, although the stream continues to \(target.sequence)")
        case .diverged: fail("the publisher has another hash for the previous record")
        }
        return true
    }

    /// Compares computed hashes with those that the publisher stores.
    private mutating func handleVerdicts(_ states: [Control.State]) -> Bool {
        let requested = unconfirmed.prefix(ChainCheck.positionsMax)
        guard states.map(\.position) == Array(requested) else { return false }
        unconfirmed.removeFirst(requested.count)
        if let wrong = states.first(where: { $0.verdict == .diverged }) {
            outcome = .broken(
                sequence: wrong.position.sequence, reason: "its stored hash is wrong")
        } else {
            finish()
        }
        return true
    }

    /// Ends the check once the initial head is verified.
    private mutating func finish() {
        guard let position, let target, unconfirmed.isEmpty, position.sequence >= target.sequence
        else { return }
        outcome = .whole
    }

    private mutating func begin(_ extent: Extent) {
        position = extent.base
        target = extent.head
        if extent.base.sequence == extent.head.sequence { outcome = .whole }
    }

    private mutating func handle(_ batch: Batch) -> Bool {
        guard let position, let target, batch.stream == stream, batch.previous == position,
            !batch.records.isEmpty
        else { return false }
        records += UInt64(batch.records.count)
        bytes += UInt64(batch.recordBytes)
        self.position = batch.last
        unconfirmed = (1...batch.records.count).map { batch.position(after: $0) }
        if batch.last.sequence >= target.sequence {
            let end = batch.position(after: Int(target.sequence - batch.previous.sequence))
            if end.hash != target.hash {
                outcome = .broken(
                    sequence: target.sequence, reason: "it differs from the head's record")
            }
        }
        return true
    }

    private mutating func handle(_ error: WireError) -> Bool {
        guard position != nil else { return false }
        if error.code == .hash, bytesMax > 1 {
            bytesMax /= 4
        } else if error.code == .hash {
            fail("it does not match its stored hash, or a record before it is missing")
        } else {
            fail("\(error)")
        }
        return true
    }

    private mutating func fail(_ reason: String) {
        outcome = .broken(sequence: (position?.sequence ?? 0) + 1, reason: reason)
    }
}
