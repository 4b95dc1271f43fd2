import Collections
import Directory
import Model

/// Reports too old for the live lane. They enter `in/p` in small portions of one device each, in
/// round-robin order, so that no phone's backlog delays another phone.
struct Backlog {
    private var waiting: [DeviceID: Fifo<WaitingRow>] = [:]
    /// Devices in the backlog, next one first.
    private var order = Fifo<DeviceID>()
    private(set) var count = 0
    private var nextNumber: Int64 = 1

    /// - Parameter rows: the stored backlog, ordered by number
    init(_ rows: [WaitingRow]) {
        for row in rows { push(row) }
        nextNumber = (rows.last?.number ?? 0) + 1
    }

    /// Whether this many more reports fit.
    func hasRoom(for more: Int) -> Bool { count + more <= Limits.backlogReportsMax }

    mutating func add(_ report: Report, _ turn: inout Turn<Effect>) {
        let row = WaitingRow(number: nextNumber, report: report)
        nextNumber += 1
        push(row)
        turn.emit(.intake(.saveWaiting(row)))
    }

    /// Replaces a waiting report by its completed version.
    ///
    /// - Returns: whether the report was waiting
    mutating func complete(_ report: Report) -> Bool {
        waiting[report.device]?.replaceLast { row in
            guard row.report.fix.time == report.fix.time, row.report.id.raw.low == report.id.raw.low
            else { return nil }
            var row = row
            let id = row.report.id
            row.report = report
            row.report.id = id
            return row
        } ?? false
    }

    /// Removes and returns this turn's share, in portions of one device each. Every waiting device
    /// gets a portion before another gets a second one.
    mutating func popPortions(_ turn: inout Turn<Effect>) -> [[Report]] {
        guard count > 0 else { return [] }
        let share = max(1, Limits.backlogReportsPerTurn / waiting.count)
        var left = Limits.backlogReportsPerTurn
        var portions: [[Report]] = []
        while left > 0, let device = order.popFirst() {
            let portion = popPortion(atMost: min(share, left), of: device, &turn)
            left -= portion.count
            portions.append(portion)
        }
        return portions
    }

    /// Drops the backlog of a device.
    mutating func forget(_ device: DeviceID, _ turn: inout Turn<Effect>) {
        guard waiting[device] != nil else { return }
        var rest = Fifo<DeviceID>()
        while let next = order.popFirst() { if next != device { rest.append(next) } }
        order = rest
        while let row = waiting[device]?.popFirst() {
            turn.emit(.intake(.removeWaiting(number: row.number)))
            count -= 1
        }
        waiting[device] = nil
    }

    private mutating func popPortion(
        atMost limit: Int, of device: DeviceID, _ turn: inout Turn<Effect>
    ) -> [Report] {
        var reports: [Report] = []
        while reports.count < limit, let row = waiting[device]?.popFirst() {
            turn.emit(.intake(.removeWaiting(number: row.number)))
            reports.append(row.report)
        }
        count -= reports.count
        if waiting[device]?.isEmpty == true {
            waiting[device] = nil
        } else {
            order.append(device)
        }
        return reports
    }

    private mutating func push(_ row: WaitingRow) {
        let device = row.report.device
        if waiting[device] == nil { order.append(device) }
        waiting[device, default: Fifo()].append(row)
        count += 1
    }
}
