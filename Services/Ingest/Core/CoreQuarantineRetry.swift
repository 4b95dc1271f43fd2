import Dialects
import Directory
import Model

/// A quarantined payload that is read again.
public struct QuarantineRetry: Hashable, Sendable {
    public var request: UInt64
    public var entry: QuarantineID
    public var device: DeviceID
    public var person: PersonID
    public var client: ClientApp
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
        client: ClientApp, received: Timestamp, arrivals: [Arrival], panics: [Panic] = [],
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

extension Core {
    /// Accepts a quarantined payload as of its time of arrival: with the times of then and the same
    /// duplicate rules. It does not count as contact and requests nothing.
    mutating func accept(
        _ retry: QuarantineRetry, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        guard !retry.panics.isEmpty || hasRoom(for: retry.arrivals, at: now) else {
            effects.append(.answer(request: retry.request, .overloaded))
            return
        }
        if intake.devices[retry.device]?.person != retry.person {
            recordContact(
                of: retry.device, person: retry.person, in: directory, at: now, into: &effects)
        }
        var status = retry.status
        // Past impairments say nothing about the present.
        status.impairments = nil
        _ = devices.apply(
            status, from: retry.device, of: retry.person, at: now, into: &effects)
        var calls: [EmergencyID] = []
        let isTagged = devices.isTagged(retry.device)
        for panic in retry.panics where !(panic.isTag && isTagged) {
            calls.append(
                raise(
                    panic, from: retry.device, of: retry.person,
                    received: retry.received, trace: retry.trace, in: directory, at: now,
                    into: &effects))
        }
        let counts = acceptReports(
            retry.arrivals, of: retry.device, received: retry.received,
            trace: retry.trace, in: directory, at: now, into: &effects)
        let isIncomplete = retry.portion?.isIncomplete ?? false || !retry.rejections.isEmpty
        let next = retry.portion?.next
        if isIncomplete || next != nil {
            let reason = retry.rejections.first?.reason ?? (isIncomplete ? nil : .tooMany)
            let index = retry.portion.map { portion in
                QuarantineRow.index(of: portion.next, isIncomplete: isIncomplete)
            }
            effects.append(.recordRetry(retry.entry, reason, index: index, at: now))
        } else {
            effects.append(.removeQuarantine(retry.entry))
        }
        effects.append(
            .saveDeviceLog(
                DeviceLogRow(
                    device: retry.device, time: now, client: retry.client,
                    outcome: .retried,
                    reason: retry.rejections.first?.reason.rawValue
                        ?? (calls.count < retry.panics.count ? Core.tagKnown : ""),
                    status: 200, counts: counts, quarantined: retry.rejections.count,
                    calls: calls.count, call: calls.first,
                    newest: Core.newest(of: retry.arrivals), trace: retry.trace)))
        effects.append(
            .answer(
                request: retry.request,
                .quarantineRetried(
                    QuarantineRetryAnswer(
                        accepted: counts.accepted, duplicates: counts.duplicates,
                        calls: calls.count, rejections: retry.rejections,
                        isIncomplete: isIncomplete, next: next))))
    }
}
