import Model
import NotifierCore
import Parsing
import Store

/// States of numbers and mail addresses.
extension NotifierStore {
    func save(_ row: NumberState) throws {
        try database.run(
            """
            INSERT INTO numbers (number, stopped, body) VALUES (?1, ?2, ?3)
            ON CONFLICT (number) DO UPDATE SET stopped = ?2, body = ?3
            """, .text(row.number), .time(row.stopped), .text(try JSON.encode(row).text))
    }

    func optOuts(
        before: Int64, limit: Int
    ) throws -> [(seq: Int64, row: NumberState)] {
        try database.all(
            """
            SELECT seq, body FROM numbers WHERE stopped IS NOT NULL AND seq < ?1
            ORDER BY seq DESC LIMIT ?2
            """, .integer(before), .integer(limit)
        ) { (seq: $0.int64(0), row: try NotifierStore.decode($0.text(1))) }
    }
}
