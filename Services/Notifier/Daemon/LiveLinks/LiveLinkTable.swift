import Model
import NotifierCore
import Store

/// Live links, for the core and the lists of people.
extension NotifierStore {
    /// Hashes only: nobody can open a page with what is stored here.
    static let liveLinkTables = """
        CREATE TABLE live_links (
            id BLOB PRIMARY KEY,
            person BLOB NOT NULL,
            maker BLOB NOT NULL,
            created INTEGER NOT NULL,
            ended INTEGER,
            body TEXT NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX live_links_person ON live_links (person, created);
        CREATE INDEX live_links_ended ON live_links (ended);
        CREATE INDEX timeline_emergency ON timeline (json_extract(body, '$.emergency'))
            WHERE json_extract(body, '$.emergency') IS NOT NULL;
        """

    func save(_ row: LiveLink) throws {
        try database.run(
            """
            INSERT OR REPLACE INTO live_links (id, person, maker, created, ended, body)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """, .id(row.id), .id(row.person), .id(row.maker), .time(row.created),
            .time(row.ended), try text(row))
    }

    /// Links to a person that are open or ended lately, newest first.
    func liveLinks(of person: PersonID, limit: Int) throws -> [LiveLink] {
        try database.all(
            """
            SELECT body FROM live_links WHERE person = ?1 ORDER BY created DESC, id LIMIT ?2
            """, .id(person), .integer(limit)
        ) { try NotifierStore.decode($0.text(0)) }
    }

    func liveLink(_ id: LiveLinkID) throws -> LiveLink? {
        try first("SELECT body FROM live_links WHERE id = ?1", .id(id))
    }

    /// Deletes the links to a removed person, and those that they made.
    ///
    /// - Returns: how many
    func eraseLiveLinks(of person: PersonID) throws -> Int {
        try database.run("DELETE FROM live_links WHERE person = ?1 OR maker = ?1", .id(person))
        return database.lastChanges
    }
}
