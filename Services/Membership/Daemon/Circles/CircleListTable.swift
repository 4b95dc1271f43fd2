import MembershipCore
import Model
import Store

/// Rows about circle lists.
struct CircleListTable {
    let database: Database

    static let migrationSQL = """
        CREATE TABLE circle_times (
            circle BLOB PRIMARY KEY,
            members INTEGER NOT NULL,
            invited INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE circle_departure (
            person BLOB PRIMARY KEY,
            at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    func load() throws -> CircleLists {
        var lists = CircleLists()
        try database.rows("SELECT circle, members, invited FROM circle_times") { row in
            lists.load(
                .circle(
                    row.id(0),
                    CircleLists.Times(members: row.time(1), invited: row.time(2))))
        }
        try database.rows("SELECT person, at FROM circle_departure") { row in
            lists.load(.departure(row.id(0), row.time(1)))
        }
        return lists
    }

    func record(_ row: CircleListRow) throws {
        switch row {
        case .circle(let id, let times):
            try database.run(
                "INSERT OR REPLACE INTO circle_times VALUES (?, ?, ?)", .id(id),
                .time(times.members), .time(times.invited))
        case .circleRemoved(let id):
            try database.run("DELETE FROM circle_times WHERE circle = ?", .id(id))
        case .departure(let person, let time):
            try database.run(
                "INSERT OR REPLACE INTO circle_departure VALUES (?, ?)", .id(person), .time(time))
        case .personRemoved(let person):
            try database.run("DELETE FROM circle_departure WHERE person = ?", .id(person))
        }
    }
}
