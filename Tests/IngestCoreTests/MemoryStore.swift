import Directory
import JourneysCore
import Model

@testable import IngestCore

/// The rows that the daemon would keep in SQLite.
struct MemoryStore {
    var reports: Set<ReportID> = []
    private(set) var bodies: [ReportID: Report] = [:]
    private var firstOfFix: [FixKey: ReportID] = [:]
    private var devices: [DeviceID: DeviceRow] = [:]
    private var firstDevices = Table<PersonID, DeviceID>()
    private var waiting: [Int64: WaitingRow] = [:]
    private(set) var emergencies: [EmergencyID: EmergencyRow] = [:]
    private(set) var followed: [PersonID: FollowedRow] = [:]
    private(set) var liveViews: [PersonID: LiveViewRow] = [:]
    private var circles: [CircleID: [Partition: ID128]] = [:]
    private var people: [PersonID: ID128] = [:]
    private var sets: Set<ConfiguredSetRow> = []
    private var pages: [PageKey: ConfiguredPageRow] = [:]
    private(set) var disarmed: Set<PersonID> = []
    private(set) var alarms: [AlarmID: AlarmRow] = [:]
    private(set) var policies: [DeviceID: PolicyRow] = [:]
    private(set) var watching: [PersonID: WatchRow] = [:]
    private(set) var contactStates: [PersonID: ContactRow] = [:]
    private(set) var terms: [PersonID: ExpectationRow] = [:]
    private(set) var held: Timestamp?
    private(set) var decisions: [DecisionRow] = []
    private(set) var conditions: [DeviceID: ConditionRow] = [:]
    private var cards: [PersonID: CardHead] = [:]
    private(set) var suggestions: [SuggestionRow] = []
    private(set) var locates: [DeviceID: LocateRow] = [:]
    private(set) var tagged: [DeviceID: PersonID] = [:]
    private var journeys = Journeys.Stored()
    /// As they arrived.
    private(set) var journeyFixes: [Fix] = []
    private var partitions: Set<Partition> = []
    private var time = Timestamp.zero
    private var logic = Limits.logicVersion

    private struct FixKey: Hashable {
        var device: DeviceID
        var time: Timestamp
        var position: Coordinate
    }

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
        stored.followed = Array(followed.values)
        stored.liveViews = Array(liveViews.values)
        stored.configuredCircles = circles.flatMap { circle, placed in
            placed.map { ConfiguredCircleRow(circle: circle, partition: $0, digest: $1) }
        }
        stored.configuredPeople = people.map { ConfiguredPersonRow(person: $0, digest: $1) }
        stored.configuredSets = Array(sets)
        stored.configuredPages = Array(pages.values)
        stored.disarmed = Array(disarmed)
        stored.alarms = Array(alarms.values)
        stored.policies = Array(policies.values)
        stored.watches = Array(watching.values)
        stored.conditions = Array(conditions.values)
        stored.cards = cards
        stored.locates = Array(locates.values)
        stored.tagged = tagged
        stored.journeys = journeys
        stored.contactStates = Array(contactStates.values)
        stored.expectations = Array(terms.values)
        stored.contactLossHeldSince = held
        stored.partitions = Array(partitions)
        stored.time = time
        stored.logic = logic
        return stored
    }

    mutating func perform(_ effect: Effect) {
        switch effect {
        case .intake(let effect): perform(effect)
        case .sequencing(let effect): perform(effect)
        case .configuration(let effect): perform(effect)
        case .policy(let effect): perform(effect)
        case .contact(let effect): perform(effect)
        case .device(let effect): perform(effect)
        case .journeys(.save(let change)): perform(change)
        case .journeys(.answer): break
        case .emergency(.save(let row)): emergencies[row.id] = row
        case .emergency(.remove(let id)): emergencies[id] = nil
        case .alarm(.arm(let person, let armed)):
            if armed { disarmed.remove(person) } else { disarmed.insert(person) }
        case .alarm(.save(let row)): alarms[row.change.alarm] = row
        case .alarm(.remove(let alarm)): alarms[alarm] = nil
        case .decision(.save(let row)): decisions.append(row)
        case .decision(.removeAll(let person)): decisions.removeAll { $0.person == person }
        case .followedPosition(.follow(let row)): followed[row.person] = row
        case .followedPosition(.unfollow(let person)): followed[person] = nil
        case .followedPosition(.saveLiveView(let row)): liveViews[row.person] = row
        case .followedPosition(.removeLiveView(let person)): liveViews[person] = nil
        case .followedPosition(.open), .append, .raise, .answer, .quarantine, .access, .deviceLog,
            .removeApplied, .erase:
            break
        }
    }

    private mutating func perform(_ effect: IntakeEffect) {
        switch effect {
        case .saveReports(let all, _): for report in all { save(report) }
        case .completeReport(let report, _): save(report)
        case .saveDevice(let row), .updateDevice(let row): devices[row.device] = row
        case .savePrimaryDevice(let person, let device): firstDevices[person] = device
        case .saveWaiting(let row): waiting[row.number] = row
        case .removeWaiting(let number): waiting[number] = nil
        }
    }

    private mutating func perform(_ effect: SequencingEffect) {
        switch effect {
        case .savePartition(let partition): partitions.insert(partition)
        case .saveTime(let time): self.time = time
        case .saveLogic(let version): logic = version
        }
    }

    private mutating func perform(_ effect: ConfigurationEffect) {
        switch effect {
        case .saveCircle(let row): circles[row.circle, default: [:]][row.partition] = row.digest
        case .removeCircle(let circle, let partition): circles[circle]?[partition] = nil
        case .savePerson(let row): people[row.person] = row.digest
        case .removePerson(let person): people[person] = nil
        case .savePage(let row):
            pages[PageKey(set: row.set, page: row.page, partition: row.partition)] = row
        case .removePage(let set, let page, let partition):
            pages[PageKey(set: set, page: page, partition: partition)] = nil
        case .saveSet(let set, let partition):
            sets.insert(ConfiguredSetRow(set: set, partition: partition))
        case .removeSet(let set, let partition):
            sets.remove(ConfiguredSetRow(set: set, partition: partition))
            pages = pages.filter { $0.key.set != set || $0.key.partition != partition }
        }
    }

    private mutating func perform(_ effect: PolicyEffect) {
        switch effect {
        case .save(let row): policies[row.policy.device] = row
        case .remove(let device): policies[device] = nil
        case .saveWatch(let row): watching[row.person] = row
        case .removeWatch(let person): watching[person] = nil
        }
    }

    private mutating func perform(_ effect: ContactEffect) {
        switch effect {
        case .saveExpectation(let row): terms[row.person] = row
        case .removeExpectation(let person): terms[person] = nil
        case .save(let row): contactStates[row.person] = row
        case .remove(let person): contactStates[person] = nil
        case .saveHold(let since): held = since
        }
    }

    private mutating func save(_ report: Report) {
        reports.insert(report.id)
        bodies[report.id] = report
        let key = FixKey(
            device: report.device, time: report.fix.time, position: report.fix.position)
        if firstOfFix[key] == nil { firstOfFix[key] = report.id }
    }

    /// The report of a message or of its fix, as the daemon finds it.
    func report(_ id: ReportID, _ fix: Fix, of device: DeviceID) -> Report? {
        if let report = bodies[id] { return report }
        let key = FixKey(device: device, time: fix.time, position: fix.position)
        guard let first = firstOfFix[key] else { return nil }
        return bodies[first]
    }

    private mutating func perform(_ effect: DeviceEffect) {
        switch effect {
        case .saveCondition(let row): conditions[row.device] = row
        case .removeCondition(let device): conditions[device] = nil
        case .saveCard(let person, let card, let avatar):
            cards[person] = CardHead(name: card.name, avatar: avatar)
        case .saveSuggestion(let row): suggestions.append(row)
        case .saveLocate(let row): locates[row.device] = row
        case .removeLocate(let device): locates[device] = nil
        case .saveTagged(let device, let person): tagged[device] = person
        case .removeTagged(let device): tagged[device] = nil
        case .forgetDevice(let device):
            conditions[device] = nil
            locates[device] = nil
            tagged[device] = nil
            suggestions.removeAll { $0.device == device }
        case .forgetPerson(let person):
            conditions = conditions.filter { $0.value.person != person }
            locates = locates.filter { $0.value.person != person }
            tagged = tagged.filter { $0.value != person }
            suggestions.removeAll { $0.person == person }
            cards[person] = nil
        }
    }

    /// Only what tests of ingest need: the rest is tested with journeys.
    private mutating func perform(_ change: JourneyChange) {
        switch change {
        case .start(let span, _, let person, _):
            journeys.spans[person, default: []].append(span)
            journeys.lastNumber = span.number
        case .fix(let fix, _): journeyFixes.append(fix)
        case .complete(let fix, _):
            let index = journeyFixes.lastIndex {
                $0.time == fix.time && $0.position == fix.position
            }
            if let index { journeyFixes[index] = fix }
        case .stop, .reset, .remove, .removeAll, .moved, .sights: break
        }
    }
}
