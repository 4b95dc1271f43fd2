import Directory
import Hashing
import Model
import Store
import Web
import Wire

/// Replica of the directory: in memory for lookups, in the store for restarts.
///
/// Changes are written in the transaction of the turn that applies them.
public final class ReplicaStore {
    public private(set) var replica: Replica
    private let rights: RightsTable
    private let database: Database
    /// Whether this turn changed the replica.
    private var isChanged = false

    static let migrationSQL = """
        CREATE TABLE replica (
            kind INTEGER NOT NULL,
            id BLOB NOT NULL,
            schema INTEGER NOT NULL,
            payload BLOB NOT NULL,
            PRIMARY KEY (kind, id)
        ) WITHOUT ROWID;
        """

    /// Uses a store that has the replica's table; ``load()`` reads it.
    init(_ database: Database, rights: RightsTable = .standard) {
        self.database = database
        self.rights = rights
        replica = Replica(rights: rights)
    }

    /// Loads the replica from the store.
    func load() throws {
        var loaded = Replica(rights: rights)
        try database.rows("SELECT kind, schema, payload FROM replica ORDER BY kind, id") { row in
            let record = Record(
                kind: UInt16(row.int64(0)), schema: UInt16(row.int64(1)), id: .zero,
                payload: row.blob(2))
            loaded.apply(try EventCodec.decode(record).body)
        }
        replica = loaded
        isChanged = false
    }

    /// Called after COMMIT.
    func committed() { isChanged = false }

    /// Loads the stored replica again if the rolled-back turn changed it.
    func rolledBack() throws {
        if isChanged { try load() }
    }

    /// Applies one event of `directory`. Events of other streams change nothing.
    func apply(_ event: Event) throws {
        isChanged = true
        for step in replica.apply(event.body) { try write(step, of: event) }
    }

    /// Replaces the replica by a snapshot.
    ///
    /// - Parameter before: called with each difference before it is applied
    /// - Returns: the differences as events, for services that derive state from the directory
    func replace(with events: [Event], before: (Event) throws -> Void) throws -> [Event] {
        var target = Replica(rights: rights)
        for event in events { target.apply(event.body) }
        let differences = DirectorySnapshot(of: target).difference(from: replica).map { body in
            Event(id: EventID(.zero), time: events.last?.time ?? .zero, body: body)
        }
        for event in differences {
            try before(event)
            try apply(event)
        }
        return differences
    }

    /// Returns the valid credential of a request; nil if it is missing, unknown or expired.
    func credential(of request: Request, at now: Timestamp) -> Credential? {
        request.token.flatMap {
            replica.credential(tokenHash: Hash.sha256Text($0), at: now)
        }
    }

    private func write(_ step: EventBody, of event: Event) throws {
        guard let id = step.directoryEntity else { return }
        if let removed = step.removedKind {
            return try database.run(
                "DELETE FROM replica WHERE kind = ?1 AND id = ?2",
                .integer(removed.rawValue), .blob(id.bytes))
        }
        // A row describes an entity, not the event that changed it, so it has no event id.
        let record = try EventCodec.encode(
            Event(id: EventID(.zero), time: event.time, body: step))
        try database.run(
            "INSERT OR REPLACE INTO replica (kind, id, schema, payload) VALUES (?1, ?2, ?3, ?4)",
            .integer(step.kind.rawValue), .blob(id.bytes),
            .integer(Int64(record.schema)), .blob(record.payload))
    }
}

extension EventBody {
    /// The kind of row that a step deletes; nil if it writes one.
    fileprivate var removedKind: EventKind? {
        if case .neverNotifyChanged(let list) = self, list.isEmpty { return kind }
        if case .pinChanged(let pin) = self, pin.isEmpty { return kind }
        return kind.row.removed
    }
}
