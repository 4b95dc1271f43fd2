import Directory
import Hashing
import IngestCore
import Model
import Parsing
import Store
import Web

// Who saw where somebody is, for that person to read.
extension IngestService {
    /// Newest hour first, a page at a time.
    func listAccess(
        to person: PersonID, _ request: Request, for principal: Principal
    ) throws -> Response {
        let decision = outside.replica.decide(
            principal, .readAccessLog, on: .person(person), at: outside.now)
        if let denial = decision.denial { throw Problem.denied(denial.explanation) }
        let limit = try request.pageLimit(max: Limits.pageMax) ?? 100
        guard let cursor = AccessCursor(request.query["cursor"]) else {
            throw Problem.invalid(
                "this is no cursor", field: "cursor", hint: "send `next` of the page before")
        }
        let looks = try database.all(
            """
            SELECT hour, viewer, asked FROM access
            WHERE person = ?1 AND (hour < ?2 OR hour = ?2 AND viewer > ?3)
            ORDER BY hour DESC, viewer LIMIT ?4
            """,
            .id(person), .integer(cursor.hour), .blob(cursor.viewer), .integer(limit + 1)
        ) { row in
            Look(hour: row.int64(0), viewer: row.blob(1), asked: row.optionalTime(2))
        }
        let page = looks.prefix(limit)
        let next = looks.count > limit ? page.last.map(AccessCursor.init(after:)) : nil
        let body: JSON = [
            "items": .array(page.map(view)), "next": next.map { .string($0.text) } ?? .null,
        ]
        return .json(body.serialized())
    }

    var keepsAccessLog: Bool { true }

    func noteLook(at people: Set<PersonID>) throws {
        let hour = outside.now.seconds / 3600
        for person in people.sorted() {
            try writer.write(.saveAccess(AccessRow(person: person, viewer: nil, hour: hour)))
        }
    }

    /// The operator is about to see where these people were in something that no service shows:
    /// streams read with a key, as by `jaga tail --pii`. It is recorded before it is answered.
    func recordAccess(_ request: Request, by principal: Principal) throws {
        let decision = outside.replica.decide(
            principal, .administer, on: .suite, at: outside.now)
        if let denial = decision.denial { throw Problem.denied(denial.explanation) }
        guard let list = try request.json()["people"]?.array,
            (1...Limits.accessRecordsMax).contains(list.count)
        else {
            throw Problem.invalid(
                "this is no list of people", field: "people",
                hint: "send 1 to \(Limits.accessRecordsMax) ids of people")
        }
        var people: Set<PersonID> = []
        for item in list {
            guard let id = item.string.flatMap({ PersonID($0) }) else {
                throw Problem.invalid("this is no id of a person", field: "people")
            }
            people.insert(id)
        }
        try noteLook(at: people)
        outside.answer(request.id, Response(status: 204))
    }

    /// Everything that is kept here of a person, as an archive for them to take along.
    func export(
        _ person: PersonID, _ request: Request, for principal: Principal
    ) throws {
        let decision = outside.replica.decide(
            principal, .exportData, on: .person(person), at: outside.now)
        if let denial = decision.denial { throw Problem.denied(denial.explanation) }
        guard outside.replica.person(person) != nil else {
            throw Problem.notFound("there is no such person")
        }
        if principal.person != person {
            let hour = outside.now.seconds / 3600
            try writer.write(
                .saveAccess(AccessRow(person: person, viewer: principal.person, hour: hour)))
        }
        try readers.add(
            try ExportReader(
                request.id, of: person, for: principal, in: outside.replica, store: journeys,
                photos: photos))
    }

    /// A viewer's looks in one hour.
    fileprivate struct Look {
        var hour: Int64
        /// Empty for the operator.
        var viewer: [UInt8]
        /// When they asked the phone for its position last.
        var asked: Timestamp?
    }

    private func view(_ look: Look) -> JSON {
        let viewer = ID128(bytes: look.viewer[...]).map { PersonID($0) }
        return [
            "hour": .string(Timestamp(seconds: look.hour * 3600).description),
            "viewer": viewer.map { .string($0.description) } ?? .null,
            "name": viewer.flatMap { outside.replica.person($0)?.name }.map { .string($0) }
                ?? .null,
            "asked": look.asked.map { .string($0.description) } ?? .null,
        ]
    }
}

/// The last row of a page of the access log.
private struct AccessCursor {
    var hour: Int64
    var viewer: [UInt8]

    /// Nil for what no page said; without text it is the beginning.
    init?(_ text: String?) {
        guard let text else {
            (hour, viewer) = (.max, [])
            return
        }
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let viewer = Hex.decode(parts[1]),
            let hour = OutsideNumber.integer(parts[0], in: 0...OutsideNumber.most)
        else { return nil }
        (self.hour, self.viewer) = (Int64(hour), viewer)
    }

    init(after look: IngestService.Look) { (hour, viewer) = (look.hour, look.viewer) }

    var text: String { "\(hour)-\(Hex.encode(viewer))" }
}
