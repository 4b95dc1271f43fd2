import Model
import Wire

/// Reads a stream from its oldest record to the newest as a consumer would, and recomputes every
/// hash: whether what its keeper has is one chain.
///
/// A machine: ``question`` is what to ask the keeper next, ``take(_:)`` hears its answer. A frame
/// whose records do not give its hash is asked for again in smaller pieces, down to one record.
public struct ChainCheck {
    public enum Outcome: Hashable, Sendable {
        /// From the base to the head that it had when the check began.
        case whole
        case broken(sequence: UInt64, reason: String)
    }

    public let stream: StreamName
    /// Nil as long as there is something to ask.
    public private(set) var outcome: Outcome?
    public private(set) var records: UInt64 = 0
    public private(set) var bytes: UInt64 = 0
    /// Up to here everything is right; nil before the keeper has answered at all.
    public private(set) var position: Position?
    private var target: Position?
    private var bytesMax = UInt32(WireLimits.batchBytesMax)
    /// Places that the records lead to, and that the keeper has not been asked about.
    private var computed: [Position] = []
    private let name: String

    /// Places asked about at once: a few milliseconds of the keeper's time.
    private static let placesMax = 512

    /// - Parameter name: under which it asks; not that of a consumer
    public init(_ stream: StreamName, name: String) {
        self.stream = stream
        self.name = name
    }

    /// What to ask next.
    public var question: [UInt8] {
        guard let position else {
            return Control.hello(consumer: name, entries: [.init(stream, .unknown)]).encoded()
        }
        guard computed.isEmpty else {
            let places = computed.prefix(ChainCheck.placesMax)
            return Control.hello(
                consumer: name, entries: places.map { .init(stream, $0) }
            ).encoded()
        }
        return Control.replay(
            consumer: name, from: .init(stream, position), bytesMax: bytesMax
        ).encoded()
    }

    /// Hears an answer. True if it was one to the last question.
    public mutating func take(_ frame: [UInt8]) -> Bool {
        guard outcome == nil else { return false }
        let read: Frame
        do throws(WireError) {
            read = try Frame(frame)
        } catch {
            return refuse(error)
        }
        switch read {
        case .batch(let batch): return take(batch)
        case .control(.states(let states)):
            let own = states.filter { $0.extent.stream == stream }
            return computed.isEmpty ? own.first.map { take($0) } ?? false : judged(own)
        case .heads, .control, .offer: return false
        }
    }

    private mutating func take(_ state: Control.State) -> Bool {
        guard let position, let target else {
            begin(state.extent)
            return true
        }
        guard state.asked == position else { return false }
        switch state.verdict {
        // Forgotten while it was read: go on with what is there.
        case .pruned: begin(state.extent)
        case .ok where position.sequence >= target.sequence: outcome = .whole
        case .ok:
            breaks("it is missing, although the stream goes on to \(target.sequence)")
        case .diverged: breaks("the keeper has another hash for the record before it")
        }
        return true
    }

    /// The keeper has looked at places: each hash that was computed is the one that is stored.
    private mutating func judged(_ states: [Control.State]) -> Bool {
        let asked = computed.prefix(ChainCheck.placesMax)
        guard states.map(\.asked) == Array(asked) else { return false }
        computed.removeFirst(asked.count)
        if let wrong = states.first(where: { $0.verdict == .diverged }) {
            outcome = .broken(
                sequence: wrong.asked.sequence, reason: "another hash is stored with it")
        } else {
            finish()
        }
        return true
    }

    /// Everything that was there at the beginning is read and judged.
    private mutating func finish() {
        guard let position, let target, computed.isEmpty, position.sequence >= target.sequence
        else { return }
        outcome = .whole
    }

    private mutating func begin(_ extent: Extent) {
        position = extent.base
        target = extent.head
        if extent.base.sequence == extent.head.sequence { outcome = .whole }
    }

    private mutating func take(_ batch: Batch) -> Bool {
        guard let position, let target, batch.stream == stream, batch.previous == position,
            !batch.records.isEmpty
        else { return false }
        records += UInt64(batch.records.count)
        bytes += UInt64(batch.recordBytes)
        self.position = batch.last
        computed = (1...batch.records.count).map { batch.position(after: $0) }
        if batch.last.sequence >= target.sequence {
            let place = batch.position(after: Int(target.sequence - batch.previous.sequence))
            if place.hash != target.hash {
                outcome = .broken(
                    sequence: target.sequence, reason: "it is not the record that the head names")
            }
        }
        return true
    }

    private mutating func refuse(_ error: WireError) -> Bool {
        guard position != nil else { return false }
        if error.code == .hash, bytesMax > 1 {
            bytesMax /= 4
        } else if error.code == .hash {
            breaks("it does not give the hash that is stored with it, or one is missing before it")
        } else {
            breaks("\(error)")
        }
        return true
    }

    private mutating func breaks(_ reason: String) {
        outcome = .broken(sequence: (position?.sequence ?? 0) + 1, reason: reason)
    }
}
