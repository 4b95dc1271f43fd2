import Collections
import Directory
import Hosting
import Model
import NotifierCore
import Parsing
import Runtime
import Web
import Wire

/// `GET /v1/live`: the events of one person to each of many clients, as server-sent events.
///
/// ``LiveChanges`` knows what a stream lacks after its position; this type knows the streams. A
/// record wakes the streams of the people who see its change. Each turn sends a limited number of
/// bytes, so that ten thousand streams delay no emergency. A reader that is slow gets nothing more
/// until it has read, then the newest states. Positions are sealed (``LivePosition``).
final class LiveStreams {
    private let host: any NotifierHost
    private let table: LiveTable
    private let keyFile: KeyFile
    private var key: [UInt8]?

    private var changes = LiveChanges()
    /// The last record; nil before the directory is loaded.
    private var head: LiveMark?
    /// What the record changes that is being applied.
    private var arriving: [VisibleChange] = []

    private var streams: [UInt64: LiveStream] = [:]
    private var streamsOfPerson: [PersonID: [UInt64]] = [:]
    /// Streams with new events.
    private var queue = Fifo<UInt64>()
    /// Streams with new events whose clients have not read the last ones.
    private var blocked: Set<UInt64> = []
    private var awaiting: Set<UInt64> = []
    private var comments = Fifo<(request: UInt64, due: Timestamp)>()
    private var nextSweep = Timestamp.zero
    private var nextPrune = Timestamp.zero
    private var resets = 0

    /// Streams to which this turn sends; a rollback cuts them.
    private var written: Set<UInt64> = []
    private var isTurnOver = false
    /// Rendered events of circles, which many streams share.
    private var rendered: [RenderedKey: [UInt8]] = [:]
    /// Sealed positions, which many streams share.
    private var sealed: [LivePoint: String] = [:]

    private struct RenderedKey: Hashable {
        var item: LiveItem
        var audience: CircleAudience
    }

    init(_ host: any NotifierHost, _ table: LiveTable, key: KeyFile) {
        self.host = host
        self.table = table
        keyFile = key
    }

    // MARK: Turns

    /// Loads what changed, and cuts the streams whose events were rolled back.
    func reload() throws {
        for id in written {
            host.stream(id, .cut)
            remove(id)
        }
        written = []
        arriving = []
        forgetRendered()
        changes = try table.load()
        head = try table.head()
        // Another position than the replica's: the store is older than live streams.
        if let head, let position = host.directoryPosition, head.position != position.mark {
            try restart()
        }
    }

    /// Sends what is due.
    func tick() throws {
        beginTurn()
        try begin()
        try settleAwaited()
        try sendEvents()
        sendComments()
        try prune()
        isTurnOver = true
    }

    private func beginTurn() {
        guard isTurnOver else { return }
        isTurnOver = false
        for id in written { streams[id]?.isNew = false }
        written.removeAll(keepingCapacity: true)
    }

    var nextDeadline: Timestamp? {
        guard !streams.isEmpty else { return nil }
        if !queue.isEmpty { return host.now }
        let comment = comments.first.map { max($0.due, nextSweep) }
        let wait = awaiting.compactMap { streams[$0]?.awaited?.deadline }.min()
        return [comment, wait].compactMap(\.self).min()
    }

    // MARK: Records

    /// Called before the replica applies a record of the directory.
    func directoryWillChange(_ event: Event) {
        arriving = VisibleChange.changes(by: event.body, in: host.replica)
    }

    /// Applies a record of the directory, which the replica already has.
    func apply(_ event: Event, at position: Position) throws {
        beginTurn()
        let mark = LiveMark(
            sequence: position.sequence, check: position.mark.check, time: event.time)
        for row in changes.apply(arriving, at: mark) { try table.save(row) }
        try table.append(mark, at: host.now)
        head = mark
        if !arriving.isEmpty { forgetRendered() }
        for change in arriving { wake(change) }
        arriving = []
    }

    private func wake(_ change: VisibleChange) {
        guard !streams.isEmpty else { return }
        for person in change.people(in: host.replica) {
            for id in streamsOfPerson[person] ?? [] {
                guard let stream = streams[id], !endIfRevoked(stream) else { continue }
                enqueue(stream)
            }
        }
    }

    private func enqueue(_ stream: LiveStream) {
        guard !stream.isQueued else { return }
        stream.isQueued = true
        queue.append(stream.request)
    }

    /// Forgets everything: the directory was replaced by a snapshot.
    func restart() throws {
        beginTurn()
        try table.removeAll()
        changes = LiveChanges()
        head = nil
        arriving = []
        forgetRendered()
    }

    /// Begins at the position of the replica, after a snapshot or at the first start.
    private func begin() throws {
        guard head == nil, let position = host.directoryPosition else { return }
        let mark = LiveMark(sequence: position.sequence, check: position.mark.check, time: .zero)
        try table.append(mark, at: host.now)
        changes = LiveChanges(floor: mark.sequence)
        head = mark
        for stream in streams.values where !endIfRevoked(stream) { reset(stream) }
    }

    private func prune() throws {
        guard let head, nextPrune <= host.now else { return }
        nextPrune = host.now + Limits.pruneInterval
        let floor = try table.prune(
            before: host.now - Limits.liveChangesKept, head: head.sequence)
        if let floor { changes.prune(through: floor) }
    }

    // MARK: Requests

    /// Begins the response of a stream.
    ///
    /// - Throws: 403 for callers who are not a person, 429 and 503 above the limits
    func open(_ request: Request, by principal: Principal) throws {
        beginTurn()
        guard case .person(let person) = principal, let credential = host.credential(of: request)
        else {
            throw Problem.denied(
                "only a person has a live stream", hint: "sign in, or use a person's credential")
        }
        guard head != nil, readKey() != nil else {
            throw Problem.unavailable("directory replica is still loading", retryAfterSeconds: 2)
        }
        guard streamsOfPerson[person]?.count ?? 0 < Limits.liveStreamsPerPersonMax else {
            throw Problem.tooMany(
                "a person has at most \(Limits.liveStreamsPerPersonMax) live streams",
                retryAfterSeconds: 60)
        }
        guard streams.count < Limits.liveStreamsMax(connections: host.connectionsMax) else {
            throw Problem.unavailable("too many live streams are open", retryAfterSeconds: 30)
        }
        let stream = LiveStream(
            request.id, of: person, credential: credential.id, at: host.now)
        streams[request.id] = stream
        streamsOfPerson[person, default: []].append(request.id)
        comments.append((request.id, host.now + Limits.liveKeepAlive))
        written.insert(request.id)
        let first = ServerSentEvents.comment("live") + ServerSentEvents.retry(milliseconds: 2000)
        host.stream(request.id, .begin(ServerSentEvents.response(first)))
        try begin(stream, after: request.livePosition)
    }

    /// Where a stream begins, as far as this service knows now.
    private enum Start {
        case after(LivePoint)
        /// Membership has published the record, but it has not arrived.
        case later
        /// Restored, pruned, or another chain.
        case unknown
    }

    private func begin(_ stream: LiveStream, after text: String?) throws {
        guard let position = text.flatMap(open(_:)) else { return reset(stream) }
        switch try start(at: position) {
        case .after(let point):
            stream.point = point
            enqueue(stream)
        case .later:
            stream.awaited = (position, host.now + Limits.livePositionWait)
            awaiting.insert(stream.request)
        case .unknown: reset(stream)
        }
    }

    private func start(at position: LivePosition) throws -> Start {
        guard let head, let mark = position.cursor.marks[.directory],
            mark.sequence >= changes.floor
        else { return .unknown }
        let item = LiveItem(position.item)
        guard position.item.isEmpty || item != nil else { return .unknown }
        guard mark.sequence <= head.sequence else { return .later }
        guard try table.check(of: mark.sequence) == mark.check else { return .unknown }
        return .after(LivePoint(sequence: mark.sequence, item: item))
    }

    /// Starts streams whose position has been reached, and resets those that waited too long.
    private func settleAwaited() throws {
        for id in awaiting {
            guard let stream = streams[id], let awaited = stream.awaited else {
                awaiting.remove(id)
                continue
            }
            var start = try start(at: awaited.position)
            if case .later = start {
                guard awaited.deadline <= host.now else { continue }
                start = .unknown
            }
            awaiting.remove(id)
            stream.awaited = nil
            if case .after(let point) = start {
                stream.point = point
                enqueue(stream)
            } else {
                reset(stream)
            }
        }
    }

    // MARK: Events

    /// Tells a client to read the snapshots again; the stream goes on from now.
    private func reset(_ stream: LiveStream) {
        guard let head else { return }
        stream.awaited = nil
        stream.point = LivePoint(sequence: head.sequence)
        resets += 1
        send(
            ServerSentEvents.event("reset", id: position(of: stream, at: head), data: "{}"),
            to: stream)
    }

    private func sendEvents() throws {
        for id in blocked {
            guard let stream = streams[id] else {
                blocked.remove(id)
                continue
            }
            if hasRoom(stream) {
                blocked.remove(id)
                enqueue(stream)
            }
        }
        var left = Limits.liveBytesPerTurn
        while left > 0, let id = queue.popFirst() {
            guard let stream = streams[id] else { continue }
            stream.isQueued = false
            left -= sendEvents(to: stream)
        }
        guard queue.isEmpty else { return }
        forgetRendered()
    }

    /// Sends a portion to a stream.
    ///
    /// - Returns: its size
    private func sendEvents(to stream: LiveStream) -> Int {
        guard stream.awaited == nil, let head, !isGone(stream), !endIfRevoked(stream) else {
            return 0
        }
        guard hasRoom(stream) else {
            blocked.insert(stream.request)
            return 0
        }
        let events = changes.events(for: stream.person, after: stream.point, in: host.replica)
        var bytes: [UInt8] = []
        var sent = 0
        for event in events {
            append(event, to: &bytes, for: stream)
            stream.point = event.point
            sent += 1
            if bytes.count >= Limits.livePortionBytes { break }
        }
        if sent < events.count {
            enqueue(stream)
        } else {
            stream.point = LivePoint(sequence: head.sequence)
        }
        send(bytes, to: stream)
        return bytes.count
    }

    private func append(_ event: LiveEvent, to bytes: inout [UInt8], for stream: LiveStream) {
        let kind = event.item.kind
        let id = seal(event.point, check: event.mark.check)
        stream.positionSent = host.now
        if event.isGone {
            return ServerSentEvents.append(
                to: &bytes, kind.goneName, id: id,
                data: event.item.goneView(at: event.mark).serialized())
        }
        guard let data = data(of: event, for: stream.person) else { return }
        ServerSentEvents.append(to: &bytes, kind.name, id: id, data: data)
    }

    /// The rendered item; nil if the person does not see it.
    private func data(of event: LiveEvent, for person: PersonID) -> [UInt8]? {
        func render() -> [UInt8]? {
            event.item.kind.view(event, person, host.replica)?.serialized()
        }
        guard case .circle(let id) = event.item else { return render() }
        guard let audience = host.replica.circle(id)?.audience(of: person) else { return nil }
        let key = RenderedKey(item: event.item, audience: audience)
        if let known = rendered[key] { return known }
        let data = render()
        rendered[key] = data
        return data
    }

    private func forgetRendered() {
        rendered.removeAll(keepingCapacity: true)
        sealed.removeAll(keepingCapacity: true)
    }

    private func send(_ bytes: [UInt8], to stream: LiveStream) {
        guard !bytes.isEmpty else { return }
        written.insert(stream.request)
        host.stream(stream.request, .piece(bytes))
    }

    // MARK: Positions

    /// A position of an idle stream: sealed for it alone, since a text that repeats would show
    /// that no record arrived.
    private func position(of stream: LiveStream, at mark: LiveMark) -> String? {
        stream.positionSent = host.now
        return seal(LivePoint(sequence: mark.sequence), check: mark.check, isShared: false)
    }

    private func seal(_ point: LivePoint, check: UInt16, isShared: Bool = true) -> String? {
        if isShared, let known = sealed[point] { return known }
        guard let key = readKey() else { return nil }
        var cursor = StreamCursor()
        cursor.marks[.directory] = StreamCursor.Mark(sequence: point.sequence, check: check)
        let text = LivePosition(cursor: cursor, item: point.item?.description ?? "")
            .sealed(with: key)
        if isShared { sealed[point] = text }
        return text
    }

    private func open(_ text: String) -> LivePosition? {
        if let key = readKey(), let position = LivePosition(text, key: key) { return position }
        // The operator may have replaced the key.
        key = nil
        return readKey().flatMap { LivePosition(text, key: $0) }
    }

    /// The key that membership shares with this service; nil if it cannot be read yet.
    private func readKey() -> [UInt8]? {
        if key == nil { key = try? keyFile.read() }
        return key
    }

    // MARK: Streams

    private func sendComments() {
        guard nextSweep <= host.now else { return }
        nextSweep = host.now + Limits.liveSweepInterval
        while let first = comments.first, first.due <= host.now {
            comments.popFirst()
            guard let stream = streams[first.request], !isGone(stream), !endIfRevoked(stream)
            else { continue }
            comments.append((first.request, host.now + Limits.liveKeepAlive))
            guard hasRoom(stream) else { continue }
            var id: String?
            // A stream with unsent events has not reached the head.
            if !stream.isQueued, stream.awaited == nil, let head,
                host.now - stream.positionSent >= Limits.livePositionInterval
            {
                id = position(of: stream, at: head)
            }
            send(ServerSentEvents.comment(id: id), to: stream)
        }
    }

    private func hasRoom(_ stream: LiveStream) -> Bool {
        stream.isNew || host.unsentBytes(of: stream.request) ?? 0 < Limits.liveUnsentBytes
    }

    /// Removes a stream whose client is gone.
    private func isGone(_ stream: LiveStream) -> Bool {
        guard !stream.isNew, host.unsentBytes(of: stream.request) == nil else { return false }
        remove(stream.request)
        return true
    }

    /// Ends a stream whose credential was revoked or has expired.
    ///
    /// - Returns: whether it ended
    private func endIfRevoked(_ stream: LiveStream) -> Bool {
        if let credential = host.replica.credential(stream.credential),
            credential.principal == .person(stream.person), !credential.isExpired(at: host.now),
            host.replica.person(stream.person) != nil
        {
            return false
        }
        send(ServerSentEvents.event("end", data: #"{"reason":"credential-ended"}"#), to: stream)
        host.stream(stream.request, .end)
        remove(stream.request)
        return true
    }

    private func remove(_ id: UInt64) {
        guard let stream = streams.removeValue(forKey: id) else { return }
        streamsOfPerson[stream.person]?.removeAll { $0 == id }
        if streamsOfPerson[stream.person]?.isEmpty == true {
            streamsOfPerson[stream.person] = nil
        }
        blocked.remove(id)
        awaiting.remove(id)
    }

    // MARK: Metrics

    func writeMetrics(_ metrics: Metrics) {
        metrics.gauge("jaga_live_streams", "Open live streams of people.")
            .set(Double(streams.count))
        metrics.counter(
            "jaga_live_resets_total", "Live streams that had to start with a snapshot."
        ).set(Double(resets))
    }
}

extension Request {
    /// The position after which a live stream goes on: that of the last event, else that of a
    /// snapshot.
    fileprivate var livePosition: String? {
        if let id = headers["Last-Event-ID"], !id.isEmpty { return id }
        return query["from"]
    }
}

extension Position {
    fileprivate var mark: StreamCursor.Mark { StreamCursor.Mark(self) }
}

extension LiveMark {
    fileprivate var position: StreamCursor.Mark {
        StreamCursor.Mark(sequence: sequence, check: check)
    }
}
