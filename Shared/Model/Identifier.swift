/// 128 bits, the raw value of every id of the suite.
///
/// Either random (made by a daemon and handed to the core) or a BLAKE2b-128 of a meaning.
public struct ID128: Hashable, Sendable, Comparable {
    /// The first eight bytes, big endian.
    public var high: UInt64
    /// The last eight bytes, big endian.
    public var low: UInt64

    public static let zero = ID128(high: 0, low: 0)

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads sixteen bytes; nil for any other count.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        var high: UInt64 = 0
        var low: UInt64 = 0
        for (index, byte) in bytes.enumerated() {
            if index < 8 {
                high = high << 8 | UInt64(byte)
            } else {
                low = low << 8 | UInt64(byte)
            }
        }
        self.init(high: high, low: low)
    }

    /// The sixteen bytes, most significant first.
    public var bytes: [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(16)
        appendBytes(to: &out)
        return out
    }

    /// Appends the sixteen bytes, most significant first.
    public func appendBytes(to out: inout [UInt8]) {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { out.append(contentsOf: $0) }
    }

    public static func < (left: ID128, right: ID128) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }

    private static let alphabet: StaticString = "0123456789abcdefghjkmnpqrstvwxyz"

    /// 26 lower-case Crockford base32 characters; 128 bits are padded with two zero bits in front.
    public var text: String {
        String(unsafeUninitializedCapacity: 26) { characters in
            let digits = ID128.alphabet.utf8Start
            var (high, low) = (high, low)
            var place = 26
            while place > 0 {
                place -= 1
                characters[place] = digits[Int(low & 31)]
                low = low >> 5 | high << 59
                high >>= 5
            }
            return 26
        }
    }

    /// Reads what ``text`` writes; nil for anything else.
    public init?(text: some StringProtocol) {
        let found =
            text.utf8.withContiguousStorageIfAvailable { ID128.read($0) }
            ?? Array(text.utf8).withUnsafeBufferPointer { ID128.read($0) }
        guard let found else { return nil }
        self = found
    }

    private static func read(_ text: UnsafeBufferPointer<UInt8>) -> ID128? {
        guard text.count == 26 else { return nil }
        var high: UInt64 = 0
        var low: UInt64 = 0
        for index in 0..<26 {
            let digit = values[Int(text[index])]
            if digit > (index == 0 ? 7 : 31) { return nil }
            high = high << 5 | low >> 59
            low = low << 5 | UInt64(digit)
        }
        return ID128(high: high, low: low)
    }

    /// What each byte is worth as a digit; 255 for those that are none.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for value in 0..<32 { values[Int(alphabet.utf8Start[value])] = UInt8(value) }
        return values
    }()
}

/// What an ``Identifier`` names.
public protocol IdentifierKind: Sendable {
    /// Three letters before the underscore of the text form, such as `per`.
    static var prefix: String { get }
}

/// A typed id: `per_` and 26 characters as text, 128 bits inside.
public struct Identifier<Kind: IdentifierKind>: Hashable, Sendable, Comparable, Codable,
    CustomStringConvertible
{
    public var raw: ID128

    public init(_ raw: ID128) { self.raw = raw }

    /// Reads `prefix_` and 26 characters; nil for anything else, also for another prefix.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == Kind.prefix.utf8.count + 27,
            text.hasPrefix(Kind.prefix + "_"),
            let raw = ID128(text: text.dropFirst(Kind.prefix.count + 1))
        else { return nil }
        self.raw = raw
    }

    public var description: String { "\(Kind.prefix)_\(raw.text)" }

    public static func < (left: Self, right: Self) -> Bool { left.raw < right.raw }

    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let value = Self(text) else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "not an id of the form \(Kind.prefix)_ + 26 characters"))
        }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

public enum PersonKind: IdentifierKind { public static let prefix = "per" }
public enum DeviceKind: IdentifierKind { public static let prefix = "dev" }
public enum CircleKind: IdentifierKind { public static let prefix = "cir" }
public enum ZoneKindTag: IdentifierKind { public static let prefix = "zon" }
public enum EmergencyKind: IdentifierKind { public static let prefix = "emg" }
public enum EventKindTag: IdentifierKind { public static let prefix = "evt" }
public enum ClockKind: IdentifierKind { public static let prefix = "clk" }
public enum WatchKind: IdentifierKind { public static let prefix = "wat" }
public enum ContactKind: IdentifierKind { public static let prefix = "con" }
public enum CredentialKind: IdentifierKind { public static let prefix = "crd" }
public enum NotificationKind: IdentifierKind { public static let prefix = "ntf" }
public enum ReportKind: IdentifierKind { public static let prefix = "rep" }
public enum ZoneSetKind: IdentifierKind { public static let prefix = "set" }
public enum MessageKind: IdentifierKind { public static let prefix = "msg" }
public enum AlarmKind: IdentifierKind { public static let prefix = "alm" }

public typealias PersonID = Identifier<PersonKind>
public typealias DeviceID = Identifier<DeviceKind>
public typealias CircleID = Identifier<CircleKind>
public typealias ZoneID = Identifier<ZoneKindTag>
/// The raw value is that of the emergency's first trigger.
public typealias EmergencyID = Identifier<EmergencyKind>
public typealias EventID = Identifier<EventKindTag>
public typealias ClockID = Identifier<ClockKind>
public typealias WatchID = Identifier<WatchKind>
public typealias ContactID = Identifier<ContactKind>
public typealias CredentialID = Identifier<CredentialKind>
public typealias NotificationID = Identifier<NotificationKind>
public typealias ReportID = Identifier<ReportKind>
public typealias ZoneSetID = Identifier<ZoneSetKind>
public typealias MessageID = Identifier<MessageKind>
/// A stay in an alert zone that rings.
public typealias AlarmID = Identifier<AlarmKind>
