import Dialects
import Directory
import Hashing
import JourneysCore
import Model

/// A report in the backlog.
public struct WaitingRow: Hashable, Sendable {
    /// Increases with every row.
    public var number: Int64
    public var report: Report

    public init(number: Int64, report: Report) {
        self.number = number
        self.report = report
    }
}

/// A change of the stored reports and devices.
public enum IntakeEffect: Hashable, Sendable {
    /// Stores reports of the device with this short number that arrived together, ordered by time.
    case saveReports([Report], device: Int64)
    /// Adds values of a later message to a stored report. The row is found by the last eight bytes
    /// of its id and its time.
    case completeReport(Report, device: Int64)
    /// Stores a device that is new or belongs to another person now.
    case saveDevice(DeviceRow)
    /// Updates a device's row, possibly later: until then its reports contain the same data.
    case updateDevice(DeviceRow)
    /// Stores the primary device of a person who has chosen none.
    case savePrimaryDevice(PersonID, DeviceID)
    /// Adds a report to the backlog.
    case saveWaiting(WaitingRow)
    /// Removes a report from the backlog.
    case removeWaiting(number: Int64)
}

/// Accepts reports of devices: once each, marked if late, at once or through the backlog.
public struct Reports: Sendable {
    /// The devices that have ever reported.
    public private(set) var devices: Table<DeviceID, DeviceRow>
    /// The first device that reported for each person.
    private(set) var firstDevices: Table<PersonID, DeviceID>
    private var backlog: Backlog
    private var nextNumber: Int64

    /// - Parameter waiting: the backlog, ordered by number
    init(
        devices: [DeviceRow], firstDevices: Table<PersonID, DeviceID>, waiting: [WaitingRow]
    ) {
        self.devices = Table(devices.map { ($0.device, $0) })
        self.firstDevices = firstDevices
        backlog = Backlog(waiting)
        nextNumber = (devices.map(\.number).max() ?? 0) + 1
    }

    // MARK: Devices

    /// Devices whose row matches a condition, the highest number first.
    public func devices(where isSo: (DeviceRow) -> Bool) -> [DeviceID] {
        devices.values.lazy.filter(isSo)
            .map { (id: $0.device, number: $0.number) }
            .sorted { $0.number > $1.number }.map(\.id)
    }

    /// The device whose fixes count for a person; nil = none.
    func primaryDevice(of person: PersonID, in directory: Replica) -> DeviceID? {
        directory.primaryDevice(of: person, first: firstDevices[person])
    }

    func isPrimary(_ device: DeviceID, of person: PersonID, in directory: Replica) -> Bool {
        primaryDevice(of: person, in: directory) == device
    }

    /// The row of a person's primary device.
    func primaryRow(of person: PersonID, in directory: Replica) -> DeviceRow? {
        primaryDevice(of: person, in: directory).flatMap { devices[$0] }
    }

    /// The newest fix of the device, otherwise of the person's primary device.
    func lastFix(of person: PersonID, device: DeviceID?, in directory: Replica) -> Fix? {
        device.flatMap { devices[$0]?.newest } ?? primaryRow(of: person, in: directory)?.newest
    }

    /// The newest position of a person measured after a call for help that was received late; nil
    /// if the call is not late or there is none.
    func signOfLife(
        of person: PersonID, after raised: Timestamp, received: Timestamp, in directory: Replica
    ) -> Timestamp? {
        guard received - raised > .seconds(Limits.latePanicSeconds) else { return nil }
        let newest = directory.devices(of: person).compactMap { devices[$0.id]?.newest?.time }.max()
        return newest.flatMap { $0 > raised ? $0 : nil }
    }

    /// Records contact with a device, and adds the device if it is new. The first device of a
    /// person who has chosen none becomes the primary device, and evaluators get that before its
    /// first report.
    mutating func recordContact(
        of device: DeviceID, person: PersonID, _ distributor: inout ConfigurationDistributor,
        _ sequencer: inout Sequencer, _ turn: inout Turn<Effect>
    ) {
        recordContact(of: device, person: person, &turn)
        guard primaryDevice(of: person, in: turn.directory) == nil else { return }
        firstDevices[person] = device
        turn.emit(.intake(.savePrimaryDevice(person, device)))
        distributor.distribute(person, firstDevices: firstDevices, &sequencer, &turn)
    }

    /// Records contact with a device, and adds the device if it is new.
    mutating func recordContact(
        of device: DeviceID, person: PersonID, _ turn: inout Turn<Effect>
    ) {
        let now = turn.now
        if devices.read(device, { $0.person }) != person {
            let number = devices[device]?.number ?? nextNumber
            if number == nextNumber { nextNumber += 1 }
            let row = DeviceRow(
                device: device, person: person, number: number, partition: Partition.of(person),
                seen: now)
            devices[device] = row
            turn.emit(.intake(.saveDevice(row)))
        } else {
            devices.update(device) { $0.seen = now }
        }
    }

    /// Records the app of a known device.
    ///
    /// - Returns: whether it changed
    mutating func record(_ client: PhoneProtocol, of device: DeviceID) -> Bool {
        devices.update(device) { row in
            defer { row.client = client }
            return row.client != client
        } ?? true
    }

    /// Applies a battery level sent without a position. Positions show it, and the evaluator gets
    /// it if the device is the primary one. It describes the present, so reports of the same batch
    /// are accepted first.
    ///
    /// - Parameter repeated: the battery in a newer message of a known fix
    mutating func applyBattery(
        of batch: IncomingBatch, repeated: PhoneBattery?, _ sequencer: inout Sequencer,
        _ turn: inout Turn<Effect>
    ) {
        let (person, device) = (batch.person, batch.device)
        var newest = batch.status.battery
        if let repeated, newest.map({ $0.time < repeated.time }) ?? true { newest = repeated }
        guard let level = newest, batch.provesContact, var row = devices[device],
            row.accept(level, at: turn.now)
        else { return }
        if repeated != nil { row.batteryReported = level.time }
        update(row)
        turn.emit(.intake(.updateDevice(row)))
        guard isPrimary(device, of: person, in: turn.directory) else { return }
        let contact = Contact(
            person: person, kind: .seen, at: turn.now, battery: row.battery,
            charging: row.charging, trace: batch.trace)
        sequencer.append(
            .inputContact(contact), of: person,
            cause: Hash.id("battery", .id(batch.cause(at: turn.now))), trace: batch.trace, &turn)
    }

    // MARK: Reports

    /// Stores the new reports and appends them to `in/p`, at once or through the backlog.
    ///
    /// - Parameter received: the time of arrival; earlier than now for quarantined payloads
    mutating func accept(
        _ arrivals: [Arrival], of device: DeviceID, received: Timestamp, trace: String,
        _ journeys: inout Journeys, _ sequencer: inout Sequencer, _ turn: inout Turn<Effect>
    ) -> AcceptedReports {
        var counts = AcceptedReports()
        var seen: Set<ReportID> = []
        var live: [Report] = []
        var hasCompleted = false
        if arrivals.count > 1 {
            seen.reserveCapacity(arrivals.count)
            live.reserveCapacity(arrivals.count)
            turn.effects.reserveCapacity(turn.effects.count + arrivals.count + 8)
        }
        guard var row = devices[device] else {
            invariant(arrivals.isEmpty, "a device has a row before it reports")
            return counts
        }
        // By index, since an arrival is large and a loop over the array copies each.
        let ordered = Reports.inOrder(arrivals)
        for index in ordered.indices {
            let isRepeated = ordered.count > 1 && !seen.insert(ordered[index].id).inserted
            if isRepeated {
                let arrival = ordered[index]
                counts.duplicates += 1
                let first = live.lastIndex { $0.id == arrival.id }
                if let first, let report = live[first].completed(by: arrival.observation) {
                    live[first] = report
                    row.complete(with: arrival.observation, report, at: turn.now)
                    pass(report, isCompleted: true, to: &journeys, &turn)
                }
                continue
            }
            if ordered[index].isKnown {
                counts.duplicates += 1
                complete(
                    ordered[index], of: &row, trace: trace, counts: &counts, received: received,
                    &journeys,
                    &sequencer, &turn)
                hasCompleted = true
                continue
            }
            counts.accepted += 1
            let report = row.accept(ordered[index], trace: trace, at: received)
            let waits = Reports.isBacklog(report.fix, at: turn.now)
            if report.late { counts.late += 1 }
            if report.clockSkew { counts.skewed += 1 }
            pass(report, to: &journeys, &turn)
            guard waits else {
                live.append(report)
                continue
            }
            counts.waiting += 1
            turn.emit(.intake(.saveReports([report], device: row.number)))
            backlog.add(report, &turn)
        }
        if !live.isEmpty { turn.emit(.intake(.saveReports(live, device: row.number))) }
        Reports.sequence(live, of: &row, &sequencer, &turn)
        if counts.accepted > 0 || hasCompleted { update(row) }
        turn.emit(.intake(.updateDevice(row)))
        return counts
    }

    /// Adds values of a further message to a stored report. If its fix is still the newest of the
    /// device, the evaluator gets the completed report again.
    ///
    /// - Parameter row: the device's row; updated with the new values
    private mutating func complete(
        _ arrival: Arrival, of row: inout DeviceRow, trace: String, counts: inout AcceptedReports,
        received: Timestamp, _ journeys: inout Journeys, _ sequencer: inout Sequencer,
        _ turn: inout Turn<Effect>
    ) {
        guard let known = arrival.known else { return }
        let observation = arrival.observation
        let isNewest =
            row.newest?.time == known.fix.time && row.newest?.position == known.fix.position
        guard var report = known.completed(by: observation) else {
            if isNewest {
                counts.battery = PhoneBattery(
                    percent: observation.battery, charging: observation.charging,
                    time: observation.created ?? received)
            }
            return
        }
        report.person = row.person
        report.device = row.device
        report.trace = trace
        turn.emit(.intake(.completeReport(report, device: row.number)))
        pass(report, isCompleted: true, to: &journeys, &turn)
        if isNewest { row.complete(with: observation, report, at: turn.now) }
        guard !backlog.complete(report), isNewest, report.fix.time <= row.sequenced else { return }
        sequencer.append(
            .inputReport(report), id: DerivedID.completion(of: report), trace: trace,
            to: row.partition, &turn)
    }

    /// Sorts a batch by fix time, so that its own order makes no report late.
    private static func inOrder(_ arrivals: [Arrival]) -> [Arrival] {
        let isInOrder = arrivals.indices.dropFirst().allSatisfy {
            arrivals[$0 - 1].observation.fix.time <= arrivals[$0].observation.fix.time
        }
        return isInOrder
            ? arrivals
            : arrivals.sorted { $0.observation.fix.time < $1.observation.fix.time }
    }

    /// Passes the fix of a new or completed report of a primary device to journeys.
    private func pass(
        _ report: Report, isCompleted: Bool = false, to journeys: inout Journeys,
        _ turn: inout Turn<Effect>
    ) {
        let person = report.person
        guard journeys.isKnown(person),
            isPrimary(report.device, of: person, in: turn.directory)
        else { return }
        let input: Journeys.Input =
            isCompleted ? .completedFix(report.fix, of: person) : .fix(report.fix, of: person)
        journeys.handle(input, &turn)
    }

    /// Appends reports of one device to `in/p`. A report is marked late if a newer one of the
    /// device is already there.
    ///
    /// - Parameter row: the device's row; updated with the time of the newest report
    private static func sequence(
        _ reports: [Report], of row: inout DeviceRow, _ sequencer: inout Sequencer,
        _ turn: inout Turn<Effect>
    ) {
        for start in stride(from: 0, to: reports.count, by: Limits.reportsPerRecord) {
            let part = start..<min(start + Limits.reportsPerRecord, reports.count)
            var recorded = part == reports.indices ? reports : Array(reports[part])
            markLate(&recorded, of: &row)
            sequencer.append(
                EventBody(reports: recorded), id: DerivedID.record(of: recorded),
                trace: recorded[0].trace, to: row.partition, &turn)
        }
    }

    /// Marks the reports that are late in `in/p`: older than reports of the device that entered
    /// before.
    private static func markLate(_ reports: inout [Report], of row: inout DeviceRow) {
        for index in reports.indices {
            let time = reports[index].fix.time
            let isLate = time < row.sequenced
            // Writing copies the array.
            if reports[index].late != isLate { reports[index].late = isLate }
            row.sequenced = max(row.sequenced, time)
        }
    }

    /// Stores the row of a device.
    private mutating func update(_ row: DeviceRow) { devices[row.device] = row }

    /// Gives a fix from the future its time of arrival.
    static func corrected(_ fix: Fix, at now: Timestamp) -> (fix: Fix, clockSkew: Bool) {
        guard fix.time > now + .seconds(Limits.futureSeconds) else { return (fix, false) }
        var fix = fix
        fix.time = now
        return (fix, true)
    }

    /// Whether a fix is too old for the live lane.
    static func isBacklog(_ fix: Fix, at now: Timestamp) -> Bool {
        fix.time < now - .seconds(Limits.liveAgeSeconds)
    }

    // MARK: Backlog

    /// Reports in the backlog.
    public var waitingCount: Int { backlog.count }

    /// Whether the backlog has room for the old observations among these.
    func hasRoom(for arrivals: [Arrival], at now: Timestamp) -> Bool {
        let old = arrivals.indices.count {
            !arrivals[$0].isKnown && Reports.isBacklog(arrivals[$0].observation.fix, at: now)
        }
        return old == 0 || backlog.hasRoom(for: old)
    }

    /// Appends a turn's share of the backlog to `in/p`.
    mutating func sequenceBacklog(_ sequencer: inout Sequencer, _ turn: inout Turn<Effect>) {
        for reports in backlog.popPortions(&turn) {
            guard var row = devices[reports[0].device] else {
                fatalError("a report has a known device")
            }
            Reports.sequence(reports, of: &row, &sequencer, &turn)
            update(row)
            turn.emit(.intake(.updateDevice(row)))
        }
    }

    // MARK: Removal

    /// Devices that reported for a person, ascending.
    private func devices(of person: PersonID) -> [DeviceID] {
        devices.values.filter { $0.person == person }.map(\.device).sorted()
    }

    /// Drops the backlog of a removed person. Their devices stay known until they are erased.
    mutating func forgetBacklog(of person: PersonID, _ turn: inout Turn<Effect>) {
        for device in devices(of: person) { backlog.forget(device, &turn) }
    }

    /// Forgets an erased person and their devices.
    mutating func forget(_ person: PersonID) {
        for device in devices(of: person) { devices[device] = nil }
        firstDevices[person] = nil
    }
}
