import Model

@testable import IngestCore

/// The rows that the daemon would keep in SQLite.
struct MemoryStore {
    var reports: Set<ReportID> = []
    private var devices: [DeviceID: DeviceRow] = [:]
    private var firstDevices: [PersonID: DeviceID] = [:]
    private var waiting: [Int64: WaitingRow] = [:]
    private(set) var emergencies: [EmergencyID: EmergencyRow] = [:]
    private var circles: [CircleID: [Partition: ID128]] = [:]
    private var people: [PersonID: ID128] = [:]
    private var sets: Set<PlacedSetRow> = []
    private var pages: [PageKey: PlacedPageRow] = [:]
    private var partitions: Set<Partition> = []
    private var time = Timestamp.zero
    private var logic = Limits.logicVersion

    private struct PageKey: Hashable {
        var set: ZoneSetID
        var page: Int
        var partition: Partition
    }

    /// What a core starts from.
    var stored: Core.Stored {
        var stored = Core.Stored()
        stored.devices = Array(devices.values)
        stored.firstDevices = firstDevices
        stored.waiting = waiting.values.sorted { $0.number < $1.number }
        stored.emergencies = Array(emergencies.values)
        stored.placedCircles = circles.flatMap { circle, placed in
            placed.map { PlacedCircleRow(circle: circle, partition: $0, digest: $1) }
        }
        stored.placedPeople = people.map { PlacedPersonRow(person: $0, digest: $1) }
        stored.placedSets = Array(sets)
        stored.placedPages = Array(pages.values)
        stored.partitions = Array(partitions)
        stored.time = time
        stored.logic = logic
        return stored
    }

    mutating func perform(_ effect: Effect) {
        switch effect {
        case .saveReport(let report, _): reports.insert(report.id)
        case .saveDevice(let row): devices[row.device] = row
        case .saveLeader(let person, let device): firstDevices[person] = device
        case .wait(let row): waiting[row.number] = row
        case .unwait(let number): waiting[number] = nil
        case .savePartition(let partition): partitions.insert(partition)
        case .saveTime(let time): self.time = time
        case .saveLogic(let version): logic = version
        case .savePlacedCircle(let row):
            circles[row.circle, default: [:]][row.partition] = row.digest
        case .removePlacedCircle(let circle, let partition): circles[circle]?[partition] = nil
        case .savePlacedPerson(let row): people[row.person] = row.digest
        case .removePlacedPerson(let person): people[person] = nil
        case .savePlacedPage(let row):
            pages[PageKey(set: row.set, page: row.page, partition: row.partition)] = row
        case .removePlacedPage(let set, let page, let partition):
            pages[PageKey(set: set, page: page, partition: partition)] = nil
        case .savePlacedSet(let set, let partition):
            sets.insert(PlacedSetRow(set: set, partition: partition))
        case .removePlacedSet(let set, let partition):
            sets.remove(PlacedSetRow(set: set, partition: partition))
            pages = pages.filter { $0.key.set != set || $0.key.partition != partition }
        case .saveEmergency(let row): emergencies[row.id] = row
        case .removeEmergency(let id): emergencies[id] = nil
        case .append, .raise, .answer, .saveQuarantine, .saveAccess, .forgetApplied: break
        }
    }
}
