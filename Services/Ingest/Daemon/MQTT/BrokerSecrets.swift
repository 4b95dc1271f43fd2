import Directory
import Model
import Parsing
import Runtime
import Store

/// The secret that the operator's broker has of each device, so that a replaced one stops counting.
///
/// The broker keeps its own copy of a device's secret. When the directory replaces a secret, the
/// broker still accepts the former one. A device is *rejected* while the broker's secret is not one
/// of its credentials.
///
/// There are two sources for the broker's secrets: the file `secrets` in the folder shared with the
/// broker of `deploy/`, written when the broker gets a secret; without it the table, which holds
/// the device's credential when it first published, or when the operator last set its topic.
final class BrokerSecrets {
    /// Interval in which the shared folder is read, seconds.
    private static let readSeconds: Int64 = 1
    /// Interval in which one call for help of a rejected device counts, seconds.
    private static let callSeconds: Int64 = 3600

    private let database: Database
    private let folder: String?
    /// SHA-256 of secrets, as in the directory.
    private var stored: [DeviceID: String] = [:]
    private var shared: [DeviceID: String] = [:]
    private var written: [UInt8]?
    private var nextRead = Timestamp.zero
    private var calls: [DeviceID: Timestamp] = [:]

    /// - Parameter folder: shared with the broker; nil = none
    init(database: Database, folder: String?) {
        self.database = database
        self.folder = folder
    }

    func load() throws {
        stored = [:]
        try database.rows("SELECT device, hash FROM broker_secret") { row in
            stored[row.id(0)] = row.text(1)
        }
    }

    /// Whether the broker's secret of a device counts. For an unknown device it counts, and its
    /// credential is recorded.
    func isCurrent(_ device: DeviceID, in directory: Replica) throws -> Bool {
        guard let known = shared[device] ?? stored[device] else {
            try confirm(device, in: directory)
            return true
        }
        return directory.credentials(of: device).contains { $0.hash == known }
    }

    /// Records that the broker has the current secret of a device.
    func confirm(_ device: DeviceID, in directory: Replica) throws {
        let newest = directory.credentials(of: device).max { $0.created < $1.created }
        guard let newest else { return }
        try keep(newest.hash, of: device)
    }

    /// Records that a secret is about to be replaced: the broker presumably has the former one.
    func recordReplaced(_ hash: String, of device: DeviceID) throws {
        guard stored[device] == nil else { return }
        try keep(hash, of: device)
    }

    private func keep(_ hash: String, of device: DeviceID) throws {
        try database.run(
            "INSERT OR REPLACE INTO broker_secret (device, hash) VALUES (?, ?)", .id(device),
            .text(hash))
        stored[device] = hash
    }

    func forget(_ device: DeviceID) throws {
        guard stored.removeValue(forKey: device) != nil else { return }
        try database.run("DELETE FROM broker_secret WHERE device = ?", .id(device))
    }

    /// Whether a call for help with a replaced secret counts: once per hour and device.
    func admitsCall(of device: DeviceID, at now: Timestamp) -> Bool {
        if let last = calls[device], now - last < .seconds(Self.callSeconds) { return false }
        calls[device] = now
        return true
    }

    /// Devices whose secret at the broker no longer counts, with that secret's hash, ascending.
    func refused(in directory: Replica) -> [(device: DeviceID, hash: String)] {
        stored.merging(shared) { $1 }
            .filter { device, hash in
                !directory.credentials(of: device).contains { $0.hash == hash }
            }
            .sorted { $0.key < $1.key }.map { (device: $0.key, hash: $0.value) }
    }

    /// Reads the broker's secrets and writes the rejected ones.
    ///
    /// - Parameter isComplete: whether the directory is complete; otherwise no device is rejected
    ///   yet
    func exchange(in directory: Replica, isComplete: Bool, at now: Timestamp) throws {
        guard let folder, now >= nextRead, isComplete else { return }
        nextRead = now + .seconds(Self.readSeconds)
        if let bytes = try? Files.read(folder + "/secrets", bytesMax: 1 << 24) {
            shared = BrokerSecrets.read(bytes)
        }
        let lines = refused(in: directory).map { "\($0.device) \($0.hash)\n" }
        let bytes = Array(lines.joined().utf8)
        guard bytes != written else { return }
        try Files.write(bytes, to: folder + "/refused", mode: 0o600)
        written = bytes
    }

    private static func read(_ bytes: [UInt8]) -> [DeviceID: String] {
        var secrets: [DeviceID: String] = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: " ")
            guard parts.count == 2, let device = DeviceID(String(parts[0])) else { continue }
            secrets[device] = parts[1].lowercased()
        }
        return secrets
    }
}

extension BrokerSecrets {
    static let migrations = [
        Migration(
            number: 17,
            sql: """
                CREATE TABLE broker_secret (
                    device BLOB PRIMARY KEY,
                    hash TEXT NOT NULL
                ) STRICT, WITHOUT ROWID;
                """)
    ]
}
