/// Limits of the protocol, in bytes unless stated otherwise.
public enum WireLimits {
    /// A record with its header.
    public static let recordBytesMax = 1 << 20
    /// A batch of several records; a single record may be longer.
    public static let batchBytesMax = 256 << 10
    /// Any frame: the largest record and the header of its batch.
    public static let frameBytesMax = recordBytesMax + 4096
    /// The name of a consumer.
    public static let nameBytesMax = 64
    /// Leases in one `RENEW`; twice the number of partitions.
    public static let leasesMax = 128
    /// The state of a partition in a checkpoint, about 30,000 people; it is written and read as a
    /// whole.
    public static let checkpointBytesMax = 16 << 20
    /// A piece of a checkpoint.
    public static let pieceBytesMax = 256 << 10
    /// A piece of a checkpoint as a row of a snapshot; fits into a batch.
    public static let stateRowBytesMax = 200 << 10
    /// The largest sequence: stores have 48 bits for it.
    public static let sequenceMax: UInt64 = 1 << 48 - 1
    /// Version of the protocol.
    public static let version: UInt8 = 1
}
