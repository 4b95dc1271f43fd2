import Directory
import Model
import Parsing
import Store

/// Tables of the directory: one row per entity, its data as JSON.
struct DirectoryRows {
    let database: Database
    let rights: RightsTable

    /// Loads the directory from the rows.
    func load() throws -> Replica {
        var directory = Replica(rights: rights)
        try each("SELECT data FROM person") { directory.apply(.personChanged(try $0.decode())) }
        try each("SELECT data FROM device") { directory.apply(.deviceChanged(try $0.decode())) }
        try each("SELECT data FROM credential") {
            directory.apply(.credentialChanged(try $0.decode()))
        }
        try each("SELECT data FROM zone_set") { directory.apply(.setChanged(try $0.decode())) }
        try each("SELECT data FROM message") { directory.apply(.messageChanged(try $0.decode())) }
        try each("SELECT data FROM circle") { directory.apply(.circleChanged(try $0.decode())) }
        try each("SELECT data FROM zone") { directory.apply(.zoneChanged(try $0.decode())) }
        try each("SELECT data FROM never_notify") {
            directory.apply(.neverNotifyChanged(try $0.decode()))
        }
        try each("SELECT data FROM pin") { directory.apply(.pinChanged(try $0.decode())) }
        return directory
    }

    /// Writes or deletes the row of a directory event.
    func record(_ step: EventBody) throws {
        switch step {
        case .personChanged(let person):
            try put("INSERT OR REPLACE INTO person VALUES (?, ?)", person.id, person)
        case .deviceChanged(let device):
            try put("INSERT OR REPLACE INTO device VALUES (?, ?)", device.id, device)
        case .credentialChanged(let credential):
            try put("INSERT OR REPLACE INTO credential VALUES (?, ?)", credential.id, credential)
        case .circleChanged(let circle):
            try put("INSERT OR REPLACE INTO circle VALUES (?, ?)", circle.id, circle)
        case .zoneChanged(let zone):
            try put("INSERT OR REPLACE INTO zone VALUES (?, ?)", zone.id, zone)
        case .setChanged(let set):
            try put("INSERT OR REPLACE INTO zone_set VALUES (?, ?)", set.id, set)
        case .messageChanged(let message):
            try put("INSERT OR REPLACE INTO message VALUES (?, ?)", message.id, message)
        case .neverNotifyChanged(let list) where list.isEmpty:
            try database.run("DELETE FROM never_notify WHERE person = ?", .id(list.person))
        case .neverNotifyChanged(let list):
            try put("INSERT OR REPLACE INTO never_notify VALUES (?, ?)", list.person, list)
        case .pinChanged(let pin) where pin.isEmpty:
            try database.run("DELETE FROM pin WHERE person = ?", .id(pin.person))
        case .pinChanged(let pin):
            try put("INSERT OR REPLACE INTO pin VALUES (?, ?)", pin.person, pin)
        case .personRemoved(let removal):
            try database.run("DELETE FROM person WHERE id = ?", .id(removal.person))
        case .deviceRemoved(let removal):
            try database.run("DELETE FROM device WHERE id = ?", .id(removal.device))
        case .credentialRemoved(let removal):
            try database.run("DELETE FROM credential WHERE id = ?", .id(removal.credential))
        case .circleRemoved(let removal):
            try database.run("DELETE FROM circle WHERE id = ?", .id(removal.circle))
        case .zoneRemoved(let removal):
            try database.run("DELETE FROM zone WHERE id = ?", .id(removal.zone))
        case .setRemoved(let removal):
            try database.run("DELETE FROM zone_set WHERE id = ?", .id(removal.set))
        case .messageRemoved(let removal):
            try database.run("DELETE FROM message WHERE id = ?", .id(removal.message))
        default: fatalError("broken invariant: \(step.kind.type) is an event of the directory")
        }
    }

    private func each(_ sql: String, _ body: (JSON) throws -> Void) throws {
        try database.rows(sql) { try body(try JSON.parse($0.blob(0))) }
    }

    private func put<Kind>(
        _ sql: String, _ id: Identifier<Kind>, _ value: some Encodable
    ) throws {
        try database.run(sql, .id(id), .blob(try JSON.encode(value).serialized()))
    }
}

extension JSON {
    /// Decodes the value that the context expects.
    fileprivate func decode<Value: Decodable>() throws -> Value { try decode(Value.self) }
}
