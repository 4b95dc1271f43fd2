import MembershipCore
import Model
import Store

/// Table of the notices that notified wards when they take over.
struct WardRows {
    let database: Database

    func load() throws -> [WardNotice] {
        try database.all("SELECT ward, until FROM ward_notice") {
            WardNotice(ward: $0.id(0), until: $0.time(1))
        }
    }

    func record(_ change: WardChange) throws {
        switch change {
        case .notified(let notice):
            try database.run(
                "INSERT OR REPLACE INTO ward_notice VALUES (?1, ?2)", .id(notice.ward),
                .time(notice.until))
        case .forget(let ward):
            try database.run("DELETE FROM ward_notice WHERE ward = ?1", .id(ward))
        }
    }

    static let migrationSQL = """
        CREATE TABLE ward_notice (ward BLOB PRIMARY KEY, until INTEGER NOT NULL)
            STRICT, WITHOUT ROWID;
        """
}
