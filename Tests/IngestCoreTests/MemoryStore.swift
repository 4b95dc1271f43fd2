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
    private(set) var disarmed: Set<PersonID> = []
    private(set) var alarms: [AlarmID: AlarmRow] = [:]
    private(set) var policies: [DeviceID: PolicyRow] = [:]
    private(set) var watching: [PersonID: WatchingRow] = [:]
    private(set) var decisions: [DecisionRow] = []
    private(set) var conditions: [DeviceID: ConditionRow] = [:]
    private var cards: [PersonID: CardHead] = [:]
    private(set) var offers: [OfferRow] = []
    private(set) var locates: [DeviceID: LocateRow] = [:]
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
        stored.disarmed = Array(disarmed)
        stored.alarms = Array(alarms.values)
        stored.policies = Array(policies.values)
        stored.watching = Array(watching.values)
        stored.conditions = Array(conditions.values)
        stored.cards = cards
        stored.locates = Array(locates.values)
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
        case .saveArming(let person, let armed):
            if armed { disarmed.remove(person) } else { disarmed.insert(person) }
        case .saveAlarm(let row): alarms[row.news.alarm] = row
        case .removeAlarm(let alarm): alarms[alarm] = nil
        case .savePolicy(let row): policies[row.policy.device] = row
        case .removePolicy(let device): policies[device] = nil
        case .saveWatching(let row): watching[row.person] = row
        case .removeWatching(let person): watching[person] = nil
        case .saveDecision(let row): decisions.append(row)
        case .removeDecisions(let person): decisions.removeAll { $0.person == person }
        case .phone(let effect): perform(effect)
        case .append, .raise, .answer, .saveQuarantine, .saveAccess, .forgetApplied: break
        }
    }

    private mutating func perform(_ effect: PhoneEffect) {
        switch effect {
        case .saveCondition(let row): conditions[row.device] = row
        case .removeCondition(let device): conditions[device] = nil
        case .saveCard(let person, let card, let face):
            cards[person] = CardHead(name: card.name, face: face)
        case .saveOffer(let row): offers.append(row)
        case .saveLocate(let row): locates[row.device] = row
        case .removeLocate(let device): locates[device] = nil
        case .forgetDevice(let device):
            conditions[device] = nil
            locates[device] = nil
            offers.removeAll { $0.device == device }
        case .forgetPerson(let person):
            conditions = conditions.filter { $0.value.person != person }
            locates = locates.filter { $0.value.person != person }
            offers.removeAll { $0.person == person }
            cards[person] = nil
        }
    }
}
