/// Sizes of the protocol, in bytes unless they say otherwise.
public enum WireLimits {
    /// A record with its head.
    public static let recordBytesMax = 1 << 20
    /// A batch of several records; a single record may be longer.
    public static let batchBytesMax = 256 << 10
    /// Any frame: one record of the largest size and the head of its batch.
    public static let frameBytesMax = recordBytesMax + 4096
    /// The name of a consumer.
    public static let nameBytesMax = 64
    /// Partitions in one `RENEW`: a member has each at most once, with room to spare.
    public static let holdingsMax = 128
    /// The state of a partition in a checkpoint, some 30,000 people: it is written and read as one
    /// piece of work.
    public static let checkpointBytesMax = 16 << 20
    /// A piece of a checkpoint on its way to the keeper.
    public static let pieceBytesMax = 256 << 10
    /// A piece of a checkpoint as a row of a snapshot: a batch holds it.
    public static let stateRowBytesMax = 200 << 10
    /// The sequence of a record: a store has 48 bits for it.
    public static let sequenceMax: UInt64 = 1 << 48 - 1
    /// Of the protocol.
    public static let version: UInt8 = 1
}
