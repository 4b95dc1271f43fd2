import Hashing
import Model
import NotifierCore
import Parsing
import Store

/// Timelines of circles.
extension NotifierStore {
    func append(_ row: TimelineRecord) throws {
        try database.run(
            """
            INSERT INTO timeline (circle, at, person, shared, body)
            VALUES (?1, ?2, ?3, ?4, ?5)
            """, .id(row.circle), .time(row.at), .id(row.person), .flag(row.isShared),
            try text(row))
    }

    /// - Parameters:
    ///   - hidden: people whose entries are not shown, and those whose emergencies are not
    ///   - now: the time from which the history that each member agreed to counts
    func timeline(
        of circle: Circle, for reader: PersonID?, since: Timestamp,
        hiding hidden: (all: [PersonID], emergencies: [PersonID]) = ([], []), before: Int64,
        limit: Int, at now: Timestamp
    ) throws -> [(seq: Int64, row: TimelineRecord)] {
        // Each member by hexadecimal id, with the time from which the reader sees them.
        let members = circle.members.compactMap { member in
            circle.timelineStart(of: member, for: reader, at: now).map { start in
                JSON.Member(Hex.encode(member.person.raw.bytes), .integer(start.microseconds))
            }
        }
        return try database.all(
            """
            SELECT seq, body FROM timeline
            WHERE circle = ?1 AND seq < ?2 AND at >= ?3 AND (shared OR person = ?4)
                AND (json_extract(body, '$.emergency') IS NOT NULL
                    OR at >= (SELECT value FROM json_each(?6) WHERE key = lower(hex(person))))
                AND (json_extract(body, '$.isCovert') IS NULL OR person IS NOT ?4)
                AND lower(hex(person)) NOT IN (SELECT value FROM json_each(?7))
                AND (json_extract(body, '$.emergency') IS NULL
                    OR lower(hex(person)) NOT IN (SELECT value FROM json_each(?8)))
            ORDER BY seq DESC LIMIT ?5
            """, .id(circle.id), .integer(before), .time(since), .id(reader), .integer(limit),
            .text(JSON.object(members).text), .text(NotifierStore.list(hidden.all)),
            .text(NotifierStore.list(hidden.emergencies))
        ) { (seq: $0.int64(0), row: try NotifierStore.decode($0.text(1))) }
    }

    /// Entries about an emergency that a reader may know of, in their order.
    func timeline(
        of emergency: EmergencyID, for reader: PersonID?, limit: Int
    ) throws -> [(seq: Int64, row: TimelineRecord)] {
        try database.all(
            """
            SELECT seq, body FROM timeline
            WHERE json_extract(body, '$.emergency') = ?1 AND (shared OR person = ?2)
                AND (json_extract(body, '$.isCovert') IS NULL OR person IS NOT ?2)
            ORDER BY seq DESC LIMIT ?3
            """, .text(emergency.description), .id(reader), .integer(limit)
        ) { (seq: $0.int64(0), row: try NotifierStore.decode($0.text(1)) as TimelineRecord) }
        .reversed()
    }

    /// People by hexadecimal id, as a JSON array.
    private static func list(_ people: [PersonID]) -> String {
        JSON.array(people.map { .string(Hex.encode($0.raw.bytes)) }).text
    }
}

extension Circle {
    /// When a reader's view of one member begins; nil = the reader sees nothing of them.
    ///
    /// - Parameter reader: nil = the operator
    fileprivate func timelineStart(
        of subject: Membership, for reader: PersonID?, at now: Timestamp
    ) -> Timestamp? {
        guard let joined = subject.joined, reader != subject.person else { return subject.joined }
        if let viewer = reader.flatMap(member), role(of: viewer, over: subject) == .member,
            !membersSee(subject)
        {
            return nil
        }
        guard let days = historyDays(of: subject) else { return joined }
        return max(joined, now - .seconds(Int64(days) * 86_400))
    }
}
