/// What a message says of who sent it, and not of what happened.
public enum PhoneIdentity {
    /// Names under which a message may carry the token of its device.
    public static let tokenNames = ["token", "access_token", "api_key", "key"]
    /// Names under which apps say what the phone is called, which may be the token as well.
    public static let deviceNames = ["id", "deviceid", "device_id", "device", "dev"]
    /// All of them, in the order in which they count.
    public static let names = tokenNames + deviceNames
}
