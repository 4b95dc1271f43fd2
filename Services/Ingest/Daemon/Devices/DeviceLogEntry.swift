import Dialects
import IngestCore
import Model
import Parsing
import Store

/// An entry of the device log as shown: a row, or the reports of a usual request.
struct DeviceLogEntry {
    /// Stable; shared by requests that are counted together.
    var id: String
    var first: Timestamp
    var last: Timestamp
    var count: Int64 = 1
    var client: String?
    var outcome = DeviceLogOutcome.accepted.rawValue
    var reason = ""
    var status: Int64
    var counts = AcceptedReports()
    var quarantined: Int64 = 0
    /// Older payloads of the device that were deleted for lack of room.
    var dropped: Int64 = 0
    var calls: Int64 = 0
    var newest: DeviceLogFix?
    var trace: String?
    /// Resulting events, by id and kind.
    var events: [(id: String, kind: String)] = []
    /// Times of its fixes, by which events are found.
    var fixes: Set<Timestamp> = []

    init(_ row: Row) {
        id = String(row.int64(0))
        (first, last) = (row.time(1), row.time(2))
        count = row.int64(3)
        client = row.text(4)
        (outcome, reason) = (row.text(5), row.text(6))
        status = row.int64(7)
        counts.accepted = row.int(8)
        counts.duplicates = row.int(9)
        counts.late = row.int(10)
        counts.skewed = row.int(11)
        counts.waiting = row.int(12)
        quarantined = row.int64(13)
        calls = row.int64(14)
        if let call: EmergencyID = row.optionalID(15) {
            events = [(id: call.description, kind: EventKind.sosRaised.type)]
        }
        if let time = row.optionalTime(16) {
            newest = DeviceLogFix(
                time: time, accuracyCentimetres: Int32(clamping: row.int64(17)),
                trigger: Trigger(rawValue: UInt8(clamping: row.int64(18))) ?? .periodic,
                battery: row.optionalInt64(19).map { UInt8(clamping: $0) })
            fixes = [time]
        }
        trace = row.text(20)
        dropped = row.int64(21)
    }

    /// The entry of reports that arrived together in a usual request.
    init(_ reports: [StoredReport], client: PhoneProtocol?) {
        first = reports.first?.received ?? .zero
        last = first
        id = "r\(first.microseconds)"
        self.client = client?.name
        status = client == .jaga ? 202 : 200
        counts.accepted = reports.count
        fixes = Set(reports.map(\.fix.time))
        newest = reports.max { $0.fix.time < $1.fix.time }.map { report in
            DeviceLogFix(
                time: report.fix.time, accuracyCentimetres: report.fix.accuracyCentimetres,
                trigger: report.state.trigger, battery: report.state.battery)
        }
    }

    var json: JSON {
        [
            "id": .string(id), "time": .string(first.description),
            "until": .string(last.description), "count": .integer(count),
            "client": client.map { .string($0) } ?? .null, "outcome": .string(outcome),
            "reason": reason.isEmpty ? .null : .string(reason), "status": .integer(status),
            "reports": [
                "accepted": .integer(Int64(counts.accepted)),
                "duplicates": .integer(Int64(counts.duplicates)),
                "late": .integer(Int64(counts.late)), "clockSkew": .integer(Int64(counts.skewed)),
                "waiting": .integer(Int64(counts.waiting)), "quarantined": .integer(quarantined),
                "dropped": .integer(dropped),
            ],
            "calls": .integer(calls), "fix": newest.map(fixJSON) ?? .null,
            "events": .array(
                events.map { ["id": .string($0.id), "kind": .string($0.kind)] }),
            "trace": trace.map { .string($0) } ?? .null,
        ]
    }

    private func fixJSON(_ fix: DeviceLogFix) -> JSON {
        let accuracy = fix.accuracyCentimetres
        return [
            "time": .string(fix.time.description),
            "ageSeconds": .number(Double((last - fix.time).milliseconds) / 1000),
            "accuracy": accuracy > 0 ? .number(Double(accuracy) / 100) : .null,
            "trigger": .string("\(fix.trigger)"),
            "battery": fix.battery.map { .integer(Int64($0)) } ?? .null,
        ]
    }
}
