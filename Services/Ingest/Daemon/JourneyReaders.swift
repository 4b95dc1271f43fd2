import Directory
import IngestCore
import Model
import Web

/// What a reader of a journey has to say after a portion of its work.
enum JourneyPortion {
    /// Nothing yet, or not now.
    case nothing
    case piece([UInt8])
    /// The end of what began with pieces, or the whole answer.
    case last([UInt8])
    /// An answer of its own: nothing was said before.
    case answer(Response)
}

/// Somebody who reads a journey, over as many turns as it takes.
protocol JourneyReader: AnyObject {
    var request: UInt64 { get }
    /// How its answer begins.
    var head: Response { get }
    /// Goes on, by ``Limits/journeyFixesPerPortion`` fixes at most.
    func advance(_ store: JourneyStore, at now: Timestamp) throws -> JourneyPortion
    /// When there is something to do; nil = at once.
    var due: Timestamp? { get }
    /// Whether what is read may still be read, and is the same.
    func isAllowed(_ store: JourneyStore, in directory: Replica, at now: Timestamp) throws -> Bool
}

/// All who read journeys now: each turn some of them get a portion, so that no turn is long, and
/// nobody more than their connection takes.
final class JourneyReaders {
    private let outside: any Surroundings
    private let store: JourneyStore
    /// Those that wait longest first.
    private var readers: [(reader: any JourneyReader, isBegun: Bool)] = []
    /// Rights may have changed since they were looked at.
    private var isUnsure = false

    init(outside: any Surroundings, store: JourneyStore) {
        self.outside = outside
        self.store = store
    }

    var count: Int { readers.count }
    private var replayCount: Int { readers.count { $0.reader is JourneyReplay } }
    private var exportCount: Int { readers.count { $0.reader is ExportReader } }

    /// Takes somebody in; what they read begins in this turn.
    func add(_ reader: any JourneyReader) throws(Problem) {
        guard readers.count < Limits.journeyReadersMax else {
            throw .unavailable("too many read journeys now", retryAfterSeconds: 5)
        }
        if reader is ExportReader, exportCount >= Limits.exportsMax {
            throw .unavailable("too much is exported now", retryAfterSeconds: 30)
        }
        if reader is JourneyReplay, replayCount >= Limits.journeyReplaysMax {
            throw .unavailable("too many journeys are replayed now", retryAfterSeconds: 10)
        }
        readers.append((reader, false))
    }

    /// The directory changes in this turn.
    func noteChange() { isUnsure = true }

    /// A turn was taken back, and what was said in it: nobody has the whole any more.
    func cut() {
        for (reader, isBegun) in readers where isBegun { outside.stream(reader.request, .cut) }
        readers = []
    }

    /// When somebody can go on.
    var nextDeadline: Timestamp? {
        readers.compactMap { reader, isBegun in
            if isBegun {
                // Whoever is gone is taken from the list in the next turn.
                let unsent = outside.unsentBytes(of: reader.request) ?? 0
                guard unsent < Limits.journeyUnsentBytesMax else { return nil }
            }
            return reader.due ?? outside.now
        }.min()
    }

    /// One portion each, for so many as a turn has room for.
    func run() throws {
        guard !readers.isEmpty else { return }
        if isUnsure { try dropThoseWhoMayNot() }
        isUnsure = false
        var waiting: [(reader: any JourneyReader, isBegun: Bool)] = []
        var served: [(reader: any JourneyReader, isBegun: Bool)] = []
        var portions = 0
        for (reader, isBegun) in readers {
            if isBegun {
                guard let unsent = outside.unsentBytes(of: reader.request) else { continue }
                guard unsent < Limits.journeyUnsentBytesMax else {
                    waiting.append((reader, isBegun))
                    continue
                }
            }
            let isDue = reader.due.map { $0 <= outside.now } ?? true
            guard isDue, portions < Limits.journeyPortionsPerTurn else {
                waiting.append((reader, isBegun))
                continue
            }
            portions += 1
            let isMore = try advance(reader, isBegun: isBegun)
            if let isMore { served.append((reader, isMore)) }
        }
        readers = waiting + served
    }

    /// - Returns: whether its answer has begun; nil when it has ended
    private func advance(_ reader: any JourneyReader, isBegun: Bool) throws -> Bool? {
        switch try reader.advance(store, at: outside.now) {
        case .nothing: return isBegun
        case .answer(let response):
            outside.answer(reader.request, response)
            return nil
        case .piece(let bytes):
            say(bytes, reader, isBegun: isBegun)
            return true
        case .last(let bytes) where isBegun:
            outside.stream(reader.request, .piece(bytes))
            outside.stream(reader.request, .end)
            return nil
        case .last(let bytes):
            var response = reader.head
            response.body = bytes
            outside.answer(reader.request, response)
            return nil
        }
    }

    private func say(_ bytes: [UInt8], _ reader: any JourneyReader, isBegun: Bool) {
        if isBegun {
            outside.stream(reader.request, .piece(bytes))
        } else {
            var response = reader.head
            response.body = bytes
            outside.stream(reader.request, .begin(response))
        }
    }

    private func dropThoseWhoMayNot() throws {
        readers = try readers.filter { reader, isBegun in
            if try reader.isAllowed(store, in: outside.replica, at: outside.now) { return true }
            if isBegun {
                outside.stream(reader.request, .cut)
            } else {
                outside.answer(
                    reader.request, .problem(.unavailable("what may be seen has changed")))
            }
            return false
        }
    }
}

/// What somebody may see of a journey, as found when they began to read it.
struct JourneySightline {
    let header: JourneyHeader
    let principal: Principal
    let viewer: JourneyViewer
    let windows: [JourneyWindow]

    /// Whether it is still so. A journey that was stopped meanwhile, or that goes on being shared,
    /// is; one that was deleted or begun again is not.
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
