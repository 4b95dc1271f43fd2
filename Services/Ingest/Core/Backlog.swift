import Model

/// Reports too old to go with what is live. They enter `in/p` in small portions, one report a
/// device in turn, so that no phone's backlog delays another phone.
struct Backlog {
    private var waiting: [DeviceID: Fifo<WaitingRow>] = [:]
    /// Devices with something waiting, the next one first.
    private var order = Fifo<DeviceID>()
    private(set) var count = 0
    private var nextNumber: Int64 = 1

    /// - Parameter rows: what waited when the process ended, by number.
    init(_ rows: [WaitingRow]) {
        for row in rows { push(row) }
        nextNumber = (rows.last?.number ?? 0) + 1
    }

    /// Whether so many more may wait.
    func hasRoom(for more: Int) -> Bool { count + more <= Limits.waitingReports }

    mutating func add(_ report: Report, into effects: inout [Effect]) {
        let row = WaitingRow(number: nextNumber, report: report)
        nextNumber += 1
        push(row)
        effects.append(.wait(row))
    }

    /// The next in turn; nil when nothing waits.
    mutating func take(into effects: inout [Effect]) -> Report? {
        guard let device = order.popFirst(), let row = waiting[device]?.popFirst() else {
            return nil
        }
        count -= 1
        if waiting[device]?.isEmpty == true {
            waiting[device] = nil
        } else {
            order.append(device)
        }
        effects.append(.unwait(number: row.number))
        return row.report
    }

    private mutating func push(_ row: WaitingRow) {
        let device = row.report.device
        if waiting[device] == nil { order.append(device) }
        waiting[device, default: Fifo()].append(row)
        count += 1
    }
}
