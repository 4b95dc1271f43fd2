import MembershipCore
import Model
import Runtime
import Store
import Timing

/// Table of people who are to be asked to verify their contact points.
struct ContactReminderRows {
    let database: Database

    func load(at now: Timestamp) throws -> ContactReminders {
        let people = try database.all("SELECT id FROM contact_reminder ORDER BY id") {
            $0.id(0) as PersonID
        }
        return ContactReminders(waiting: people, at: now)
    }

    func remove(_ person: PersonID) throws {
        try database.run("DELETE FROM contact_reminder WHERE id = ?1", .id(person))
    }

    /// Everybody in a store from before contact points were verified is to be asked.
    static let migrationSQL = """
        CREATE TABLE contact_reminder (id BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
        INSERT INTO contact_reminder SELECT id FROM person;
        """
}

extension ZoneClocks {
    /// The hour of day in a time zone; that of UTC if the zone is unknown.
    func hour(in timeZone: String) -> Int {
        let offset = folder.rules(of: timeZone)?.offsetSeconds(at: now) ?? 0
        let seconds = (now.seconds + Int64(offset)) % 86_400
        return Int((seconds + 86_400) % 86_400 / 3600)
    }
}
