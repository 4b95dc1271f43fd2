import IngestCore
import Model
import Parsing
import Store

/// An entry of the diary as it is shown: a row of it, or the reports of a usual request.
struct DiaryEntry {
    /// The same however often it is read; requests that are counted together share it.
    var id: String
    var first: Timestamp
    var last: Timestamp
    var count: Int64 = 1
    var client: String?
    var outcome = DiaryOutcome.taken.rawValue
    var reason = ""
    var status: Int64
    var taken = TakenReports()
    var quarantined: Int64 = 0
    /// Older payloads of the device that went for want of room.
    var dropped: Int64 = 0
    var calls: Int64 = 0
    var newest: DiaryFix?
    var trace: String?
    /// What followed, by id and kind.
    var events: [(id: String, kind: String)] = []
    /// Fixes in it, by which events are found.
    var fixes: Set<Timestamp> = []

    init(_ row: Row) {
        id = String(row.int64(0))
        (first, last) = (row.time(1), row.time(2))
        count = row.int64(3)
        client = row.text(4)
        (outcome, reason) = (row.text(5), row.text(6))
        status = row.int64(7)
        taken.accepted = row.int(8)
        taken.duplicates = row.int(9)
        taken.late = row.int(10)
        taken.skewed = row.int(11)
        taken.waiting = row.int(12)
        quarantined = row.int64(13)
        calls = row.int64(14)
        if let call: EmergencyID = row.optionalID(15) {
            events = [(id: call.description, kind: EventKind.sosRaised.type)]
        }
        if let time = row.optionalTime(16) {
            newest = DiaryFix(
                time: time, accuracyCentimetres: Int32(clamping: row.int64(17)),
                trigger: Trigger(rawValue: UInt8(clamping: row.int64(18))) ?? .periodic,
                battery: row.optionalInt64(19).map { UInt8(clamping: $0) })
            fixes = [time]
        }
        trace = row.text(20)
        dropped = row.int64(21)
    }

    /// Of reports that came at one time, and of which there is nothing else to say.
    init(_ reports: [StoredReport], client: ClientApp?) {
        first = reports.first?.received ?? .zero
        last = first
        id = "r\(first.microseconds)"
        self.client = client?.rawValue
        status = client == .jaga ? 202 : 200
        taken.accepted = reports.count
        fixes = Set(reports.map(\.fix.time))
        newest = reports.max { $0.fix.time < $1.fix.time }.map { report in
            DiaryFix(
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
                "accepted": .integer(Int64(taken.accepted)),
                "duplicates": .integer(Int64(taken.duplicates)),
                "late": .integer(Int64(taken.late)), "clockSkew": .integer(Int64(taken.skewed)),
                "waiting": .integer(Int64(taken.waiting)), "quarantined": .integer(quarantined),
                "dropped": .integer(dropped),
            ],
            "calls": .integer(calls), "fix": newest.map(fixJSON) ?? .null,
            "events": .array(
                events.map { ["id": .string($0.id), "kind": .string($0.kind)] }),
            "trace": trace.map { .string($0) } ?? .null,
        ]
    }

    private func fixJSON(_ fix: DiaryFix) -> JSON {
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
