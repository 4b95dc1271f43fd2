import Model
import Parsing

/// A fix as the phone reported it, not yet checked for duplicates, lateness and clock errors.
public struct Observation: Hashable, Sendable {
    /// `fix.time` is the phone's own time.
    public var fix: Fix
    public var trigger: Trigger
    /// Percent, 0 to 100.
    public var battery: UInt8?
    public var charging: Bool?
    /// The client's id of the message; equal for retries.
    public var messageID: String?
    /// Accuracy of the fix's altitude in metres; 0 = unknown.
    public var altitudeAccuracyMetres: UInt16
    /// When the phone built the message, possibly long after the fix; nil = not sent.
    public var created: Timestamp?

    public init(
        fix: Fix, trigger: Trigger = .periodic, battery: UInt8? = nil, charging: Bool? = nil,
        messageID: String? = nil, altitudeAccuracyMetres: UInt16 = 0, created: Timestamp? = nil
    ) {
        self.created = created
        self.altitudeAccuracyMetres = altitudeAccuracyMetres
        self.fix = fix
        self.trigger = trigger
        self.battery = battery
        self.charging = charging
        self.messageID = messageID
    }
}

/// An emergency raised by a report. It counts even if the report's position is unusable.
public struct Panic: Hashable, Sendable {
    public var trigger: EmergencyTrigger
    /// Equal for retries; nil if the client's messages have no ids.
    public var messageID: String?
    /// Digest of the message if it has neither an id nor a time of the emergency. Equal for
    /// retries, but possibly also for a second emergency.
    public var content: ID128?
    /// When the emergency was raised, by the phone's clock.
    public var raised: Timestamp
    /// The accompanying fix, if usable.
    public var fix: Fix?
    public var battery: UInt8?
    /// Whether only a tag raises the emergency. A tag is part of every message until the user
    /// removes it, so it raises an emergency only if the previous message had none.
    public var isTag: Bool

    public init(
        _ trigger: EmergencyTrigger = .panic, messageID: String?, content: ID128? = nil,
        raised: Timestamp, fix: Fix?, battery: UInt8?, isTag: Bool = false
    ) {
        self.trigger = trigger
        self.isTag = isTag
        self.messageID = messageID
        self.content = content
        self.raised = raised
        self.fix = fix
        self.battery = battery
    }
}

/// Why a payload was quarantined.
public enum QuarantineReason: String, Sendable, Codable, CaseIterable {
    /// The bytes are not JSON.
    case notJSON = "not-json"
    /// JSON with another type where an object is required.
    case notAnObject = "not-an-object"
    /// A message type that carries no fix or is unknown.
    case otherType = "other-type"
    /// Encrypted by the phone; Jaga has no key.
    case encrypted
    /// Encrypted with another key, or altered in transit.
    case undecryptable
    /// A fix without latitude or longitude.
    case missingPosition = "missing-position"
    /// Latitude or longitude is not a number, or beyond ±90 / ±180 degrees.
    case badPosition = "bad-position"
    /// 0° N, 0° E. From a tracker app also a latitude or longitude of exactly 0, which means no
    /// position.
    case zeroPosition = "zero-position"
    /// A negative horizontal accuracy, which Core Location uses for invalid positions.
    case negativeAccuracy = "negative-accuracy"
    /// The time of the fix is required but missing, or not a time.
    case badTime = "bad-time"
    /// An avatar that is neither PNG nor JPEG, or too large.
    case badPicture = "bad-picture"
    /// The phone marks the fix as invalid.
    case invalidFix = "invalid-fix"
    /// More fixes than one message may contain, or more than ``JSON/bodyValuesMax`` values.
    case tooMany = "too-many"

    /// Whether Jaga lacks the right key for the payload.
    public var isKeyMismatch: Bool { self == .encrypted || self == .undecryptable }

    /// The reason for a payload that could not be parsed as JSON.
    public init(_ error: ParseError) { self = error.code == .tooMany ? .tooMany : .notJSON }
}

/// An unusable part of a payload.
public struct Rejection: Hashable, Sendable {
    /// Index of the part in the batch, from 0.
    public var index: Int
    public var reason: QuarantineReason
    /// The part itself; nil = the whole payload.
    public var payload: [UInt8]?

    public init(index: Int, reason: QuarantineReason, payload: [UInt8]? = nil) {
        self.index = index
        self.reason = reason
        self.payload = payload
    }
}

/// Decoded content of a payload: everything usable, and the rejected parts.
public struct Reading: Hashable, Sendable {
    public var observations: [Observation]
    public var panics: [Panic]
    public var rejections: [Rejection]
    /// Identifies the policy that the phone says it applies; nil = not sent.
    public var policyMark: String?
    /// What the phone reports besides fixes.
    public var status: DeviceStatus

    public init(
        observations: [Observation] = [], panics: [Panic] = [], rejections: [Rejection] = [],
        policyMark: String? = nil, status: DeviceStatus = DeviceStatus()
    ) {
        self.policyMark = policyMark
        self.status = status
        self.observations = observations
        self.panics = panics
        self.rejections = rejections
    }

    /// Appends one message: a usable or rejected fix, and an emergency, which counts in both cases.
    ///
    /// - Parameters:
    ///   - fix: nil if the message has no fix
    ///   - time: time of the message, used for the battery state if the fix is unusable
    ///   - alarm: what raises an emergency; nil = nothing
    ///   - raised: time of the emergency
    ///   - content: digest of the message, for an emergency without a message id
    ///   - index: index of the message in its batch
    ///   - payload: the message itself
    mutating func append(
        _ fix: Result<Fix, Unusable>?, as trigger: Trigger = .periodic, battery: UInt8? = nil,
        charging: Bool? = nil, at time: Timestamp? = nil, alarm: EmergencyTrigger? = nil,
        raised: @autoclosure () -> Timestamp = .zero, messageID: String? = nil,
        content: @autoclosure () -> ID128? = nil, index: Int = 0, payload: [UInt8]? = nil
    ) {
        var usable: Fix?
        switch fix {
        case .failure(let unusable):
            rejections.append(Rejection(index: index, reason: unusable.reason, payload: payload))
            if let time { record(PhoneBattery(percent: battery, charging: charging, time: time)) }
        case .success(let fix):
            usable = fix
            observations.append(
                Observation(
                    fix: fix, trigger: alarm == nil ? trigger : .panic, battery: battery,
                    charging: charging))
        case nil: break
        }
        guard let alarm else { return }
        panics.append(
            Panic(
                alarm, messageID: messageID, content: messageID == nil ? content() : nil,
                raised: raised(), fix: usable, battery: battery))
    }

    /// Records the battery state of a message without a fix. The newest of several counts.
    mutating func record(_ battery: PhoneBattery?) {
        guard let battery, battery.time >= status.battery?.time ?? .zero else { return }
        status.battery = battery
    }

    /// A payload without content.
    public static let nothing = Reading()

    /// Rejects the whole payload.
    public static func rejected(_ reason: QuarantineReason) -> Reading {
        Reading(rejections: [Rejection(index: 0, reason: reason)])
    }
}
