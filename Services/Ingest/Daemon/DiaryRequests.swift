import Directory
import IngestCore
import Model
import Parsing
import Store
import Web

/// Which part of a diary is asked for.
private struct DiaryQuery {
    var since: Timestamp
    var before: Timestamp
    var limit: Int

    init(_ request: Request, at now: Timestamp) throws(Problem) {
        since = now - .seconds(Limits.diarySeconds)
        before = .distantFuture
        limit = try request.pageLimit(max: Limits.diaryPageMax) ?? 50
        if let text = request.query["since"] {
            guard let time = Timestamp(text) else {
                throw .invalid(
                    "this is no time", field: "since", hint: "such as 2026-11-20T10:20:00.000Z")
            }
            since = max(since, time)
        }
        if let microseconds = try request.cursor() {
            before = Timestamp(microseconds: microseconds)
        }
    }
}

// What the server received from a device and what it decided: for its person and the operator.
extension IngestService {
    /// Writes what became of requests that never came as far as the core. Where the disk is nearly
    /// full, calls for help need the room.
    func writeDiaryNotes() throws {
        if outside.diskPressure < .tight {
            for row in diaryNotes { try writer.diary.save(row) }
        }
        diaryNotes.removeAll(keepingCapacity: true)
    }

    /// Newest first, a page at a time. No coordinates; what followed from them about zones only for
    /// the person.
    func readDiary(
        of id: DeviceID, _ request: Request, for principal: Principal
    ) throws -> Response {
        let query = try DiaryQuery(request, at: outside.now)
        guard let person = outside.replica.device(id)?.person else {
            // Other people must not learn which devices there are.
            throw principal == .operator
                ? Problem.notFound("there is no such device")
                : Problem.denied(Denial.notYours.explanation)
        }
        let decision = outside.replica.decide(
            principal, .editDevices, on: .person(person), at: outside.now)
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

    /// Rows of the diary, and among them the usual requests by their reports.
    private func entries(of id: DeviceID, _ query: DiaryQuery) throws -> [DiaryEntry] {
        let noted = try writer.diary.rows(
            of: id, from: query.since, before: query.before, atMost: query.limit + 1)
        guard let device = core.device(id) else { return noted }
        let known = Set(noted.flatMap { [$0.first, $0.last] })
        let live = Duration.seconds(Limits.liveAgeSeconds)
        let reports = try writer.reports.newest(
            of: device.number, from: query.since - live, before: query.before,
            atMost: Limits.diaryReportsPerPageMax)
        // Of a request whose reports may lie beyond the last one read nothing is told.
        let isCut = reports.count == Limits.diaryReportsPerPageMax
        let whole = isCut ? (reports.last?.fix.time ?? .zero) + live : .zero
        let usual = Dictionary(grouping: reports, by: \.received).filter { received, reports in
            received >= max(query.since, whole) && received < query.before
                && !known.contains(received)
                && reports.allSatisfy { $0.received - $0.fix.time <= live }
        }
        var entries = noted
        for reports in usual.values {
            let spoke = noted.first { $0.first <= reports[0].received }?.client
            entries.append(
                DiaryEntry(
                    reports, client: spoke.flatMap { ClientApp(rawValue: $0) } ?? device.client))
        }
        return entries.sorted { $0.last > $1.last }
    }

    /// Finds what followed from the fixes of these entries.
    private func addEvents(
        to entries: inout [DiaryEntry], of device: DeviceID, _ person: PersonID
    ) throws {
        guard let oldest = entries.map(\.first).min() else { return }
        let live = Duration.seconds(Limits.liveAgeSeconds)
        let rows = try database.all(
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
