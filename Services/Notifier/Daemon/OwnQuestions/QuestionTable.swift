import Hashing
import Model
import NotifierCore
import Store

/// Questions to people about their own watches and check-ins.
extension NotifierStore {
    /// Hashes only: nobody can open a page with what is stored here.
    static let questionTable = """
        CREATE TABLE own_questions (
            hash BLOB PRIMARY KEY,
            person BLOB NOT NULL,
            body TEXT NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX own_questions_person ON own_questions (person);
        """

    func save(_ row: OwnQuestion) throws {
        try database.run(
            "INSERT OR REPLACE INTO own_questions (hash, person, body) VALUES (?1, ?2, ?3)",
            .blob(row.hash.bytes), .id(row.person), try text(row))
    }

    func removeQuestion(_ hash: LinkHash) throws {
        try database.run("DELETE FROM own_questions WHERE hash = ?1", .blob(hash.bytes))
    }
}
