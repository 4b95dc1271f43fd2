import Dialects
import Model
import Store

/// Topics of phones on the operator's broker that differ from the phones' ids.
final class TopicTable {
    private let database: Database
    private var devices: [String: DeviceID] = [:]

    init(database: Database) { self.database = database }

    func load() throws {
        devices = [:]
        try database.rows("SELECT name, device FROM device_topic") { row in
            devices[row.text(0)] = row.id(1)
        }
    }

    /// All topics with their devices, ordered by topic.
    var all: [(name: String, device: DeviceID)] {
        devices.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
    }

    /// The device of a topic: the one that the operator set, otherwise the topic's user if that is
    /// a device's id.
    func device(of topic: OwnTracks.Topic) -> DeviceID? {
        devices[topic.name] ?? DeviceID(topic.user.lowercased())
    }

    func name(of device: DeviceID) -> String? { devices.first { $0.value == device }?.key }

    /// - Returns: false if another device has this topic
    func set(_ topic: OwnTracks.Topic, of device: DeviceID, at now: Timestamp) throws -> Bool {
        if let other = devices[topic.name], other != device { return false }
        try remove(of: device)
        try database.run(
            "INSERT INTO device_topic (name, device, since) VALUES (?, ?, ?)", .text(topic.name),
            .id(device), .time(now))
        devices[topic.name] = device
        return true
    }

    func remove(of device: DeviceID) throws {
        try database.run("DELETE FROM device_topic WHERE device = ?", .id(device))
        forget(device)
    }

    /// Drops the topic from memory; the row is deleted with the rest of the device.
    func forget(_ device: DeviceID) { devices = devices.filter { $0.value != device } }
}

extension TopicTable {
    static let migrations = [
        Migration(
            number: 13,
            sql: """
                CREATE TABLE device_topic (
                    name TEXT PRIMARY KEY,
                    device BLOB NOT NULL UNIQUE,
                    since INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                """)
    ]
}
