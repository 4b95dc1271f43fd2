import Model
import Parsing

/// A protocol in which phones report: one value of ``all`` each.
///
/// All that varies between protocols stands in its value, beside the reader: paths, detection,
/// reading, answers and set-up of apps. A value's comment says what its apps do on errors.
public final class PhoneProtocol: Sendable {
    /// A path that users or apps type.
    public struct Path: Hashable, Sendable {
        public var path: String
        /// HTTP methods.
        public var methods: [String]
        /// Whether the device's token may follow as the last part of the path.
        public var takesToken: Bool

        init(_ path: String, _ methods: [String] = ["POST"], takesToken: Bool = false) {
            self.path = path
            self.methods = methods
            self.takesToken = takesToken
        }

        /// The path, and the path with `{token}` if it takes one.
        public var patterns: [String] { takesToken ? [path, path + "/{token}"] : [path] }
    }

    /// When the reporting policy is part of an answer.
    public enum PolicyAnswer: Sendable { case never, withReports, always }

    /// How a stored part of a rejected batch becomes a message again.
    struct Part: Sendable {
        let start: String
        let end: String
        /// Whether a payload that was read like this is a part.
        let isPart: @Sendable (Reading) -> Bool
    }

    /// Stored with devices and quarantined payloads, and shown in the device log.
    public let name: String
    public let paths: [Path]
    /// Maximum body size in bytes; nil = the service's default.
    public let bodyBytesMax: Int?
    /// Whether values may be in the query, which then belongs to the payload.
    public let readsQuery: Bool
    /// The OwnTracks app, if it is its protocol.
    public let ownTracks: OwnTracks.App?
    /// Whether answers contain positions of friends.
    public let answersFriends: Bool
    public let answersPolicy: PolicyAnswer
    /// Whether the app's next batch proves that it received the answer to the one before.
    public let provesResponseReceived: Bool
    /// Apps that a phone can be set up with.
    public let apps: [PhoneSetup.App]
    private let isMessage: (@Sendable (JSONView) -> Bool)?
    private let part: Part?
    private let reader: @Sendable (PhonePayload, PhonePayload.Context) -> Reading
    private let answerer: (@Sendable (PhoneAnswer) -> [UInt8])?

    init(
        _ name: String, paths: [Path] = [], bodyBytesMax: Int? = nil, readsQuery: Bool = false,
        ownTracks: OwnTracks.App? = nil, answersFriends: Bool = false,
        answersPolicy: PolicyAnswer = .never, provesResponseReceived: Bool = false,
        apps: [PhoneSetup.App] = [], part: Part? = nil,
        isMessage: (@Sendable (JSONView) -> Bool)? = nil,
        answer: (@Sendable (PhoneAnswer) -> [UInt8])? = nil,
        read: @escaping @Sendable (PhonePayload, PhonePayload.Context) -> Reading
    ) {
        self.name = name
        self.paths = paths
        self.bodyBytesMax = bodyBytesMax
        self.readsQuery = readsQuery
        self.ownTracks = ownTracks
        self.answersFriends = answersFriends
        self.answersPolicy = answersPolicy
        self.provesResponseReceived = provesResponseReceived
        self.apps = apps
        self.part = part
        self.isMessage = isMessage
        answerer = answer
        reader = read
    }

    /// Every protocol. OwnTracks has one value for each app, because apps accept different answers.
    public static let all: [PhoneProtocol] = [
        .ownTracks, .ownTracksAndroid, .ownTracksIOS, .overlandAsOwnTracks, .overland, .osmAnd,
        .gpsLogger, .openGTS, .jaga,
    ]

    /// The protocol with a name; nil if there is none.
    public static func named(_ name: String) -> PhoneProtocol? { all.first { $0.name == name } }

    /// Maximum body size of a batch, bytes.
    public static let batchBodyBytesMax = 8 << 20
    /// Maximum body size if photos are part of messages in base64, as on iOS, bytes. The app
    /// deletes a rejected message.
    public static let photoBodyBytesMax = 24 << 20

    /// Whether messages of this protocol can be recognised by their content.
    public var isRecognisable: Bool { isMessage != nil }

    /// The protocol of a message by its content; nil if the content does not identify one.
    ///
    /// Users type the app's address and can mix it up. In the wrong protocol, the message's time
    /// and its emergencies would be lost.
    public static func recognised(in body: [UInt8]) -> PhoneProtocol? {
        guard TraccarJSON.isJSON(body) else { return nil }
        let found = try? JSONView.read(body, valuesMax: JSON.bodyValuesMax) { json in
            all.first { $0.isMessage?(json) ?? false }
        }
        return found ?? nil
    }

    /// The protocol with the variant of the app that sent a request.
    public func variant(userAgent: String?) -> PhoneProtocol {
        ownTracks == nil ? self : .ownTracks(OwnTracks.App(userAgent: userAgent ?? ""))
    }

    /// Reads a payload. Unusable parts are rejected one by one.
    public func read(_ payload: PhonePayload, _ context: PhonePayload.Context) -> Reading {
        reader(payload, context)
    }

    /// Reads a stored payload: a whole one, or a part of a batch.
    public func readAgain(_ stored: [UInt8], _ context: PhonePayload.Context) -> Reading {
        let reading = reader(PhonePayload(kept: stored, by: self), context)
        guard let part, part.isPart(reading) else { return reading }
        var whole = context
        whole.first = 0
        whole.key = nil
        return reader(
            PhonePayload(body: Array(part.start.utf8) + stored + Array(part.end.utf8)), whole)
    }

    /// The body of a successful answer; nil = empty.
    public func answer(_ answer: PhoneAnswer) -> [UInt8]? { answerer?(answer) }
}

extension PhoneProtocol: Hashable {
    public static func == (left: PhoneProtocol, right: PhoneProtocol) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// What an answer tells a phone, as far as its protocol can.
public struct PhoneAnswer: Sendable {
    /// New reporting policy; nil = unchanged.
    public var policy: ReportingPolicy?
    /// Friends, alarms and commands; nil = the payload was not accepted.
    public var content: OwnTracks.AnswerContent?

    public init(policy: ReportingPolicy? = nil, content: OwnTracks.AnswerContent? = nil) {
        self.policy = policy
        self.content = content
    }
}
