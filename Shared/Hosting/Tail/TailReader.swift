import Bus
import Model
import Parsing
import Web
import Wire

/// Somebody who follows events of this service's streams over HTTP.
final class TailReader {
    /// With its credentials, which may not be good for as long as it reads.
    let request: Request
    let filter: EventFilter
    /// Whether nothing is masked.
    let showsAll: Bool
    /// Whether it has the monitoring token.
    let isMonitor: Bool
    /// Streams of this service that may have wanted events.
    private let streams: [StreamName]
    private var place: TailPlace
    /// Where the next portion begins, so that no stream waits for another.
    private var turn = 0
    /// What has to be said before any event.
    private var notices: [UInt8] = []
    /// When something was said last.
    private(set) var spoken: Timestamp
    /// When its credentials were looked at last.
    var checked: Timestamp
    var hasBegun = false
    /// How far it reads, if there is an end.
    var goal: [Extent]?

    /// What a portion showed.
    struct Portion {
        var bytes: [UInt8] = []
        /// Whose positions were among it, as they are.
        var people: Set<PersonID> = []
    }

    init(
        _ request: Request, _ filter: EventFilter, showsAll: Bool, isMonitor: Bool,
        streams: [StreamName], at place: TailPlace, now: Timestamp
    ) {
        self.request = request
        self.filter = filter
        self.showsAll = showsAll
        self.isMonitor = isMonitor
        self.streams = streams
        self.place = place
        spoken = now
        checked = now
    }

    /// Whether there is something that was not read.
    func isBehind(_ bus: Bus) -> Bool {
        streams.contains { stream in
            (bus.extent(of: stream)?.head.sequence ?? 0) > (place.marks[stream]?.sequence ?? 0)
        }
    }

    /// Whether everything was read that was to be.
    var hasReachedGoal: Bool {
        goal?.allSatisfy { extent in
            !streams.contains(extent.stream)
                || (place.marks[extent.stream]?.sequence ?? 0) >= extent.head.sequence
        } ?? false
    }

    /// Compares what the reader has with what is kept: what is another stream is read from its
    /// oldest record.
    func resume(_ bus: Bus) throws {
        for (stream, mark) in place.marks.sorted(by: { $0.key < $1.key }) {
            guard let extent = bus.extent(of: stream), streams.contains(stream) else {
                place.marks[stream] = nil
                continue
            }
            if mark.sequence < extent.base.sequence { continue }
            let hash = try bus.lastingHash(of: stream, at: mark.sequence)
            if let hash, UInt16(truncatingIfNeeded: hash) == mark.check { continue }
            place.marks[stream] = nil
            notify("diverged", ["stream": .string(stream.text)])
        }
    }

    /// The next events, of some records of each stream in turn.
    ///
    /// - Parameter isMember: whether somebody is in the circle of the filter now
    func read(
        _ bus: Bus, at now: Timestamp, isMember: (PersonID) -> Bool
    ) throws -> Portion {
        var portion = Portion()
        var left = HostLimits.tailPortionBytes
        var last: String?
        for offset in streams.indices {
            let stream = streams[(turn + offset) % streams.count]
            guard left > 0 else {
                turn = (turn + offset) % streams.count
                break
            }
            try skipForgotten(stream, bus)
            let after = place.marks[stream]?.sequence ?? 0
            for (position, record) in try bus.lasting(stream, after: after, bytesMax: left) {
                left -= record.wireBytes
                place.read(stream, to: position)
                let line = try line(stream, position, record, &portion.people, isMember)
                guard let line else { continue }
                if let last { portion.bytes += Array("data: \(last)\n\n".utf8) }
                last = line
            }
        }
        portion.bytes = notices + portion.bytes
        notices = []
        // What comes again to a reader that lost its connection begins after the last id.
        if let last { portion.bytes += Array("id: \(place)\ndata: \(last)\n\n".utf8) }
        if !portion.bytes.isEmpty { spoken = now }
        return portion
    }

    /// Says that all is well, and how far everything was read.
    func sign(at now: Timestamp) -> [UInt8] {
        spoken = now
        let text = place.description
        return Array(text.isEmpty ? ":\n\n".utf8 : ":\nid: \(text)\n\n".utf8)
    }

    /// Tells of records that are gone before they were read.
    private func skipForgotten(_ stream: StreamName, _ bus: Bus) throws {
        guard let base = bus.extent(of: stream)?.base, let mark = place.marks[stream],
            mark.sequence < base.sequence
        else { return }
        place.read(stream, to: base)
        notify(
            "gap",
            [
                "stream": .string(stream.text),
                "from": .integer(Int64(clamping: mark.sequence + 1)),
                "to": .integer(Int64(clamping: base.sequence)),
            ])
    }

    private func notify(_ type: String, _ json: JSON) {
        notices += Array("event: \(type)\ndata: \(json.text)\n\n".utf8)
    }

    /// The line of a record; nil when it is not wanted.
    private func line(
        _ stream: StreamName, _ position: Position, _ record: Record, _ people: inout Set<PersonID>,
        _ isMember: (PersonID) -> Bool
    ) throws -> String? {
        let event = try EventCodec.decode(record)
        guard filter.wants(event, on: stream) else { return nil }
        let json = try EventCodec.cloudEvent(event, stream: stream, position: position)
        guard filter.isOfCircle(event, json, isMember: isMember) else { return nil }
        guard showsAll else { return Masking.mask(json).text }
        if let person = event.body.person, json.tellsWhere { people.insert(person) }
        return json.text
    }
}

extension JSON {
    /// Whether it has a position in it.
    public var tellsWhere: Bool {
        switch self {
        case .object(let members): members.contains { $0.key == "lat" || $0.value.tellsWhere }
        case .array(let values): values.contains(where: \.tellsWhere)
        default: false
        }
    }
}
