import Collections
import Directory
import Hashing
import Model

/// Distributes to each partition the configuration that concerns it, and only what changed.
///
/// A circle enters `in/p` before the first of its members there and leaves it after the last; so
/// does a set of zones, page by page. The hash of each appended record is stored. The comparison of
/// everything at each start therefore appends only differences, and a distribution that a crash
/// interrupted continues by itself.
public struct ConfigurationDistributor: Sendable {
    /// An object to compare with what its partitions have.
    private enum Check: Hashable, Sendable {
        case circle(CircleID)
        case set(ZoneSetID)
        case page(Int, of: ZoneSetID)
        case person(PersonID)
        /// Remove a circle or a set from partitions that no longer need it.
        case sweep(Shared)
    }

    /// Configuration shared by the people of a partition.
    private enum Shared: Hashable {
        case circle(CircleID)
        case set(ZoneSetID)
    }

    private var circles: [CircleID: [Partition: ID128]] = [:]
    private var people: [PersonID: ID128] = [:]
    private var sets: ConfiguredSets
    private var queue = Fifo<Check>()
    private var isQueued: Set<Check> = []
    /// Number of queued sweeps: only the last one comes after everyone concerned.
    private var sweeps: [Shared: Int] = [:]

    /// Units of work left in this turn; a zone is one unit.
    private var budget = 0

    init(circles: [ConfiguredCircleRow], people: [ConfiguredPersonRow], sets: ConfiguredSets) {
        self.sets = sets
        for row in circles { self.circles[row.circle, default: [:]][row.partition] = row.digest }
        self.people = Dictionary(uniqueKeysWithValues: people.map { ($0.person, $0.digest) })
    }

    /// Whether another turn is needed at once.
    public var hasWork: Bool { !queue.isEmpty }

    /// Zones of sets that fit no record and are therefore not evaluated.
    public var leftOut: Int { sets.leftOut }

    /// Queues a comparison of everything, at start.
    mutating func enqueueAllChecks(_ directory: Replica) {
        let known = directory.sortedCircles.map(\.id)
        let gone = circles.keys.filter { directory.circle($0) == nil }.sorted()
        let knownSets = directory.sortedSets.map(\.id)
        let goneSets = sets.known.filter { directory.set($0) == nil }
        for circle in known { enqueue(.circle(circle)) }
        for set in knownSets { enqueue(.set(set)) }
        for person in directory.sortedPeople { enqueue(.person(person.id)) }
        for person in people.keys.filter({ directory.person($0) == nil }).sorted() {
            enqueue(.person(person))
        }
        for circle in known + gone { enqueue(.sweep(.circle(circle))) }
        for set in knownSets + goneSets { enqueue(.sweep(.set(set))) }
    }

    /// Queues a comparison of everything that a change concerns.
    ///
    /// - Parameter directory: the replica before the change
    mutating func enqueueChecks(_ change: EventBody, before directory: Replica) {
        switch change {
        case .personChanged(let person): enqueue(.person(person.id))
        case .personRemoved(let removal):
            let left =
                directory.circles(of: removal.person) + directory.invitations(of: removal.person)
            enqueue(.person(removal.person))
            for circle in left {
                enqueue(.sweep(.circle(circle)))
                for set in directory.circle(circle)?.sets ?? [] { enqueue(.sweep(.set(set))) }
            }
        case .deviceChanged(let device): enqueue(.person(device.person))
        case .deviceRemoved(let removal):
            if let device = directory.device(removal.device) { enqueue(.person(device.person)) }
        case .circleChanged(let circle):
            enqueueChecks(circle.id, changesTo: circle, before: directory)
        case .circleRemoved(let removal):
            enqueueChecks(removal.circle, changesTo: nil, before: directory)
        case .setChanged(let set): enqueueChecks(set: set.id, before: directory)
        case .setRemoved(let removal):
            for zone in directory.zones.ids(of: .set(removal.set)) {
                sets.forget(ConfiguredSet.page(of: zone), of: removal.set)
            }
            enqueueChecks(set: removal.set, before: directory)
        case .zoneChanged(let zone):
            if let old = directory.zone(zone.id) { enqueueChecks(zone.id, of: old.owner) }
            enqueueChecks(zone.id, of: zone.owner)
        case .zoneRemoved(let removal):
            if let old = directory.zone(removal.zone) { enqueueChecks(old.id, of: old.owner) }
        default: break
        }
    }

    private mutating func enqueueChecks(
        _ id: CircleID, changesTo circle: Circle?, before directory: Replica
    ) {
        let old = directory.circle(id)
        enqueue(.circle(id))
        for set in circle?.sets ?? [] { enqueue(.set(set)) }
        for member in (old?.members ?? []) + (circle?.members ?? []) {
            enqueue(.person(member.person))
        }
        enqueue(.sweep(.circle(id)))
        for set in Set((old?.sets ?? []) + (circle?.sets ?? [])).sorted() {
            enqueue(.sweep(.set(set)))
        }
    }

    private mutating func enqueueChecks(set: ZoneSetID, before directory: Replica) {
        enqueue(.set(set))
        for circle in directory.circles(subscribedTo: set) {
            for member in directory.circle(circle)?.members ?? [] {
                enqueue(.person(member.person))
            }
        }
        enqueue(.sweep(.set(set)))
    }

    private mutating func enqueueChecks(_ zone: ZoneID, of owner: ZoneOwner) {
        switch owner {
        case .circle(let circle): enqueue(.circle(circle))
        case .person(let person): enqueue(.person(person))
        case .set(let set):
            let page = ConfiguredSet.page(of: zone)
            sets.forget(page, of: set)
            enqueue(.page(page, of: set))
        }
    }

    /// A sweep must come after the people queued meanwhile, so it may be queued twice.
    private mutating func enqueue(_ check: Check) {
        switch check {
        case .sweep(let shared):
            sweeps[shared, default: 0] += 1
            return queue.append(check)
        case .set(let set): sets.begin(set)
        case .circle, .page, .person: break
        }
        if isQueued.insert(check).inserted { queue.append(check) }
    }

    /// Runs a turn's share of the comparisons.
    mutating func run(
        firstDevices: Table<PersonID, DeviceID>, _ sequencer: inout Sequencer,
        _ turn: inout Turn<Effect>
    ) {
        guard hasWork else { return }
        withContext(firstDevices, &sequencer, &turn) { distributor, context in
            distributor.run(&context)
        }
    }

    /// Updates one person at once.
    mutating func distribute(
        _ person: PersonID, firstDevices: Table<PersonID, DeviceID>,
        _ sequencer: inout Sequencer, _ turn: inout Turn<Effect>
    ) {
        withContext(firstDevices, &sequencer, &turn) { distributor, context in
            distributor.distribute(person, in: &context)
        }
    }

    private mutating func withContext(
        _ firstDevices: Table<PersonID, DeviceID>, _ sequencer: inout Sequencer,
        _ turn: inout Turn<Effect>,
        _ work: (inout ConfigurationDistributor, inout PartitionConfigurationContext) -> Void
    ) {
        var context = PartitionConfigurationContext(
            firstDevices: firstDevices, sequencer: sequencer,
            turn: Turn(now: turn.now, directory: turn.directory))
        work(&self, &context)
        sequencer = context.sequencer
        turn.effects += context.turn.effects
    }

    private mutating func run(_ context: inout PartitionConfigurationContext) {
        budget = Limits.configurationWorkPerTurn
        while budget > 0, let check = queue.first {
            isQueued.remove(check)
            let isDone =
                switch check {
                case .circle(let circle): distribute(circle, in: &context)
                case .set(let set): sets.distribute(set, budget: &budget, in: &context)
                case .page(let page, let set):
                    sets.distribute(page, of: set, budget: &budget, in: &context)
                case .person(let person): distribute(person, in: &context)
                case .sweep(let shared): sweep(shared, in: &context)
                }
            guard isDone else {
                isQueued.insert(check)
                return
            }
            _ = queue.popFirst()
        }
    }

    /// Updates one person, with the circles that the partition lacks. A set that it lacks is
    /// appended in its turn, and the person again after it.
    @discardableResult
    private mutating func distribute(
        _ id: PersonID, in context: inout PartitionConfigurationContext
    )
        -> Bool
    {
        let partition = Partition.of(id)
        guard var configured = context.person(id) else {
            guard people.removeValue(forKey: id) != nil else { return true }
            budget -= 1
            context.turn.emit(.configuration(.removePerson(id)))
            context.append(
                .inputPersonRemoved(PersonRemoval(person: id)), subject: id.raw, to: partition)
            return true
        }
        budget -= 1 + configured.zones.count
        let lacking = configured.sets.filter { !sets.isWhole($0, in: partition) }
        if !lacking.isEmpty {
            configured.sets.removeAll { lacking.contains($0) }
            postpone(id, after: lacking)
        }
        for circle in configured.circles where circles[circle]?[partition] == nil {
            append(context.circle(circle), to: partition, in: &context)
        }
        let digest = ConfigurationHash.of(configured)
        guard people[id] != digest else { return true }
        people[id] = digest
        context.turn.emit(
            .configuration(.savePerson(ConfiguredPersonRow(person: id, digest: digest))))
        context.append(.inputPerson(configured), subject: id.raw, cause: digest, to: partition)
        return true
    }

    private mutating func postpone(_ person: PersonID, after lacking: [ZoneSetID]) {
        for set in lacking where !isQueued.contains(.set(set)) { enqueue(.set(set)) }
        isQueued.remove(.person(person))
        enqueue(.person(person))
    }

    /// - Returns: whether every partition has the current version of the circle
    private mutating func distribute(
        _ id: CircleID, in context: inout PartitionConfigurationContext
    )
        -> Bool
    {
        guard context.directory.circle(id) != nil else { return true }
        let configured = context.circle(id)
        let digest = ConfigurationHash.of(configured)
        budget -= 1 + configured.zones.count
        for partition in context.partitions(of: id) where circles[id]?[partition] != digest {
            guard budget > 0 else { return false }
            append(configured, digest: digest, to: partition, in: &context)
        }
        return true
    }

    private mutating func sweep(_ shared: Shared, in context: inout PartitionConfigurationContext)
        -> Bool
    {
        budget -= 1
        if let later = sweeps[shared], later > 1 {
            sweeps[shared] = later - 1
            return true
        }
        sweeps[shared] = nil
        switch shared {
        case .circle(let circle): sweep(circle, in: &context)
        case .set(let set): sets.sweep(set, budget: &budget, in: &context)
        }
        return true
    }

    private mutating func sweep(_ id: CircleID, in context: inout PartitionConfigurationContext) {
        let needed = Set(context.partitions(of: id))
        let left = (circles[id] ?? [:]).keys.filter { !needed.contains($0) }.sorted()
        budget -= left.count
        for partition in left {
            circles[id]?[partition] = nil
            context.turn.emit(.configuration(.removeCircle(id, partition)))
            context.append(
                .inputCircleRemoved(CircleRemoval(circle: id)), subject: id.raw, to: partition)
        }
        if circles[id]?.isEmpty == true { circles[id] = nil }
    }

    private mutating func append(
        _ circle: ConfiguredCircle, digest: ID128? = nil, to partition: Partition,
        in context: inout PartitionConfigurationContext
    ) {
        let digest = digest ?? ConfigurationHash.of(circle)
        budget -= 1 + circle.zones.count
        circles[circle.circle, default: [:]][partition] = digest
        context.turn.emit(
            .configuration(
                .saveCircle(
                    ConfiguredCircleRow(circle: circle.circle, partition: partition, digest: digest)
                )))
        context.append(
            .inputCircle(circle), subject: circle.circle.raw, cause: digest, to: partition)
    }
}
