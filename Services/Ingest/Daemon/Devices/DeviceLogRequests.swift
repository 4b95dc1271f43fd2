import Dialects
import Directory
import IngestCore
import Model
import Parsing
import Store
import Web

/// The requested part of a device log.
private struct DeviceLogQuery {
    var since: Timestamp
    var before: Timestamp
    var limit: Int

    init(_ request: Request, at now: Timestamp) throws(Problem) {
        since = now - .seconds(Limits.deviceLogSeconds)
        before = .distantFuture
        limit = try request.pageLimit(max: Limits.deviceLogPageMax) ?? 50
        if let text = request.query["since"] {
            guard let time = Timestamp(text) else {
                throw .invalid(
                    "this is not a time", field: "since", hint: "such as 2026-11-20T10:20:00.000Z")
            }
            since = max(since, time)
        }
        if let microseconds = try request.cursor() {
            before = Timestamp(microseconds: microseconds)
        }
    }
}

/// The device log, readable by the device's person and the operator.
struct DeviceLogRequests {
    let runner: CoreRunner

    private var host: any IngestHost { runner.host }

    /// Newest first, in pages. Contains no coordinates; zone events only for the person.
    func read(
        of id: DeviceID, _ request: Request, for principal: Principal
    ) throws -> Response {
        let query = try DeviceLogQuery(request, at: host.now)
        guard let person = host.replica.device(id)?.person else {
            // Other people must not learn which devices exist.
            throw host.replica.decide(principal, .administer, on: .suite, at: host.now).isAllowed
                ? Problem.notFound("there is no such device")
                : Problem.denied(Denial.notYours.explanation)
        }
        let decision = host.replica.decide(
            principal, .editDevices, on: .person(person), at: host.now)
        if let denial = decision.denial { throw Problem.denied(denial.explanation) }
        var entries = try entries(of: id, query)
        let isMore = entries.count > query.limit
        entries = Array(entries.prefix(query.limit))
        if principal.person == person { try addEvents(to: &entries, of: id, person) }
        return .json([
            "device": .string(id.description), "person": .string(person.description),
            "items": .array(entries.map(\.json)),
            "next": isMore
                ? entries.last.map { .string(String($0.last.microseconds)) } ?? .null : .null,
        ])
    }

    /// Rows of the log, merged with usual requests that are derived from their reports.
    private func entries(of id: DeviceID, _ query: DeviceLogQuery) throws -> [DeviceLogEntry] {
        let logged = try runner.writer.deviceLog.rows(
            of: id, from: query.since, before: query.before, atMost: query.limit + 1)
        guard let device = runner.core.reports.devices[id] else { return logged }
        let known = Set(logged.flatMap { [$0.first, $0.last] })
        let live = Duration.seconds(Limits.liveAgeSeconds)
        let reports = try runner.writer.intake.reports.newest(
            of: device.number, from: query.since - live, before: query.before,
            atMost: Limits.deviceLogReportsPerPageMax)
        // A request whose reports may continue beyond the last one read is omitted.
        let isCut = reports.count == Limits.deviceLogReportsPerPageMax
        let whole = isCut ? (reports.last?.fix.time ?? .zero) + live : .zero
        let usual = Dictionary(grouping: reports, by: \.received).filter { received, reports in
            received >= max(query.since, whole) && received < query.before
                && !known.contains(received)
                && reports.allSatisfy { $0.received - $0.fix.time <= live }
        }
        var entries = logged
        for reports in usual.values {
            let client = logged.first { $0.first <= reports[0].received }?.client
            entries.append(
                DeviceLogEntry(
                    reports, client: client.flatMap { PhoneProtocol.named($0) } ?? device.client))
        }
        return entries.sorted { $0.last > $1.last }
    }

    /// Adds the zone events that resulted from the fixes of these entries.
    private func addEvents(
        to entries: inout [DeviceLogEntry], of device: DeviceID, _ person: PersonID
    ) throws {
        guard let oldest = entries.map(\.first).min() else { return }
        let live = Duration.seconds(Limits.liveAgeSeconds)
        let rows = try runner.database.all(
            """
            SELECT event, kind, body FROM decision WHERE person = ? AND time >= ?
            ORDER BY number DESC LIMIT ?
            """, .id(person), .time(oldest - live), .integer(Limits.decisionsPerPageMax)
        ) { row in
            (
                id: row.id(0) as EventID, kind: EventKind(rawValue: UInt16(clamping: row.int(1))),
                body: try JSON.parse(row.text(2)).decode(DecisionBody.self)
            )
        }
        for row in rows.reversed() {
            guard case .crossing(let crossing) = row.body, crossing.device == device,
                let kind = row.kind,
                let place = entries.firstIndex(where: { $0.fixes.contains(crossing.fix.time) })
            else { continue }
            entries[place].events.append((id: row.id.description, kind: kind.type))
        }
    }
}
