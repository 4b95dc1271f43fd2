import Model
import Wire

/// Answers what consumers ask of the streams kept here.
///
/// Questions are taken as they come and answered between turns, when nothing is half done: of each
/// consumer one in turn, and so much a turn that live records never wait for old ones.
final class Desk {
    private let outbox: Outbox
    private let store: any BusStore
    private let transport: any BusTransport
    private let newID: () -> ID128
    private var questions: [Route: Fifo<Control>] = [:]
    private var order = Fifo<Route>()
    private var shelf: [StreamName: Snapshot] = [:]
    private var positions: [StreamName: [String: Acknowledgement]] = [:]
    /// Of consumers that nobody requires.
    private var optional: Set<String> = []
    private var unsaved: Set<Key> = []
    private var lastSaved: Duration
    private var lastHeads: Duration

    private struct Key: Hashable {
        let consumer: String
        let stream: StreamName
    }

    /// A state that is being handed out.
    private struct Snapshot {
        let id: ID128
        let position: Position
        let records: [Record]
        /// Whether it is of another position than the stream's end when it was made.
        let isPlaced: Bool
        var used: Duration
    }

    init(
        outbox: Outbox, store: any BusStore, transport: any BusTransport, now: Moment,
        newID: @escaping () -> ID128
    ) throws {
        self.outbox = outbox
        self.store = store
        self.transport = transport
        self.newID = newID
        lastSaved = now.monotonic
        lastHeads = now.monotonic - BusLimits.headsInterval
        // What was said of another life, or before an older copy was put back, says nothing.
        for known in try store.acknowledgements() where isOfThisLife(known.position, known.stream) {
            positions[known.stream, default: [:]][known.consumer] = known
        }
        noteOptional()
    }

    /// Who among those that acknowledge is required by no stream.
    private func noteOptional() {
        optional = Set(
            acknowledgements.lazy.filter { !self.isRequired($0.consumer, of: $0.stream) }
                .map(\.consumer))
    }

    private func isRequired(_ consumer: String, of stream: StreamName) -> Bool {
        outbox.retention(of: stream)?.required.contains(consumer) == true
    }

    var hasQuestions: Bool { !order.isEmpty }

    /// How long until heads are to be told again.
    func untilHeads(_ now: Duration) -> Duration { lastHeads + BusLimits.headsInterval - now }

    var acknowledgements: [Acknowledgement] {
        positions.values.flatMap(\.values)
            .sorted { ($0.consumer, $0.stream) < ($1.consumer, $1.stream) }
    }

    func acknowledged(_ stream: StreamName, by consumer: String) -> UInt64 {
        positions[stream]?[consumer]?.position.sequence ?? 0
    }

    /// The position that a consumer has on its disk; nil if it never said.
    func position(of stream: StreamName, by consumer: String) -> Position? {
        positions[stream]?[consumer]?.position
    }

    // MARK: Questions

    /// Takes a question. Those about the ownership of partitions are for the service, at once.
    ///
    /// - Throws: ``WireError``, ``PeerRefusal``, and what ``Bus/Hooks/coordinate`` throws.
    func take(_ bytes: [UInt8], from route: Route, now: Moment, hooks: Bus.Hooks) throws {
        guard case .control(let question) = try Frame(bytes) else {
            throw WireError(.unknown, "read question", "a frame that asks nothing")
        }
        if let refusal = PeerRefusal(of: question, from: route) { throw refusal }
        switch question {
        case .acknowledge(let consumer, let entries):
            try checkKept(question.streams)
            for entry in entries { note(entry, of: consumer, now) }
        case .headsWanted: transport.answer(heads(now).encoded(), to: route)
        case .hello, .replay, .snapshotWanted:
            try checkKept(question.streams)
            if case .hello(let consumer, let entries) = question {
                for entry in entries { lower(entry, of: consumer, now) }
            }
            guard questions[route, default: Fifo()].count < BusLimits.questionsMax else { return }
            if questions[route] == nil { order.append(route) }
            questions[route, default: Fifo()].append(question)
        case .join, .renew, .leave, .checkpoint: try hooks.coordinate(question, route)
        case .states, .chunk, .end, .assign, .checkpointAnswer:
            throw WireError(.unknown, "read question", "an answer where a question belongs")
        }
    }

    /// Refuses a question that is only about streams of somebody else.
    private func checkKept(_ streams: [StreamName]) throws(WireError) {
        guard !streams.isEmpty, !streams.contains(where: outbox.keeps) else { return }
        throw WireError(.unknown, "read question", "\(streams[0]) is not kept here")
    }

    private func isOfThisLife(_ position: Position, _ stream: StreamName) -> Bool {
        guard let extent = outbox.extent(of: stream) else { return false }
        return position.incarnation == extent.head.incarnation
            && position.sequence <= extent.head.sequence
    }

    /// A consumer that stands before what it once acknowledged was put back to an older copy, or
    /// begins again: it needs what follows.
    private func lower(_ entry: Control.Entry, of consumer: String, _ now: Moment) {
        guard let known = positions[entry.stream]?[consumer]?.position else { return }
        if !isOfThisLife(entry.position, entry.stream) {
            note(.init(entry.stream, .start(of: known.incarnation)), of: consumer, now)
        } else if entry.position.sequence < known.sequence {
            note(entry, of: consumer, now)
        }
    }

    private func note(_ entry: Control.Entry, of consumer: String, _ now: Moment) {
        guard isOfThisLife(entry.position, entry.stream) else { return }
        if !isRequired(consumer, of: entry.stream), !optional.contains(consumer) {
            guard optional.count < BusLimits.optionalConsumersMax else { return }
            optional.insert(consumer)
        }
        positions[entry.stream, default: [:]][consumer] = Acknowledgement(
            consumer: consumer, stream: entry.stream, position: entry.position, heard: now.wall)
        unsaved.insert(Key(consumer: consumer, stream: entry.stream))
    }

    /// Puts what was acknowledged into the turn's transaction, not more than once a second: losing
    /// it costs nothing but the time until it is said again.
    func saveAcknowledgements(_ now: Moment) throws {
        guard !unsaved.isEmpty, now.monotonic - lastSaved >= BusLimits.acknowledgementsStored else {
            return
        }
        for key in unsaved {
            guard let known = positions[key.stream]?[key.consumer] else { continue }
            try store.save(known)
        }
        unsaved.removeAll(keepingCapacity: true)
        lastSaved = now.monotonic
    }

    /// Forgets consumers that nobody requires and that have been silent for long: they begin
    /// again from a snapshot or the base.
    func forgetSilent(_ now: Moment) throws {
        for known in acknowledgements
        where now.wall - known.heard >= BusLimits.consumerKept
            && !isRequired(known.consumer, of: known.stream)
        {
            try store.forget(known)
            positions[known.stream]?[known.consumer] = nil
        }
        noteOptional()
    }

    // MARK: Answers

    /// Tells heads when it is time, and answers questions.
    func tick(_ now: Moment, hooks: Bus.Hooks) throws {
        if untilHeads(now.monotonic) <= .zero {
            lastHeads = now.monotonic
            transport.publish(heads(now).encoded())
            shelf = shelf.filter { now.monotonic - $0.value.used < BusLimits.snapshotKept }
        }
        var left = BusLimits.replayBytesPerTurn
        while left > 0, let route = order.popFirst() {
            guard let question = questions[route]?.popFirst() else { continue }
            if questions[route]?.isEmpty == true {
                questions[route] = nil
            } else {
                order.append(route)
            }
            guard let answer = try answer(question, now, hooks) else { continue }
            transport.answer(answer, to: route)
            left -= max(answer.count, 256)
        }
    }

    private func heads(_ now: Moment) -> Heads {
        Heads(published: now.wall, extents: outbox.extents)
    }

    private func answer(
        _ question: Control, _ now: Moment, _ hooks: Bus.Hooks
    ) throws -> [UInt8]? {
        switch question {
        case .hello(_, let entries):
            let states = try entries.compactMap { try state(of: $0) }
            return Control.states(states).encoded()
        case .replay(_, let entry, let bytesMax):
            guard let state = try state(of: entry) else { return nil }
            if state.verdict == .ok,
                let batch = try outbox.batch(
                    after: entry.position, in: entry.stream, bytesMax: Int(bytesMax),
                    now: now.wall)
            {
                return batch.encoded()
            }
            return Control.states([state]).encoded()
        case .snapshotWanted(_, let stream, let id, let first):
            return try rows(of: stream, id, from: Int(first), now, hooks)?.encoded()
        default: return nil
        }
    }

    private func state(of entry: Control.Entry) throws -> Control.State? {
        guard let extent = outbox.extent(of: entry.stream),
            let verdict = try outbox.verdict(on: entry.position, in: entry.stream)
        else { return nil }
        return Control.State(verdict, on: entry.position, extent)
    }

    /// Whether a state that is handed out already will do for somebody who begins. One of a
    /// position of its own may have been followed by a newer one: whoever wants a new one gets it,
    /// and only who lost the other one in the middle of reading takes what there is.
    private func isFresh(
        _ snapshot: Snapshot?, of extent: Extent, isNewWanted: Bool
    ) -> Bool {
        guard let snapshot else { return false }
        guard snapshot.isPlaced else { return snapshot.position == extent.head }
        return !isNewWanted && isContinued(snapshot, in: extent)
    }

    /// Whether whoever reads a state finds what comes after it.
    private func isContinued(_ snapshot: Snapshot, in extent: Extent) -> Bool {
        snapshot.position.incarnation == extent.head.incarnation
            && snapshot.position.sequence >= extent.base.sequence
    }

    private func rows(
        of stream: StreamName, _ id: ID128, from first: Int, _ now: Moment, _ hooks: Bus.Hooks
    ) throws -> Control? {
        guard let extent = outbox.extent(of: stream), extent.isSnapshotable else { return nil }
        var first = first
        let known = shelf[stream].flatMap { $0.id == id && isContinued($0, in: extent) ? $0 : nil }
        if known == nil {
            first = 0
            if !isFresh(shelf[stream], of: extent, isNewWanted: id == .zero) {
                let state = try hooks.snapshot(stream)
                shelf[stream] = Snapshot(
                    id: newID(), position: state.position ?? extent.head, records: state.records,
                    isPlaced: state.position != nil, used: now.monotonic)
            }
        }
        shelf[stream]?.used = now.monotonic
        guard let snapshot = shelf[stream], first <= snapshot.records.count else { return nil }
        let rest = Array(snapshot.records[first...].prefix(BusLimits.snapshotRowsMax))
        guard let range = Batch.cut(rest).first else {
            // Should the end be lost, a newer state will do as well.
            if snapshot.isPlaced { shelf[stream] = nil }
            return .end(
                Control.End(
                    stream: stream, snapshot: snapshot.id, position: snapshot.position,
                    rows: UInt32(snapshot.records.count),
                    digest: snapshot.records.reduce(0) { $1.hash(after: $0) }))
        }
        return .chunk(
            Control.Chunk(
                stream: stream, snapshot: snapshot.id, first: UInt32(first),
                records: Array(rest[range])))
    }
}

extension Control {
    /// The streams that a question is about.
    fileprivate var streams: [StreamName] {
        switch self {
        case .hello(_, let entries), .acknowledge(_, let entries): entries.map(\.stream)
        case .replay(_, let entry, _): [entry.stream]
        case .snapshotWanted(_, let stream, _, _): [stream]
        default: []
        }
    }
}
