import Directory
import JourneysCore
import Model
import Web

/// The output of a reader for one portion of work.
enum JourneyPortion {
    /// No output yet.
    case nothing
    case piece([UInt8])
    /// The end of a streamed response, or the whole response.
    case last([UInt8])
    /// A complete response; nothing was sent before.
    case answer(Response)
}

/// Produces the response to a request about a journey, over as many turns as needed.
protocol JourneyReader: AnyObject {
    var request: UInt64 { get }
    /// Status and headers of its response.
    var head: Response { get }
    /// Reads at most ``JourneyLimits/fixesPerPortion`` fixes.
    func advance(_ store: JourneyStore, at now: Timestamp) throws -> JourneyPortion
    /// When there is work; nil = at once.
    var due: Timestamp? { get }
    /// Whether the visible parts may still be read and are unchanged.
    func isAllowed(_ store: JourneyStore, in directory: Replica, at now: Timestamp) throws -> Bool
}

/// All active readers of journeys. Each turn some of them get a portion, which bounds the turn, and
/// no reader gets more than its connection accepts.
final class JourneyReaders {
    private let host: any JourneysHost
    private let store: JourneyStore
    /// Longest waiting first.
    private var readers: [(reader: any JourneyReader, isBegun: Bool)] = []
    /// Whether rights may have changed since the last check.
    private var needsCheck = false

    init(host: any JourneysHost, store: JourneyStore) {
        self.host = host
        self.store = store
    }

    var count: Int { readers.count }
    private var replayCount: Int { readers.count { $0.reader is JourneyReplay } }
    private var exportCount: Int { readers.count { $0.reader is ExportReader } }

    /// Adds a reader; its response begins in this turn.
    func add(_ reader: any JourneyReader) throws(Problem) {
        guard readers.count < JourneyLimits.readersMax else {
            throw .unavailable("too many journeys are being read", retryAfterSeconds: 5)
        }
        if reader is ExportReader, exportCount >= JourneyLimits.exportsMax {
            throw .unavailable("too many exports are running", retryAfterSeconds: 30)
        }
        if reader is JourneyReplay, replayCount >= JourneyLimits.replaysMax {
            throw .unavailable("too many replays are running", retryAfterSeconds: 10)
        }
        readers.append((reader, false))
    }

    /// The directory changes in this turn.
    func recordChange() { needsCheck = true }

    /// Cuts all responses after a rollback: parts of them were lost.
    func cut() {
        for (reader, isBegun) in readers where isBegun { host.stream(reader.request, .cut) }
        readers = []
    }

    /// When a reader can continue.
    var nextDeadline: Timestamp? {
        readers.compactMap { reader, isBegun in
            if isBegun {
                // Closed connections are removed in the next turn.
                let unsent = host.unsentBytes(of: reader.request) ?? 0
                guard unsent < JourneyLimits.unsentBytesMax else { return nil }
            }
            return reader.due ?? host.now
        }.min()
    }

    /// Lets readers produce one portion each, as many as fit a turn.
    func run() throws {
        guard !readers.isEmpty else { return }
        if needsCheck { try dropDenied() }
        needsCheck = false
        var waiting: [(reader: any JourneyReader, isBegun: Bool)] = []
        var served: [(reader: any JourneyReader, isBegun: Bool)] = []
        var portions = 0
        for (reader, isBegun) in readers {
            if isBegun {
                guard let unsent = host.unsentBytes(of: reader.request) else { continue }
                guard unsent < JourneyLimits.unsentBytesMax else {
                    waiting.append((reader, isBegun))
                    continue
                }
            }
            let isDue = reader.due.map { $0 <= host.now } ?? true
            guard isDue, portions < JourneyLimits.portionsPerTurn else {
                waiting.append((reader, isBegun))
                continue
            }
            portions += 1
            let hasBegun = try advance(reader, isBegun: isBegun)
            if let hasBegun { served.append((reader, hasBegun)) }
        }
        readers = waiting + served
    }

    /// - Returns: whether its response has begun; nil if it has ended
    private func advance(_ reader: any JourneyReader, isBegun: Bool) throws -> Bool? {
        switch try reader.advance(store, at: host.now) {
        case .nothing: return isBegun
        case .answer(let response):
            host.answer(reader.request, response)
            return nil
        case .piece(let bytes):
            send(bytes, reader, isBegun: isBegun)
            return true
        case .last(let bytes) where isBegun:
            host.stream(reader.request, .piece(bytes))
            host.stream(reader.request, .end)
            return nil
        case .last(let bytes):
            var response = reader.head
            response.body = bytes
            host.answer(reader.request, response)
            return nil
        }
    }

    private func send(_ bytes: [UInt8], _ reader: any JourneyReader, isBegun: Bool) {
        if isBegun {
            host.stream(reader.request, .piece(bytes))
        } else {
            var response = reader.head
            response.body = bytes
            host.stream(reader.request, .begin(response))
        }
    }

    private func dropDenied() throws {
        readers = try readers.filter { reader, isBegun in
            if try reader.isAllowed(store, in: host.replica, at: host.now) { return true }
            if isBegun {
                host.stream(reader.request, .cut)
            } else {
                host.answer(
                    reader.request, .problem(.unavailable("the visible parts have changed")))
            }
            return false
        }
    }
}

/// What a viewer may see of a journey, as of the start of reading it.
struct JourneySightline {
    let header: JourneyHeader
    let principal: Principal
    let viewer: JourneyViewer
    let windows: [JourneyWindow]

    /// Whether it is unchanged. Stopping the journey or continued sharing does not matter; deletion
    /// and reset do.
    func isAllowed(_ store: JourneyStore, in directory: Replica, at now: Timestamp) throws -> Bool {
        guard let header = try store.header(number: header.span.number),
            let viewer = try? JourneyViewer(
                of: header.person, for: principal, in: directory, at: now)
        else { return false }
        let windows = viewer.windows(of: header.span, try store.sights(of: header.span.number))
        return self.windows.allSatisfy { old in
            let end = min(old.to, now, header.span.stopped)
            return windows.contains { $0.from <= old.from && end <= $0.to }
        }
    }
}
