import Dialects
import Hashing
import Hosting
import Model
import Runtime
import Store

/// Encryption keys of devices. The store has them sealed with a key of the secrets folder, so that
/// a copy of the store reveals nothing.
final class DeviceKeys {
    private let database: Database
    private let file: KeyFile
    private var keys: [DeviceID: OwnTracks.Key] = [:]
    private var seal: [UInt8]?

    /// - Parameter secrets: the folder of secrets
    init(database: Database, secrets: String) {
        self.database = database
        file = .devices(secrets: secrets)
    }

    /// Loads all stored keys.
    ///
    /// - Returns: the number of keys that cannot be opened because the secrets folder has another
    ///   key
    /// - Throws: also if keys are stored and the file of the secrets folder is missing
    func load() throws -> Int {
        keys = [:]
        let rows = try database.all("SELECT device, sealed FROM device_key") { row in
            (device: row.id(0) as DeviceID, sealed: row.blob(1))
        }
        guard !rows.isEmpty else { return 0 }
        let seal = try establishedSeal(isUsed: true)
        for row in rows {
            keys[row.device] = SecretBox.open(row.sealed, key: seal)
                .flatMap { OwnTracks.Key(bytes: $0) }
        }
        return rows.count - keys.count
    }

    subscript(device: DeviceID) -> OwnTracks.Key? { keys[device] }

    func set(_ key: OwnTracks.Key, of device: DeviceID, at now: Timestamp) throws {
        let nonce = SecureRandom.bytes(SecretBox.nonceBytes)
        let sealed = SecretBox.seal(key.bytes, key: try establishedSeal(), nonce: nonce)
        try database.run(
            "INSERT OR REPLACE INTO device_key (device, sealed, since) VALUES (?, ?, ?)",
            .id(device), .blob(sealed), .time(now))
        keys[device] = key
    }

    func remove(of device: DeviceID) throws {
        try database.run("DELETE FROM device_key WHERE device = ?", .id(device))
        keys[device] = nil
    }

    /// Drops the key from memory; the row is deleted with the rest of the device.
    func forget(_ device: DeviceID) { keys[device] = nil }

    private func establishedSeal(isUsed: Bool = false) throws -> [UInt8] {
        if let seal { return seal }
        let made = try file.loadOrCreate(isUsed: isUsed)
        seal = made
        return made
    }
}

extension DeviceKeys {
    static let migrations = [
        Migration(
            number: 6,
            sql: """
                CREATE TABLE device_key (
                    device BLOB PRIMARY KEY,
                    sealed BLOB NOT NULL,
                    since INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                """)
    ]
}
