import Directory
import Hashing
import Model

/// Tells each partition the configuration that concerns it, and only what is new.
///
/// A circle enters `in/p` whole before the first of its members there, and leaves it after the
/// last; so does a set of zones, page by page. What a partition has been told is stored as a
/// digest, so that a comparison of everything with everything, at each start, appends differences
/// alone: a fan-out that was cut short by a crash goes on by itself.
struct Placement {
    /// One thing to compare with what was placed.
    private enum Check: Hashable {
        case circle(CircleID)
        case set(ZoneSetID)
        case page(Int, of: ZoneSetID)
        case person(PersonID)
        /// Take a circle or a set back where nobody needs it any more.
        case sweep(Shared)
    }

    /// What a partition has for all of its people.
    private enum Shared: Hashable {
        case circle(CircleID)
        case set(ZoneSetID)
    }

    private var circles: [CircleID: [Partition: ID128]] = [:]
    private var people: [PersonID: ID128] = [:]
    private var sets: PlacedSets
    private var queue = Fifo<Check>()
    private var isQueued: Set<Check> = []
    /// How often a sweep is queued: only the last comes after everybody concerned.
    private var sweeps: [Shared: Int] = [:]

    /// Units of work left in this turn; a zone is one.
    private var budget = 0

    init(circles: [PlacedCircleRow], people: [PlacedPersonRow], sets: PlacedSets) {
        self.sets = sets
        for row in circles { self.circles[row.circle, default: [:]][row.partition] = row.digest }
        self.people = Dictionary(uniqueKeysWithValues: people.map { ($0.person, $0.digest) })
    }

    var hasWork: Bool { !queue.isEmpty }

    /// Zones of sets that no record has room for.
    var leftOut: Int { sets.leftOut }

    /// Has everything compared: at the start.
    mutating func noteEverything(_ directory: Replica) {
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

    /// Has compared what a change concerns.
    ///
    /// - Parameter directory: as it is before the change.
    mutating func note(_ change: EventBody, before directory: Replica) {
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
            note(circle.id, changesTo: circle, before: directory)
        case .circleRemoved(let removal):
            note(removal.circle, changesTo: nil, before: directory)
        case .setChanged(let set): note(set: set.id, before: directory)
        case .setRemoved(let removal):
            for zone in directory.zoneIDs(of: .set(removal.set)) {
                sets.forget(PlacedSet.page(of: zone), of: removal.set)
            }
            note(set: removal.set, before: directory)
        case .zoneChanged(let zone):
            if let old = directory.zone(zone.id) { note(zone.id, of: old.owner) }
            note(zone.id, of: zone.owner)
        case .zoneRemoved(let removal):
            if let old = directory.zone(removal.zone) { note(old.id, of: old.owner) }
        default: break
        }
    }

    private mutating func note(
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

    private mutating func note(set: ZoneSetID, before directory: Replica) {
        enqueue(.set(set))
        for circle in directory.circles(subscribedTo: set) {
            for member in directory.circle(circle)?.members ?? [] {
                enqueue(.person(member.person))
            }
        }
        enqueue(.sweep(.set(set)))
    }

    private mutating func note(_ zone: ZoneID, of owner: ZoneOwner) {
        switch owner {
        case .circle(let circle): enqueue(.circle(circle))
        case .person(let person): enqueue(.person(person))
        case .set(let set):
            let page = PlacedSet.page(of: zone)
            sets.forget(page, of: set)
            enqueue(.page(page, of: set))
        }
    }

    /// A sweep must come after the people queued meanwhile, so it may stand in the queue twice.
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

    /// Does a turn's share of the comparisons.
    mutating func run(_ context: inout PlacementContext) {
        budget = Limits.placementWorkPerTurn
        while budget > 0, let check = queue.first {
            isQueued.remove(check)
            let isDone =
                switch check {
                case .circle(let circle): place(circle, in: &context)
                case .set(let set): sets.place(set, budget: &budget, in: &context)
                case .page(let page, let set):
                    sets.place(page, of: set, budget: &budget, in: &context)
                case .person(let person): place(person, in: &context)
                case .sweep(let shared): sweep(shared, in: &context)
                }
            guard isDone else {
                isQueued.insert(check)
                return
            }
            _ = queue.popFirst()
        }
    }

    /// Places one person at once, with the circles that the partition lacks. A set that it lacks
    /// is placed in its turn, and the person again after it.
    @discardableResult
    mutating func place(_ id: PersonID, in context: inout PlacementContext) -> Bool {
        let partition = Partition.of(id)
        guard var placed = context.person(id) else {
            guard people.removeValue(forKey: id) != nil else { return true }
            budget -= 1
            context.effects.append(.removePlacedPerson(id))
            context.append(
                .inputPersonRemoved(PersonRemoval(person: id)), subject: id.raw, to: partition)
            return true
        }
        budget -= 1 + placed.zones.count
        let lacking = placed.sets.filter { !sets.isWhole($0, in: partition) }
        if !lacking.isEmpty {
            placed.sets.removeAll { lacking.contains($0) }
            postpone(id, after: lacking)
        }
        for circle in placed.circles where circles[circle]?[partition] == nil {
            append(context.circle(circle), to: partition, in: &context)
        }
        let digest = Digest.of(placed)
        guard people[id] != digest else { return true }
        people[id] = digest
        context.effects.append(.savePlacedPerson(PlacedPersonRow(person: id, digest: digest)))
        context.append(.inputPerson(placed), subject: id.raw, cause: digest, to: partition)
        return true
    }

    private mutating func postpone(_ person: PersonID, after lacking: [ZoneSetID]) {
        for set in lacking where !isQueued.contains(.set(set)) { enqueue(.set(set)) }
        isQueued.remove(.person(person))
        enqueue(.person(person))
    }

    /// - Returns: whether every partition has the circle as it is now.
    private mutating func place(_ id: CircleID, in context: inout PlacementContext) -> Bool {
        guard context.directory.circle(id) != nil else { return true }
        let placed = context.circle(id)
        let digest = Digest.of(placed)
        budget -= 1 + placed.zones.count
        for partition in context.partitions(of: id) where circles[id]?[partition] != digest {
            guard budget > 0 else { return false }
            append(placed, digest: digest, to: partition, in: &context)
        }
        return true
    }

    private mutating func sweep(_ shared: Shared, in context: inout PlacementContext) -> Bool {
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

    private mutating func sweep(_ id: CircleID, in context: inout PlacementContext) {
        let needed = Set(context.partitions(of: id))
        let left = (circles[id] ?? [:]).keys.filter { !needed.contains($0) }.sorted()
        budget -= left.count
        for partition in left {
            circles[id]?[partition] = nil
            context.effects.append(.removePlacedCircle(id, partition))
            context.append(
                .inputCircleRemoved(CircleRemoval(circle: id)), subject: id.raw, to: partition)
        }
        if circles[id]?.isEmpty == true { circles[id] = nil }
    }

    private mutating func append(
        _ circle: PlacedCircle, digest: ID128? = nil, to partition: Partition,
        in context: inout PlacementContext
    ) {
        let digest = digest ?? Digest.of(circle)
        budget -= 1 + circle.zones.count
        circles[circle.circle, default: [:]][partition] = digest
        context.effects.append(
            .savePlacedCircle(
                PlacedCircleRow(circle: circle.circle, partition: partition, digest: digest)))
        context.append(
            .inputCircle(circle), subject: circle.circle.raw, cause: digest, to: partition)
    }
}
