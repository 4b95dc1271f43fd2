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
    /// Of the protocol.
    public static let version: UInt8 = 1
}
