import Dialects
import Model

/// What became of a request of a device.
public enum DiaryOutcome: String, Hashable, Sendable, CaseIterable {
    /// Reports of it are stored.
    case taken
    /// A call for help, and no report that was not known.
    case call
    /// Everything in it was known.
    case duplicate
    /// It brought no report: news of the phone, or a sign of life.
    case nothing
    /// Nothing of it could be used.
    case quarantined
    /// It was sent away, to come again.
    case refused
    /// What had been put aside was read once more.
    case retried
}

/// What the server received from a device, and what it decided. No coordinates.
///
/// Only what the reports themselves do not tell is written: a request of which every report was new
/// and live leaves nothing but its reports. So the diary costs the usual request nothing.
public struct DiaryRow: Hashable, Sendable {
    public var device: DeviceID
    /// When it came.
    public var time: Timestamp
    public var client: ClientApp
    public var outcome: DiaryOutcome
    /// Why it was refused or put aside, or a call for help was none; empty where there is nothing
    /// to say.
    public var reason: String
    /// What it was answered, of HTTP.
    public var status: Int
    public var taken: TakenReports
    public var quarantined: Int
    /// Calls for help in it.
    public var calls: Int
    /// The first of them.
    public var call: EmergencyID?
    /// The newest of its fixes.
    public var newest: DiaryFix?
    public var trace: String

    public init(
        device: DeviceID, time: Timestamp, client: ClientApp, outcome: DiaryOutcome,
        reason: String = "", status: Int, taken: TakenReports = TakenReports(),
        quarantined: Int = 0, calls: Int = 0, call: EmergencyID? = nil, newest: DiaryFix? = nil,
        trace: String = ""
    ) {
        self.device = device
        self.time = time
        self.client = client
        self.outcome = outcome
        self.reason = reason
        self.status = status
        self.taken = taken
        self.quarantined = quarantined
        self.calls = calls
        self.call = call
        self.newest = newest
        self.trace = trace
    }
}

/// What became of the reports of one request.
public struct TakenReports: Hashable, Sendable {
    /// Stored.
    public var accepted = 0
    /// Known already.
    public var duplicates = 0
    /// Stored, and older than the newest of the device.
    public var late = 0
    /// Stored with the time of arrival, as the phone's clock was ahead.
    public var skewed = 0
    /// Stored, and waiting behind what is live.
    public var waiting = 0
    /// The battery that a newer message of a known fix tells; no part of the diary.
    var battery: PhoneBattery?

    public init() {}

    /// All of them went the usual way, and there were some.
    var isUsual: Bool { accepted > 0 && duplicates + late + skewed + waiting == 0 }
}

/// A fix without its place.
public struct DiaryFix: Hashable, Sendable {
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

extension Core {
    /// Writes down what became of a delivery, where its reports do not say so themselves.
    ///
    /// - Parameters:
    ///   - calls: ids of the calls for help in it
    ///   - knowsTag: a tag that calls for help was in it and in the message before: no further call
    mutating func note(
        _ delivery: Delivery, _ taken: TakenReports, calls: [EmergencyID], knowsTag: Bool,
        at now: Timestamp, into effects: inout [Effect]
    ) {
        let isOtherApp = intake.note(delivery.client, of: delivery.device)
        if isOtherApp, let row = intake.devices[delivery.device] {
            effects.append(.saveDevice(row))
        }
        let isUsual =
            taken.isUsual && delivery.rejections.isEmpty && calls.isEmpty && !knowsTag
        guard isOtherApp || !isUsual else { return }
        let outcome: DiaryOutcome =
            if taken.accepted > 0 {
                .taken
            } else if !calls.isEmpty {
                .call
            } else if !delivery.rejections.isEmpty {
                .quarantined
            } else {
                taken.duplicates > 0 ? .duplicate : .nothing
            }
        effects.append(
            .saveDiary(
                DiaryRow(
                    device: delivery.device, time: now, client: delivery.client,
                    outcome: outcome,
                    reason: delivery.rejections.first?.reason.rawValue
                        ?? (knowsTag ? Core.tagKnown : ""),
                    status: delivery.client == .jaga ? 202 : 200, taken: taken,
                    quarantined: delivery.rejections.count, calls: calls.count, call: calls.first,
                    newest: Core.newest(of: delivery.arrivals), trace: delivery.trace)))
    }

    /// The reason where a tag was in the message before.
    static let tagKnown = "tag-known"

    /// Without its place.
    static func newest(of arrivals: [Arrival]) -> DiaryFix? {
        arrivals.map(\.observation).max { $0.fix.time < $1.fix.time }.map { DiaryFix($0) }
    }
}
