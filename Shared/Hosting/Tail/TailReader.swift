import Bus
import Model
import Parsing
import Web
import Wire

/// A client that follows events of this service's streams over HTTP.
final class TailReader {
    /// The request. Its credentials are checked again while the client reads.
    let request: Request
    let filter: EventFilter
    /// Whether private data is not masked.
    let showsAll: Bool
    /// Why, as the operator gave it; nil = no reason was given.
    let reason: String?
    /// Whether the client has the monitoring token.
    let isMonitor: Bool
    /// Streams of this service that may contain matching events.
    private let streams: [StreamName]
    private var cursor: StreamCursor
    /// Index of the stream with which the next portion starts, so that no stream starves.
    private var nextStream = 0
    /// Notices to send before the next event.
    private var notices: [UInt8] = []
    /// When something was sent last.
    private(set) var lastSent: Timestamp
    /// When its credentials were checked last.
    var checked: Timestamp
    var hasBegun = false
    /// Where reading ends; nil = never.
    var goal: [Extent]?

    /// Output of one read.
    struct Portion {
        var bytes: [UInt8] = []
        /// People whose positions it contains unmasked.
        var people: Set<PersonID> = []
    }

    init(
        _ request: Request, _ filter: EventFilter, showsAll: Bool, reason: String?,
        isMonitor: Bool, streams: [StreamName], at cursor: StreamCursor, now: Timestamp
    ) {
        self.request = request
        self.filter = filter
        self.showsAll = showsAll
        self.reason = reason
        self.isMonitor = isMonitor
        self.streams = streams
        self.cursor = cursor
        lastSent = now
        checked = now
    }

    /// Whether there are unread records.
    func isBehind(_ bus: Bus) -> Bool {
        streams.contains { stream in
            (bus.extent(of: stream)?.head.sequence ?? 0) > (cursor.marks[stream]?.sequence ?? 0)
        }
    }

    /// Whether everything up to ``goal`` was read.
    var hasReachedGoal: Bool {
        goal?.allSatisfy { extent in
            !streams.contains(extent.stream)
                || (cursor.marks[extent.stream]?.sequence ?? 0) >= extent.head.sequence
        } ?? false
    }

    /// Compares the cursor with the streams: a stream that diverged is read from its oldest record.
    func resume(_ bus: Bus) throws {
        for (stream, mark) in cursor.marks.sorted(by: { $0.key < $1.key }) {
            guard let extent = bus.extent(of: stream), streams.contains(stream) else {
                cursor.marks[stream] = nil
                continue
            }
            if mark.sequence < extent.base.sequence { continue }
            let hash = try bus.committedHash(of: stream, at: mark.sequence)
            if let hash, UInt16(truncatingIfNeeded: hash) == mark.check { continue }
            cursor.marks[stream] = nil
            appendNotice("diverged", ["stream": .string(stream.text)])
        }
    }

    /// Reads the next matching events, from all streams in turn.
    ///
    /// - Parameter isMember: returns whether a person is in the filter's circle now
    func read(
        _ bus: Bus, at now: Timestamp, isMember: (PersonID) -> Bool
    ) throws -> Portion {
        var portion = Portion()
        var left = HostLimits.tailPortionBytes
        var last: String?
        for offset in streams.indices {
            let stream = streams[(nextStream + offset) % streams.count]
            guard left > 0 else {
                nextStream = (nextStream + offset) % streams.count
                break
            }
            try skipPruned(stream, bus)
            let after = cursor.marks[stream]?.sequence ?? 0
            for (position, record) in try bus.committedRecords(
                of: stream, after: after, bytesMax: left)
            {
                left -= record.wireBytes
                cursor.read(stream, to: position)
                let line = try line(stream, position, record, &portion.people, isMember)
                guard let line else { continue }
                if let last { portion.bytes += ServerSentEvents.event(data: last) }
                last = line
            }
        }
        portion.bytes = notices + portion.bytes
        notices = []
        // A client that lost its connection resumes after the last id.
        if let last {
            portion.bytes += ServerSentEvents.event(id: cursor.description, data: last)
        }
        if !portion.bytes.isEmpty { lastSent = now }
        return portion
    }

    /// Returns a keep-alive with the current cursor.
    func keepAlive(at now: Timestamp) -> [UInt8] {
        lastSent = now
        let text = cursor.description
        return ServerSentEvents.comment(id: text.isEmpty ? nil : text)
    }

    /// Adds a notice about records that were pruned before they were read.
    private func skipPruned(_ stream: StreamName, _ bus: Bus) throws {
        guard let base = bus.extent(of: stream)?.base, let mark = cursor.marks[stream],
            mark.sequence < base.sequence
        else { return }
        cursor.read(stream, to: base)
        appendNotice(
            "gap",
            [
                "stream": .string(stream.text),
                "from": .integer(Int64(clamping: mark.sequence + 1)),
                "to": .integer(Int64(clamping: base.sequence)),
            ])
    }

    private func appendNotice(_ type: String, _ json: JSON) {
        notices += ServerSentEvents.event(type, data: json.text)
    }

    /// Returns the line of a record; nil if it does not match.
    private func line(
        _ stream: StreamName, _ position: Position, _ record: Record, _ people: inout Set<PersonID>,
        _ isMember: (PersonID) -> Bool
    ) throws -> String? {
        let event = try EventCodec.decode(record)
        guard !event.isHidden, filter.includes(event, on: stream) else { return nil }
        let json = try EventCodec.cloudEvent(event, stream: stream, position: position)
        guard filter.matchesCircle(event, json, isMember: isMember) else { return nil }
        guard showsAll else { return Masking.mask(json).text }
        if let person = event.body.person, json.hasPosition { people.insert(person) }
        return json.text
    }
}

extension JSON {
    /// Whether it contains a position.
    public var hasPosition: Bool {
        switch self {
        case .object(let members): members.contains { $0.key == "lat" || $0.value.hasPosition }
        case .array(let values): values.contains(where: \.hasPosition)
        default: false
        }
    }
}
