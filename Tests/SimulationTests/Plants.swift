import Model
import Store
import Wire

@testable import Bus

// Bugs that were thought of when the bus was designed, each put between a real process and its
// surroundings.

/// The cursor of a stream is saved outside of the transaction of what the records do.
final class CursorApart: Plant {
    /// By process; outlives it, and transactions.
    private var cursors: [String: [StreamName: Position]] = [:]

    func store(
        _ inner: SQLiteBusStore, _ database: Database, of seat: Seat
    ) -> MiddleStore {
        seat.disk == nil ? MiddleStore(inner, archive: seat.archive) : Store(self, inner, seat)
    }

    private final class Store: MiddleStore {
        private let plant: CursorApart
        private let name: String

        init(_ plant: CursorApart, _ inner: SQLiteBusStore, _ seat: Seat) {
            self.plant = plant
            name = seat.name
            super.init(inner, archive: seat.archive)
        }

        override func cursor(of stream: StreamName) throws -> Position? {
            try plant.cursors[name]?[stream] ?? inner.cursor(of: stream)
        }

        override func saveCursor(_ position: Position, of stream: StreamName) throws {
            plant.cursors[name, default: [:]][stream] = position
            try inner.saveCursor(position, of: stream)
        }
    }
}

/// Records are told before their transaction is committed.
final class ToldTooEarly: Plant {
    func store(
        _ inner: SQLiteBusStore, _ database: Database, of seat: Seat
    ) -> MiddleStore { Store(inner, seat) }

    private final class Store: MiddleStore {
        private unowned let seat: Seat

        init(_ inner: SQLiteBusStore, _ seat: Seat) {
            self.seat = seat
            super.init(inner, archive: seat.archive)
        }

        override func append(
            _ record: Record, at position: Position, of stream: StreamName, now: Timestamp
        ) throws {
            let before = position.sequence - 1
            let hash = before == 0 ? 0 : try inner.hash(of: stream, at: before)
            try inner.append(record, at: position, of: stream, now: now)
            guard let hash else { return }
            let previous = Position(
                incarnation: position.incarnation, sequence: before, hash: hash)
            let batch = Batch(
                stream: stream, after: previous, records: [record], head: position.sequence,
                published: now)
            seat.life?.transport.publish(batch.encoded())
        }
    }
}

/// Outputs of evaluators are appended wherever their stream ends, without a look at what is there.
final class AppendedBlindly: Plant {
    func transport(_ inner: SimulatedTransport, of seat: Seat) -> any BusTransport {
        guard seat.service == .ingest else { return inner }
        return MiddleTransport(inner) { [unowned seat] arrival in
            guard case .offered(let bytes) = arrival, case .offer(let offer)? = try? Frame(bytes),
                case let batch = offer.batch,
                let end = seat.life?.host.bus.position(of: batch.stream)
            else { return arrival }
            let moved = Batch(
                stream: batch.stream, after: end, records: batch.records, head: batch.head,
                published: batch.published)
            return .offered(
                Offer(moved, from: offer.input, by: offer.member).encoded())
        }
    }
}

/// An evaluator that decides something else now and then.
final class DecidesOtherwise: Plant {
    func meddle(_ service: Meddled, of seat: Seat) {
        guard seat.name == "evaluator-1" else { return }
        var fixes = 0
        service.apply = { event, _ in
            var reports = event.body.reports
            guard !reports.isEmpty else { return event }
            for place in reports.indices {
                fixes += 1
                if fixes % 5 == 0 { reports[place].fix.position.latitudeE7 += 20_000 }
            }
            var event = event
            event.body = EventBody(reports: reports)
            return event
        }
    }
}

/// The notifier knows an emergency by the event that tells of it.
final class KeyedByEvent: Plant {
    func meddle(_ service: Meddled, of seat: Seat) {
        guard seat.service == .notifier else { return }
        service.apply = { event, _ in
            var event = event
            switch event.body {
            case .emergencyOpened(var news):
                news.emergency = EmergencyID(event.id.raw)
                event.body = .emergencyOpened(news)
            case .emergencyJoined(var news):
                news.emergency = EmergencyID(event.id.raw)
                event.body = .emergencyJoined(news)
            default: break
            }
            return event
        }
    }
}

/// A phone is told that its report is kept before it is.
final class AnsweredTooEarly: Plant {
    func meddle(_ service: Meddled, of seat: Seat) {
        guard seat.service == .ingest else { return }
        service.handled = { [unowned seat] request in
            guard request.path == "/v1/reports", let door = seat.life?.door else { return }
            door.answer(request.id, .json(["accepted": 1], status: 202))
            door.flush()
        }
    }
}
