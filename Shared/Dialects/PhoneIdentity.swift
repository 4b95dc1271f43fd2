/// Names of values that identify the sender of a message.
public enum PhoneIdentity {
    /// Names for the device's token.
    public static let tokenNames = ["token", "access_token", "api_key", "key"]
    /// Names for the phone's identifier, which may also hold the token.
    public static let deviceNames = ["id", "deviceid", "device_id", "device", "dev"]
    /// All names in order of precedence.
    public static let names = tokenNames + deviceNames
}
