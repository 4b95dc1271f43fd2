import Model
import Parsing

/// One fix as a phone told it, before ingest knows whether it is new, late or from the future.
public struct Observation: Hashable, Sendable {
    /// `fix.time` is the phone's own word.
    public var fix: Fix
    public var trigger: Trigger
    /// Percent, 0 to 100.
    public var battery: UInt8?
    public var charging: Bool?
    /// What the client calls this message; the same again when it sends it again.
    public var messageID: String?
    /// Of the fix's altitude, metres; 0 = unknown.
    public var altitudeAccuracyMetres: UInt16
    /// When the phone built the message, which may be long after its fix; nil = it does not say.
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

/// A cry for help that came by a report: it counts even where the report's position does not.
public struct Panic: Hashable, Sendable {
    /// The same for a message sent again; nil where the client gives its messages no id.
    public var messageID: String?
    /// Digest of everything that the message says, where it has neither an id nor the time of the
    /// call: the same when it is sent again, and maybe when help is called for once more.
    public var content: ID128?
    /// When it was raised, as the phone says.
    public var raised: Timestamp
    /// The position that came along, if it can be used.
    public var fix: Fix?
    public var battery: UInt8?
    /// It is a tag alone, which comes with every message until somebody takes it away: a call where
    /// the message before had none.
    public var isTag: Bool

    public init(
        messageID: String?, content: ID128? = nil, raised: Timestamp, fix: Fix?, battery: UInt8?,
        isTag: Bool = false
    ) {
        self.isTag = isTag
        self.messageID = messageID
        self.content = content
        self.raised = raised
        self.fix = fix
        self.battery = battery
    }
}

/// Why a payload was put aside.
public enum QuarantineReason: String, Sendable, Codable, CaseIterable {
    /// The bytes are no JSON text.
    case notJSON = "not-json"
    /// JSON, but no object where one is needed.
    case notAnObject = "not-an-object"
    /// A message of this client that carries no fix, or that Jaga does not know.
    case otherType = "other-type"
    /// Encrypted by the phone; Jaga has no key.
    case encrypted
    /// Encrypted by the phone with another key than the device's, or changed on its way.
    case undecryptable
    /// A fix without latitude or longitude.
    case missingPosition = "missing-position"
    /// Latitude or longitude is no number, or beyond ±90 / ±180 degrees.
    case badPosition = "bad-position"
    /// 0° N, 0° E; from a tracker app also a latitude or longitude of exactly 0: the app has no
    /// position.
    case zeroPosition = "zero-position"
    /// A negative horizontal accuracy: Core Location's mark of an invalid position.
    case negativeAccuracy = "negative-accuracy"
    /// The time of the fix is missing where it is needed, or no time.
    case badTime = "bad-time"
    /// A picture of a person that is neither PNG nor JPEG, or too large.
    case badPicture = "bad-picture"
    /// The phone says itself that the fix is not valid, or its checksum says so.
    case invalidFix = "invalid-fix"
    /// Beyond what one message may carry: so many fixes, or ``JSON/bodyValuesMax`` values.
    case tooMany = "too-many"

    /// Whether the phone encrypts with a key that Jaga does not have.
    public var isOfKey: Bool { self == .encrypted || self == .undecryptable }

    /// Why a payload was put aside that was to be JSON.
    public init(_ error: ParseError) { self = error.code == .tooMany ? .tooMany : .notJSON }
}

/// A part of a payload that cannot be used.
public struct Rejection: Hashable, Sendable {
    /// Its place in the batch, from 0.
    public var index: Int
    public var reason: QuarantineReason
    /// The part itself; nil for the whole payload.
    public var payload: [UInt8]?

    public init(index: Int, reason: QuarantineReason, payload: [UInt8]? = nil) {
        self.index = index
        self.reason = reason
        self.payload = payload
    }
}

/// What a payload says: everything usable, and what had to be left.
public struct Reading: Hashable, Sendable {
    public var observations: [Observation]
    public var panics: [Panic]
    public var rejections: [Rejection]
    /// The policy by which the phone says it reports; nil = it says nothing.
    public var policyMark: String?
    /// What the phone tells beside fixes.
    public var news: PhoneNews

    public init(
        observations: [Observation] = [], panics: [Panic] = [], rejections: [Rejection] = [],
        policyMark: String? = nil, news: PhoneNews = PhoneNews()
    ) {
        self.policyMark = policyMark
        self.news = news
        self.observations = observations
        self.panics = panics
        self.rejections = rejections
    }

    /// Takes one message of a phone: a fix that counts or is put aside, and a cry for help that
    /// counts whatever became of the fix.
    ///
    /// - Parameters:
    ///   - fix: nil where the message carries none.
    ///   - time: of the message; the battery of a message whose fix cannot be used is as of then.
    ///   - raised: when help was called for; nil = it was not.
    ///   - content: digest of the message, for a call without a message id.
    ///   - index: place of the message in its batch, and `payload` the message itself.
    mutating func take(
        _ fix: Result<Fix, Unusable>?, as trigger: Trigger = .periodic, battery: UInt8? = nil,
        charging: Bool? = nil, at time: Timestamp? = nil, raised: Timestamp? = nil,
        messageID: String? = nil,
        content: @autoclosure () -> ID128? = nil, index: Int = 0, payload: [UInt8]? = nil
    ) {
        var usable: Fix?
        switch fix {
        case .failure(let unusable):
            rejections.append(Rejection(index: index, reason: unusable.reason, payload: payload))
            if let time { take(PhoneBattery(percent: battery, charging: charging, time: time)) }
        case .success(let fix):
            usable = fix
            observations.append(
                Observation(
                    fix: fix, trigger: raised == nil ? trigger : .panic, battery: battery,
                    charging: charging))
        case nil: break
        }
        guard let raised else { return }
        panics.append(
            Panic(
                messageID: messageID, content: messageID == nil ? content() : nil, raised: raised,
                fix: usable, battery: battery))
    }

    /// Takes what a message without a place says of the battery; of several the newest counts.
    mutating func take(_ battery: PhoneBattery?) {
        guard let battery, battery.time >= news.battery?.time ?? .zero else { return }
        news.battery = battery
    }

    /// Nothing to keep and nothing to complain of.
    public static let nothing = Reading()

    /// The whole payload is put aside.
    public static func rejected(_ reason: QuarantineReason) -> Reading {
        Reading(rejections: [Rejection(index: 0, reason: reason)])
    }
}
