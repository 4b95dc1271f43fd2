import API
import Dialects
import Directory
import IngestCore
import Model
import Parsing
import Store
import Web

/// Payloads that could not be used: the operator sees all, a person those of their own phones.
struct QuarantineRequests {
    let runner: CoreRunner
    let reader: PhoneReader
    let admission: AdmissionControl
    let batches: BatchRequests

    private var host: any IngestHost { runner.host }
    private var database: Database { runner.database }

    func handle(
        _ request: Request, _ operation: QuarantineOperation, _ parameters: Parameters,
        by principal: Principal
    ) throws {
        switch operation {
        case .list: host.answer(request.id, .json(try list(request, for: principal)))
        case .read:
            let entry = try entry(
                parameters.id("entry", QuarantineID.self), request, for: principal)
            if principal.person != entry.person {
                try runner.recordAccess(
                    by: principal, to: entry.person, as: .quarantine,
                    reason: try request.accessReason())
            }
            host.answer(request.id, .json(JSON.object(entry.members(full: true)).serialized()))
        case .remove:
            let entry = try entry(
                parameters.id("entry", QuarantineID.self), request, for: principal)
            try database.run("DELETE FROM quarantine WHERE id = ?", .id(entry.id))
            host.answer(request.id, Response(status: 204))
        case .retry:
            let entry = try entry(
                parameters.id("entry", QuarantineID.self), request, for: principal)
            try retry(entry, request)
        }
    }

    /// One entry with its payload, which counts for the limits by its size; 404 if it belongs to
    /// another person.
    private func entry(
        _ id: QuarantineID, _ request: Request, for principal: Principal
    ) throws -> QuarantineEntry {
        let bytes = try database.first(
            "SELECT length(payload) FROM quarantine WHERE id = ?", .id(id), as: { Int($0.int64(0)) }
        )
        try admission.admit(principal, request, bytes: bytes ?? 0)
        let found = try database.first(
            "SELECT \(QuarantineEntry.columns(full: true)) FROM quarantine WHERE id = ?", .id(id),
            as: QuarantineEntry.init)
        guard let found, isVisible(found.person, to: principal) else {
            throw Problem.notFound("there is no quarantine entry with this id")
        }
        return found
    }

    private func isVisible(_ person: PersonID, to principal: Principal) -> Bool {
        if let own = principal.person { return own == person }
        return host.replica.decide(principal, .administer, on: .suite, at: host.now).isAllowed
    }

    /// Newest first, in pages.
    private func list(_ request: Request, for principal: Principal) throws -> [UInt8] {
        let limit = try request.pageLimit(max: Limits.pageMax) ?? 100
        let before = try request.cursor() ?? .max
        let entries = try database.all(
            """
            SELECT \(QuarantineEntry.columns(full: false)) FROM quarantine
            WHERE number < ?1 AND (?2 IS NULL OR person = ?2) ORDER BY number DESC LIMIT ?3
            """,
            .integer(before), .id(principal.person), .integer(limit + 1),
            as: QuarantineEntry.init)
        let page = entries.prefix(limit)
        let next = entries.count > limit ? page.last?.number : nil
        return JSON.object([
            .init("items", .array(page.map { .object($0.members(full: false)) })),
            .init("next", next.map { .string(String($0)) } ?? .null),
        ]).serialized()
    }

    /// Reads a quarantined payload again, for example after an upgrade or once the device's
    /// passphrase is known. Of a long list one portion is read, and the start of the next is
    /// stored.
    ///
    /// - Throws: 409 if that cannot succeed
    private func retry(_ entry: QuarantineEntry, _ request: Request) throws {
        guard let device = entry.device, let client = entry.client,
            host.replica.device(device)?.person == entry.person
        else {
            throw Problem.conflict(
                "the device that sent it was removed", hint: "Delete the entry.")
        }
        guard entry.size == entry.payload.count else {
            throw Problem.conflict(
                "only the first \(entry.payload.count) of \(entry.size) bytes were stored",
                hint: "Check the payload, then delete the entry.")
        }
        guard host.diskPressure < .tight else { throw Problem.diskNearlyFull("old reports") }
        var reading = client.readAgain(
            entry.payload,
            reader.context(
                received: entry.times.received, key: runner.keys[device], device: device,
                from: entry.next))
        let rest = reading.rejections.firstIndex { $0.reason == .tooMany && $0.index > entry.next }
        let next = rest.map { reading.rejections.remove(at: $0).index }
        try runner.handle(
            .quarantineRetry(
                QuarantineRetry(
                    request: request.id, entry: entry.id, device: device, person: entry.person,
                    client: client,
                    received: entry.times.received,
                    arrivals: try batches.arrivals(reading.observations, of: device),
                    panics: reading.panics, rejections: reading.rejections, status: reading.status,
                    portion: entry.next > 0 || next != nil
                        ? QuarantineRetry.Portion(isIncomplete: entry.isIncomplete, next: next)
                        : nil,
                    trace: entry.texts.trace)))
    }
}

/// A row of the quarantine as shown.
struct QuarantineEntry {
    /// - Parameter full: with the payload, which may be large
    static func columns(full: Bool) -> String {
        """
        number, id, device, person, path, reason, place, \(full ? "payload" : "x''"), size,
        received, again, count, trace, client, retried
        """
    }

    let number: Int64
    let id: QuarantineID
    let person: PersonID
    let device: DeviceID?
    /// Nil for payloads stored before apps were recorded.
    let client: PhoneProtocol?
    let texts: (path: String, reason: String, trace: String)
    /// Index in the request, −1 for the whole. After portions were read again: the next one as in
    /// ``QuarantineRow/index(of:isIncomplete:)``.
    private let index: Int64
    let payload: [UInt8]
    let size: Int64
    private let retried: Timestamp?
    let times: (received: Timestamp, again: Timestamp)
    private let count: Int64

    init(_ row: Row) {
        number = row.int64(0)
        id = row.id(1)
        device = row.optionalID(2)
        person = row.id(3)
        texts = (row.text(4), row.text(5), row.text(12))
        index = row.int64(6)
        payload = row.blob(7)
        size = row.int64(8)
        times = (row.time(9), row.time(10))
        count = row.int64(11)
        client = PhoneProtocol.named(row.text(13))
        retried = row.optionalTime(14)
    }

    /// Start of the unread part of a long list.
    var next: Int {
        index < 0
            ? Int(-index - 1) : texts.reason == QuarantineReason.tooMany.rawValue ? Int(index) : 0
    }

    /// An earlier part was rejected.
    var isIncomplete: Bool { index < -1 }

    /// - Parameter full: with the payload, which may contain positions
    func members(full: Bool) -> [JSON.Member] {
        var members: [JSON.Member] = [
            .init("id", .string(id.description)),
            .init("person", .string(person.description)),
            .init("device", device.map { .string($0.description) } ?? .null),
            .init("client", client.map { .string($0.name) } ?? .null),
            .init("path", .string(texts.path)),
            .init("reason", .string(texts.reason)),
            .init("index", .integer(max(-1, index))),
            .init("size", .integer(size)),
            .init("received", .string(times.received.description)),
            .init("receivedAgain", .string(times.again.description)),
            .init("count", .integer(count)),
            .init("retried", retried.map { .string($0.description) } ?? .null),
            .init("trace", .string(texts.trace)),
        ]
        if full {
            members.append(.init("payload", .string(String(decoding: payload, as: UTF8.self))))
        }
        return members
    }
}
