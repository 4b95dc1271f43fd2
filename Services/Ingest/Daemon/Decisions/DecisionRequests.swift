import Directory
import IngestCore
import Model
import Parsing
import Store
import Web

/// The query of a list of decisions.
private struct DecisionQuery {
    var zone: ZoneID?
    /// Inclusive.
    var since = Timestamp.zero
    /// Exclusive.
    var before = Timestamp.distantFuture
    /// Only rows with a smaller number.
    var cursor = Int64.max
    var limit: Int

    init(_ request: Request) throws(Problem) {
        limit = try request.pageLimit(max: Limits.pageMax) ?? 100
        cursor = try request.cursor() ?? cursor
        if let text = request.query["zone"] {
            zone = ZoneID(text)
            if zone == nil { throw .invalid("this is not a zone id", field: "zone") }
        }
        since = try DecisionQuery.time("since", request) ?? since
        before = try DecisionQuery.time("before", request) ?? before
    }

    private static func time(_ field: String, _ request: Request) throws(Problem) -> Timestamp? {
        guard let text = request.query[field] else { return nil }
        guard let time = Timestamp(text) else {
            throw .invalid(
                "this is not a time", field: field, hint: "such as 2026-11-20T10:20:00.000Z")
        }
        return time
    }
}

/// Decisions about people and zones: they answer why people were notified or not.
struct DecisionRequests {
    let runner: CoreRunner

    private var host: any IngestHost { runner.host }

    /// Newest first, in pages. A page may be short; another one follows while `next` is set.
    func list(
        of person: PersonID, _ request: Request, for principal: Principal
    ) throws -> Response {
        let query = try DecisionQuery(request)
        let reason = try request.accessReason(
            isRequired: principal.needsReason(toRead: person, in: host.replica))
        let viewer: DecisionViewer?
        do {
            viewer = try DecisionViewer(
                of: person, for: principal, in: host.replica, at: host.now)
        } catch {
            throw Problem.denied(error.explanation)
        }
        guard let viewer else { throw Problem.notFound("there is no such person") }
        let rows = try rows(of: person, query)
        var items: [JSON] = []
        var last = rows.last?.number
        for (number, row) in rows {
            guard let sight = viewer.sight(of: row, in: host.replica) else { continue }
            items.append(.object(row.members(sight)))
            last = number
            if items.count == query.limit { break }
        }
        let isMore = rows.count == Limits.decisionsPerPageMax || last != rows.last?.number
        if !items.isEmpty, principal.person != person {
            try runner.recordAccess(
                by: principal, to: person, as: .decisions, reason: reason)
        }
        return .json([
            "items": .array(items),
            "next": isMore ? last.map { .string(String($0)) } ?? .null : .null,
        ])
    }

    private func rows(
        of person: PersonID, _ query: DecisionQuery
    ) throws -> [(number: Int64, row: DecisionRow)] {
        try runner.database.all(
            """
            SELECT number, event, zone, time, kind, circles, exact, body FROM decision
            WHERE person = ?1 AND number < ?2 AND (?3 IS NULL OR zone = ?3)
                AND time >= ?4 AND time < ?5
            ORDER BY number DESC LIMIT ?6
            """,
            .id(person), .integer(query.cursor), .id(query.zone), .time(query.since),
            .time(query.before), .integer(Limits.decisionsPerPageMax)
        ) { row in
            (
                number: row.int64(0),
                row: DecisionRow(
                    event: row.id(1), person: person, zone: row.id(2), time: row.time(3),
                    kind: EventKind(rawValue: UInt16(row.int(4))) ?? .zoneSuppressed,
                    circles: IDList.read(row.blob(5)).map { CircleID($0) },
                    exactCircles: IDList.read(row.blob(6)).map { CircleID($0) },
                    body: try JSON.parse(row.text(7)).decode(DecisionBody.self))
            )
        }
    }
}

extension DecisionRow {
    fileprivate func members(_ sight: DecisionSight) -> [JSON.Member] {
        var namesZone = true
        if case .withoutPlace(let names) = sight { namesZone = names }
        let zone: JSON =
            namesZone
            ? ["id": .string(self.zone.description), "name": .string(body.zoneName)] : .null
        var members: [JSON.Member] = [
            .init("id", .string(event.description)), .init("at", .string(time.description)),
            .init("kind", .string(String(kind.type.dropFirst("jaga.zone.".count)))),
            .init("person", .string(person.description)), .init("zone", zone),
        ]
        switch body {
        case .crossing(let crossing): members += DecisionRow.members(of: crossing, sight)
        case .absence(let absence):
            members.append(.init("by", .string(absence.by.description)))
            members.append(.init("contact", .bool(absence.hasContact)))
            members.append(.init("fix", absence.fix.map { DecisionRow.fix($0, sight) } ?? .null))
        }
        return members
    }

    private static func members(
        of crossing: ZoneCrossing, _ sight: DecisionSight
    ) -> [JSON.Member] {
        var members: [JSON.Member] = [
            .init("zoneKind", .string(crossing.zoneKind.rawValue)),
            .init("before", .string(crossing.before.rawValue)),
            .init("after", .string(crossing.after.rawValue)),
            .init("reason", .string(crossing.reason.rawValue)),
            .init("interpolated", .bool(crossing.interpolated)),
            .init("coarse", .bool(crossing.coarse)),
            .init("fix", fix(crossing.fix, sight)),
        ]
        if sight == .everything {
            members += [
                .init("device", .string(crossing.device.description)),
                .init("report", .string(crossing.report.description)),
                .init("distance", .number(Double(crossing.distanceCentimetres) / 100)),
                .init("margin", .number(Double(crossing.marginCentimetres) / 100)),
            ]
        }
        return members
    }

    private static func fix(_ fix: Fix, _ sight: DecisionSight) -> JSON {
        var members: [JSON.Member] = [.init("time", .string(fix.time.description))]
        guard sight == .everything else { return .object(members) }
        members += [
            .init("lat", .number(fix.position.latitude)),
            .init("lon", .number(fix.position.longitude)),
        ]
        if fix.accuracyCentimetres > 0 {
            members.append(.init("accuracy", .number(Double(fix.accuracyCentimetres) / 100)))
        }
        return .object(members)
    }
}
