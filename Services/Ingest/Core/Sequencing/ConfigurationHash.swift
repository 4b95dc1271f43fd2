import Hashing
import Model
import Parsing

/// Hashes of configuration records, which tell whether a partition already has a record.
///
/// The hash is that of the record's encoding on the wire, so a new field needs no other place. If
/// an upgrade changes the encoding, every record is sent once more.
enum ConfigurationHash {
    static func of(_ record: some Encodable) -> ID128 {
        guard let json = try? JSON.encode(record) else {
            fatalError("broken invariant: configuration can be encoded")
        }
        return Hash.blake2b128(json.serialized())
    }
}
