import Model
import Store
import Wire

@testable import Bus
@testable import Hosting

// Bugs that the bus was designed to prevent, each planted between a real service and its
// host.

/// The cursor of a stream is saved outside the transaction of the records' effects.
final class CursorApart: PlantedBug {
    /// By process; outlives processes and transactions.
    private var cursors: [String: [StreamName: Position]] = [:]

    func store(
        _ inner: SQLiteBusStore, _ database: Database, of slot: ProcessSlot
    ) -> RecordingBusStore {
        slot.disk == nil
            ? RecordingBusStore(inner, archive: slot.archive) : Store(self, inner, slot)
    }

    private final class Store: RecordingBusStore {
        private let plant: CursorApart
        private let name: String

        init(_ plant: CursorApart, _ inner: SQLiteBusStore, _ slot: ProcessSlot) {
            self.plant = plant
            name = slot.name
            super.init(inner, archive: slot.archive)
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

/// Records are published before their transaction is committed.
final class RespondedTooEarly: PlantedBug {
    func store(
        _ inner: SQLiteBusStore, _ database: Database, of slot: ProcessSlot
    ) -> RecordingBusStore { Store(inner, slot) }

    private final class Store: RecordingBusStore {
        private unowned let slot: ProcessSlot

        init(_ inner: SQLiteBusStore, _ slot: ProcessSlot) {
            self.slot = slot
            super.init(inner, archive: slot.archive)
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
            slot.life?.transport.publish(batch.encoded())
        }
    }
}

/// Proposals of evaluators are appended without comparing them with the end of the stream.
final class AppendedUnchecked: PlantedBug {
    func transport(_ inner: SimulatedTransport, of slot: ProcessSlot) -> any BusTransport {
        guard slot.service == .ingest else { return inner }
        return MiddleTransport(inner) { [unowned slot] arrival in
            guard case .proposed(let bytes) = arrival,
                case .proposal(let proposal)? = try? Frame(bytes),
                case let batch = proposal.batch,
                let end = slot.life?.host.bus.position(of: batch.stream)
            else { return arrival }
            let moved = Batch(
                stream: batch.stream, after: end, records: batch.records, head: batch.head,
                published: batch.published)
            return .proposed(
                Proposal(moved, from: proposal.input, by: proposal.member).encoded())
        }
    }
}

/// An evaluator that sometimes decides differently.
final class DecidesOtherwise: PlantedBug {
    func meddle(_ service: InterceptedService, of slot: ProcessSlot) {
        guard slot.name == "evaluator-1" else { return }
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

/// The notifier identifies an emergency by the event that opened it.
final class KeyedByEvent: PlantedBug {
    func meddle(_ service: InterceptedService, of slot: ProcessSlot) {
        guard slot.service == .notifier else { return }
        service.apply = { event, _ in
            var event = event
            switch event.body {
            case .emergencyOpened(var change):
                change.emergency = EmergencyID(event.id.raw)
                event.body = .emergencyOpened(change)
            case .emergencyJoined(var change):
                change.emergency = EmergencyID(event.id.raw)
                event.body = .emergencyJoined(change)
            default: break
            }
            return event
        }
    }
}

/// A phone gets a success response before its report is stored.
final class AnsweredTooEarly: PlantedBug {
    func meddle(_ service: InterceptedService, of slot: ProcessSlot) {
        guard slot.service == .ingest else { return }
        service.handled = { [unowned slot] request in
            guard request.path == "/v1/reports", let httpServer = slot.life?.httpServer else {
                return
            }
            httpServer.answer(request.id, .json(["accepted": 1], status: 202))
            httpServer.flush()
        }
    }
}

/// The notifier forgets never-notify lists.
final class ForgetsLists: PlantedBug {
    func meddle(_ service: InterceptedService, of slot: ProcessSlot) {
        guard slot.service == .notifier else { return }
        service.apply = { [unowned slot] event, _ in
            guard let directory = slot.life?.host.directory else { return event }
            for person in directory.replica.sortedPeople {
                let list = NeverNotifyList(person: person.id)
                try? directory.apply(
                    Event(id: event.id, time: event.time, body: .neverNotifyChanged(list)))
            }
            return event
        }
    }
}

/// Membership reads every reply to a request for consent as an agreement.
final class AlwaysAgrees: PlantedBug {
    func meddle(_ service: InterceptedService, of slot: ProcessSlot) {
        guard slot.service == .membership else { return }
        service.request = { request in
            guard request.method == .put, request.path.contains("/consents/") else {
                return request
            }
            var request = request
            request.body = Array(#"{"agreed":true}"#.utf8)
            return request
        }
    }
}

/// Membership does not read what has expired.
final class IgnoresDeadlines: PlantedBug {
    func meddle(_ service: InterceptedService, of slot: ProcessSlot) {
        guard slot.service == .membership else { return }
        service.applyInstead = { _, _, _ in }
    }
}
