import Dialects
import Model

/// The outcome of a request of a device.
public enum DeviceLogOutcome: String, Hashable, Sendable, CaseIterable {
    /// At least one report was stored.
    case accepted
    /// A call for help without new reports.
    case call
    /// Everything in it was known.
    case duplicate
    /// It contained no report: device status or a sign of life.
    case nothing
    /// Nothing in it could be used.
    case quarantined
    /// It was rejected, to be retried.
    case rejected
    /// A quarantined payload was read again.
    case retried
}

/// A request that the server received from a device, and its outcome. Contains no coordinates.
///
/// A row is written only if the stored reports do not tell the same: a request in which every
/// report is new and live has no row, so the device log costs a usual request nothing.
public struct DeviceLogRow: Hashable, Sendable {
    public var device: DeviceID
    /// When the request arrived.
    public var time: Timestamp
    public var client: PhoneProtocol
    public var outcome: DeviceLogOutcome
    /// Why the request was rejected or quarantined, or a tag was not a new call; otherwise empty.
    public var reason: String
    /// HTTP status of the response.
    public var status: Int
    public var counts: AcceptedReports
    public var quarantined: Int
    /// Calls for help in the request.
    public var calls: Int
    /// The first of them.
    public var call: EmergencyID?
    /// The newest fix of the request.
    public var newest: DeviceLogFix?
    public var trace: String

    public init(
        device: DeviceID, time: Timestamp, client: PhoneProtocol, outcome: DeviceLogOutcome,
        reason: String = "", status: Int, counts: AcceptedReports = AcceptedReports(),
        quarantined: Int = 0, calls: Int = 0, call: EmergencyID? = nil, newest: DeviceLogFix? = nil,
        trace: String = ""
    ) {
        self.device = device
        self.time = time
        self.client = client
        self.outcome = outcome
        self.reason = reason
        self.status = status
        self.counts = counts
        self.quarantined = quarantined
        self.calls = calls
        self.call = call
        self.newest = newest
        self.trace = trace
    }
}

/// Counts of the reports of one request.
public struct AcceptedReports: Hashable, Sendable {
    /// Stored.
    public var accepted = 0
    /// Already known.
    public var duplicates = 0
    /// Stored and older than the newest fix of the device.
    public var late = 0
    /// Stored with the time of arrival, because the phone's clock was ahead.
    public var skewed = 0
    /// Stored and added to the backlog.
    public var waiting = 0
    /// The battery level in a newer message of a known fix; not part of the device log.
    var battery: PhoneBattery?

    public init() {}

    /// Whether there were reports, and all were new and live.
    var isUsual: Bool { accepted > 0 && duplicates + late + skewed + waiting == 0 }
}

/// A fix without its position.
public struct DeviceLogFix: Hashable, Sendable {
    public var time: Timestamp
    /// 0 = unknown.
    public var accuracyCentimetres: Int32
    public var trigger: Trigger
    /// Percent.
    public var battery: UInt8?

    public init(
        time: Timestamp, accuracyCentimetres: Int32, trigger: Trigger, battery: UInt8?
    ) {
        self.time = time
        self.accuracyCentimetres = accuracyCentimetres
        self.trigger = trigger
        self.battery = battery
    }

    init(_ observation: Observation) {
        self.init(
            time: observation.fix.time, accuracyCentimetres: observation.fix.accuracyCentimetres,
            trigger: observation.trigger, battery: observation.battery)
    }
}

extension DeviceLogRow {
    /// The logged reason if the tag was in the message before.
    private static let tagKnown = "tag-known"

    /// The row of a batch; nil if its reports tell the same.
    ///
    /// - Parameters:
    ///   - calls: ids of the calls for help in it
    ///   - knowsTag: the batch repeats the tag of the message before, which is no new call
    ///   - isOtherApp: another app than before sent it
    init?(
        _ batch: IncomingBatch, _ counts: AcceptedReports, calls: [EmergencyID], knowsTag: Bool,
        isOtherApp: Bool, at now: Timestamp
    ) {
        let isUsual = counts.isUsual && batch.rejections.isEmpty && calls.isEmpty && !knowsTag
        guard isOtherApp || !isUsual else { return nil }
        let outcome: DeviceLogOutcome =
            if counts.accepted > 0 {
                .accepted
            } else if !calls.isEmpty {
                .call
            } else if !batch.rejections.isEmpty {
                .quarantined
            } else {
                counts.duplicates > 0 ? .duplicate : .nothing
            }
        let tagKnown = knowsTag ? DeviceLogRow.tagKnown : ""
        self.init(
            device: batch.device, time: now, client: batch.client, outcome: outcome,
            reason: batch.rejections.first?.reason.rawValue ?? tagKnown,
            status: batch.client == .jaga ? 202 : 200, counts: counts,
            quarantined: batch.rejections.count, calls: calls.count, call: calls.first,
            newest: DeviceLogFix(newestOf: batch.arrivals), trace: batch.trace)
    }

    /// The row of a batch that was rejected because the backlog is full.
    init(rejected batch: IncomingBatch, at now: Timestamp) {
        self.init(
            device: batch.device, time: now, client: batch.client, outcome: .rejected,
            reason: "overload", status: 503, newest: DeviceLogFix(newestOf: batch.arrivals),
            trace: batch.trace)
    }

    /// The row of a quarantined payload that was read again.
    init(
        _ retry: QuarantineRetry, _ counts: AcceptedReports, calls: [EmergencyID],
        at now: Timestamp
    ) {
        let tagKnown = calls.count < retry.panics.count ? DeviceLogRow.tagKnown : ""
        self.init(
            device: retry.device, time: now, client: retry.client, outcome: .retried,
            reason: retry.rejections.first?.reason.rawValue ?? tagKnown, status: 200,
            counts: counts, quarantined: retry.rejections.count, calls: calls.count,
            call: calls.first, newest: DeviceLogFix(newestOf: retry.arrivals), trace: retry.trace)
    }

    /// The row of a call for help made by the API.
    init(
        _ request: EmergencyRequest, from device: DeviceID, _ counts: AcceptedReports,
        call: EmergencyID, at now: Timestamp
    ) {
        self.init(
            device: device, time: now, client: .jaga,
            outcome: counts.accepted > 0 ? .accepted : .call, status: 202, counts: counts,
            calls: 1, call: call,
            newest: DeviceLogFix(newestOf: request.arrival.map { [$0] } ?? []),
            trace: request.trace)
    }
}

extension DeviceLogFix {
    /// The newest fix; nil if there is none.
    fileprivate init?(newestOf arrivals: [Arrival]) {
        let newest = arrivals.map(\.observation).max { $0.fix.time < $1.fix.time }
        guard let newest else { return nil }
        self.init(newest)
    }
}
