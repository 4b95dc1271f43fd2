import Directory
import Hashing
import IngestCore
import Model
import Parsing
import Store
import Web

/// The access log: who saw a person's position, for that person to read.
struct AccessRequests {
    let runner: CoreRunner

    private var host: any IngestHost { runner.host }

    /// Newest hour first, in pages.
    func list(
        to person: PersonID, _ request: Request, for principal: Principal
    ) throws -> Response {
        let decision = host.replica.decide(
            principal, .readAccessLog, on: .person(person), at: host.now)
        if let denial = decision.denial { throw Problem.denied(denial.explanation) }
        let limit = try request.pageLimit(max: Limits.pageMax) ?? 100
        guard let cursor = AccessCursor(request.query["cursor"]) else {
            throw Problem.invalid(
                "this is not a cursor", field: "cursor", hint: "send `next` of the previous page")
        }
        // A reason may have any characters, so a cursor names it by its bytes.
        let accesses = try runner.database.all(
            """
            SELECT hour, viewer, kind, reason, count, asked FROM access
            WHERE person = ?1 AND (hour < ?2 OR hour = ?2
                AND (viewer, kind, reason) > (?3, ?4, ?5))
            ORDER BY hour DESC, viewer, kind, reason LIMIT ?6
            """,
            .id(person), .integer(cursor.hour), .blob(cursor.viewer), .text(cursor.kind),
            .text(cursor.reason), .integer(limit + 1)
        ) { row in
            Access(
                hour: row.int64(0), viewer: row.blob(1), kind: row.text(2), reason: row.text(3),
                count: row.int64(4), asked: row.optionalTime(5))
        }
        let page = accesses.prefix(limit)
        let next = accesses.count > limit ? page.last.map(AccessCursor.init(after:)) : nil
        let body: JSON = [
            "items": .array(page.map(view)), "next": next.map { .string($0.text) } ?? .null,
        ]
        return .json(body.serialized())
    }

    /// Records that the operator saw positions of these people by events.
    func record(_ people: Set<PersonID>, reason: String?) throws {
        for person in people.sorted() {
            try runner.recordAccess(by: .operator, to: person, as: .tail, reason: reason)
        }
    }

    /// Records that the operator is about to see positions of these people outside of the services,
    /// as by `jaga tail --pii`. The access is recorded before the response is sent.
    func recordAccess(_ request: Request, by principal: Principal) throws {
        let decision = host.replica.decide(
            principal, .administer, on: .suite, at: host.now)
        if let denial = decision.denial { throw Problem.denied(denial.explanation) }
        let reason = try request.accessReason(isRequired: true)
        guard let list = try request.json()["people"]?.array,
            (1...Limits.accessRecordsMax).contains(list.count)
        else {
            throw Problem.invalid(
                "this is not a list of people", field: "people",
                hint: "send 1 to \(Limits.accessRecordsMax) ids of people")
        }
        var people: Set<PersonID> = []
        for item in list {
            guard let id = item.string.flatMap({ PersonID($0) }) else {
                throw Problem.invalid("this is not a person id", field: "people")
            }
            people.insert(id)
        }
        try record(people, reason: reason)
        host.answer(request.id, Response(status: 204))
    }

    /// The accesses of a viewer in one hour.
    fileprivate struct Access {
        var hour: Int64
        /// Empty for the operator.
        var viewer: [UInt8]
        var kind: String
        var reason: String
        var count: Int64
        /// When the viewer last requested the location.
        var asked: Timestamp?
    }

    private func view(_ access: Access) -> JSON {
        let viewer = ID128(bytes: access.viewer[...]).map { PersonID($0) }
        // The recipient of a live link has a name and no account.
        let isLink = access.kind == AccessKind.liveLink.rawValue
        let name = isLink ? access.reason : viewer.flatMap { host.replica.person($0)?.name }
        return [
            "hour": .string(Timestamp(seconds: access.hour * 3600).description),
            "viewer": viewer.map { .string($0.description) } ?? .null,
            "name": name.map { .string($0) } ?? .null,
            "kind": .string(access.kind), "count": .integer(access.count),
            "reason": access.reason.isEmpty || isLink ? .null : .string(access.reason),
            "asked": access.asked.map { .string($0.description) } ?? .null,
        ]
    }

    /// Exports all data of a person as an archive.
    func export(
        _ person: PersonID, _ request: Request, for principal: Principal
    ) throws {
        let decision = host.replica.decide(
            principal, .exportData, on: .person(person), at: host.now)
        if let denial = decision.denial { throw Problem.denied(denial.explanation) }
        guard host.replica.person(person) != nil else {
            throw Problem.notFound("there is no such person")
        }
        if principal.person != person {
            try runner.recordAccess(
                by: principal, to: person, as: .export, reason: try request.accessReason())
        }
        let files = try ExportContents(of: person, in: host.replica, runner.database).files
        try runner.journeys.export(files, of: person, request, for: principal)
    }
}

/// The last row of a page of the access log.
private struct AccessCursor {
    var hour: Int64
    var viewer: [UInt8]
    var kind: String
    var reason: String

    /// Nil if the text is not a cursor; without text it is the beginning.
    init?(_ text: String?) {
        guard let text else {
            (hour, viewer, kind, reason) = (.max, [], "", "")
            return
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, let viewer = Hex.decode(parts[1]),
            let kind = AccessKind(rawValue: String(parts[2])), let reason = Hex.decode(parts[3]),
            let hour = UntrustedNumber.integer(parts[0], in: 0...UntrustedNumber.most)
        else { return nil }
        (self.hour, self.viewer, self.kind) = (Int64(hour), viewer, kind.rawValue)
        self.reason = String(decoding: reason, as: UTF8.self)
    }

    init(after access: AccessRequests.Access) {
        (hour, viewer) = (access.hour, access.viewer)
        (kind, reason) = (access.kind, access.reason)
    }

    var text: String {
        "\(hour).\(Hex.encode(viewer)).\(kind).\(Hex.encode(Array(reason.utf8)))"
    }
}
