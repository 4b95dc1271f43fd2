import Dialects
import Directory
import Model

public enum QuarantineTag: IdentifierKind { public static let prefix = "qua" }
/// BLAKE2b-128 of device and payload: the same payload sent again is the same entry.
public typealias QuarantineID = Identifier<QuarantineTag>

/// A payload that could not be used.
public struct QuarantineRow: Hashable, Sendable {
    public var id: QuarantineID
    public var device: DeviceID?
    public var person: PersonID
    public var client: PhoneProtocol
    /// The request path.
    public var path: String
    public var reason: QuarantineReason
    /// Index in a batch, from 0; −1 for a whole batch with many unusable parts. For a batch of
    /// which portions were read again see ``index(of:isIncomplete:)``.
    public var index: Int
    /// The first ``Limits/quarantinePayloadBytes`` of it.
    public var payload: [UInt8]
    /// Size of the whole payload, bytes.
    public var size: Int
    public var received: Timestamp
    public var trace: String

    public init(
        id: QuarantineID, device: DeviceID?, person: PersonID, client: PhoneProtocol, path: String,
        reason: QuarantineReason, index: Int, payload: [UInt8], size: Int, received: Timestamp,
        trace: String
    ) {
        self.id = id
        self.device = device
        self.person = person
        self.client = client
        self.path = path
        self.reason = reason
        self.index = index
        self.payload = payload
        self.size = size
        self.received = received
        self.trace = trace
    }

    /// The stored index of a batch that is read again in portions.
    ///
    /// - Parameters:
    ///   - next: start of the next portion; nil = all were read
    ///   - isIncomplete: an earlier part was rejected, so the batch stays in quarantine
    public static func index(of next: Int?, isIncomplete: Bool) -> Int {
        guard let next else { return -1 }
        return isIncomplete ? -next - 1 : next
    }
}

/// A change of the quarantine.
public enum QuarantineEffect: Hashable, Sendable {
    case save(QuarantineRow)
    /// The payload could be used after all.
    case remove(QuarantineID)
    /// The payload was read again and stays in quarantine, with this reason and this index as
    /// returned by ``QuarantineRow/index(of:isIncomplete:)``; nil = unchanged.
    case recordRetry(QuarantineID, QuarantineReason?, index: Int?, at: Timestamp)
}

extension IncomingBatch {
    /// What could not be used. With many unusable parts the request is stored whole: a retry reads
    /// all parts again.
    func quarantined(at now: Timestamp) -> [QuarantineRow] {
        var rejections = rejections
        if rejections.count > Limits.quarantinePerRequest {
            rejections = [Rejection(index: -1, reason: rejections[0].reason)]
        }
        return rejections.map { rejection in
            let payload = rejection.payload ?? payload
            return QuarantineRow(
                id: DerivedID.quarantine(person: person, device: device, payload: payload),
                device: device, person: person, client: client, path: path,
                reason: rejection.reason, index: rejection.index,
                payload: Array(payload.prefix(Limits.quarantinePayloadBytes)),
                size: payload.count, received: now, trace: trace)
        }
    }
}

/// A quarantined payload that is read again.
public struct QuarantineRetry: Hashable, Sendable {
    public var request: UInt64
    public var entry: QuarantineID
    public var device: DeviceID
    public var person: PersonID
    public var client: PhoneProtocol
    /// When the payload arrived.
    public var received: Timestamp
    public var arrivals: [Arrival]
    public var panics: [Panic]
    public var rejections: [Rejection]
    public var status: DeviceStatus
    /// Nil if the whole payload is read at once.
    public var portion: Portion?
    /// Trace of the original request.
    public var trace: String

    /// A part of a list that is too long to be read at once.
    public struct Portion: Hashable, Sendable {
        /// An earlier part was rejected.
        public var isIncomplete: Bool
        /// Start of the next portion; nil = this is the last.
        public var next: Int?

        public init(isIncomplete: Bool, next: Int?) {
            self.isIncomplete = isIncomplete
            self.next = next
        }
    }

    public init(
        request: UInt64, entry: QuarantineID, device: DeviceID, person: PersonID,
        client: PhoneProtocol, received: Timestamp, arrivals: [Arrival], panics: [Panic] = [],
        rejections: [Rejection] = [], status: DeviceStatus = DeviceStatus(),
        portion: Portion? = nil,
        trace: String = ""
    ) {
        self.portion = portion
        self.request = request
        self.entry = entry
        self.device = device
        self.person = person
        self.client = client
        self.received = received
        self.arrivals = arrivals
        self.panics = panics
        self.rejections = rejections
        self.status = status
        self.trace = trace
    }
}

/// The result of reading a quarantined payload again.
public struct QuarantineRetryAnswer: Hashable, Sendable {
    public var accepted: Int
    public var duplicates: Int
    /// New calls for help; calls that arrived before do not count.
    public var calls: Int
    /// Why parts of it, or all of it, are still rejected and stay in quarantine.
    public var rejections: [Rejection]
    /// Part of it was rejected, possibly in an earlier portion.
    public var isIncomplete: Bool
    /// Start of the next unread portion.
    public var next: Int?
}

extension QuarantineRetry {
    /// Whether part of the payload was rejected, possibly in an earlier portion.
    private var isIncomplete: Bool { portion?.isIncomplete ?? false || !rejections.isEmpty }

    /// The change of the entry after this attempt.
    func effect(at now: Timestamp) -> QuarantineEffect {
        guard isIncomplete || portion?.next != nil else { return .remove(entry) }
        let reason = rejections.first?.reason ?? (isIncomplete ? nil : .tooMany)
        let index = portion.map { QuarantineRow.index(of: $0.next, isIncomplete: isIncomplete) }
        return .recordRetry(entry, reason, index: index, at: now)
    }

    func answer(_ counts: AcceptedReports, calls: Int) -> Answer {
        .quarantineRetried(
            QuarantineRetryAnswer(
                accepted: counts.accepted, duplicates: counts.duplicates, calls: calls,
                rejections: rejections, isIncomplete: isIncomplete, next: portion?.next))
    }
}
