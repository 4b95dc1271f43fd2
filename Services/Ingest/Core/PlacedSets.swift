import Directory
import Hashing
import Model

/// Which pages of which sets each partition has been told.
///
/// A set is placed page by page, so that an edit of one of its zones sends one page again. A
/// partition has the set once it has had all of its pages; only then a person there is judged by
/// it.
struct PlacedSets {
    private struct State {
        /// By page, then by partition.
        var placed: [Int: [Partition: ID128]] = [:]
        /// Partitions that have every page; they keep the set whatever is added to it later.
        var whole: Set<Partition> = []
        /// Digests of the pages as they are in the directory, as far as they are known.
        var current: [Int: ID128] = [:]
        /// The page with which a comparison goes on.
        var next = 0
        /// Zones that no record has room for, by page.
        var leftOut: [Int: Int] = [:]
    }

    private var states: [ZoneSetID: State] = [:]

    init(sets: [PlacedSetRow] = [], pages: [PlacedPageRow] = []) {
        for row in sets { states[row.set, default: State()].whole.insert(row.partition) }
        for row in pages {
            states[row.set, default: State()].placed[row.page, default: [:]][row.partition] =
                row.digest
        }
    }

    /// All of which some partition was told something, ascending.
    var known: [ZoneSetID] { states.keys.sorted() }

    /// Zones that no record has room for.
    var leftOut: Int {
        states.values.reduce(0) { $0 + $1.leftOut.values.reduce(0, +) }
    }

    func isWhole(_ set: ZoneSetID, in partition: Partition) -> Bool {
        states[set]?.whole.contains(partition) ?? false
    }

    /// Has every page compared, from the first on.
    mutating func begin(_ set: ZoneSetID) { states[set, default: State()].next = 0 }

    /// A zone of this page is about to change.
    mutating func forget(_ page: Int, of set: ZoneSetID) { states[set]?.current[page] = nil }

    /// Goes on comparing, until all is placed or the budget is spent.
    ///
    /// - Returns: whether every partition that needs the set has all of it.
    mutating func place(
        _ set: ZoneSetID, budget: inout Int, in context: inout PlacementContext
    ) -> Bool {
        let partitions = context.partitions(of: set)
        guard !partitions.isEmpty else { return true }
        let pages = Dictionary(grouping: context.directory.zoneIDs(of: .set(set))) {
            PlacedSet.page(of: $0)
        }
        budget -= 1
        for page in states[set, default: State()].next..<PlacedSet.pages {
            guard budget > 0 else { return false }
            let isDone = place(
                page, of: set, pages[page] ?? [], in: partitions, budget: &budget, &context)
            guard isDone else { return false }
            states[set]?.next = page + 1
        }
        for partition in partitions
        where states[set]?.whole.insert(partition).inserted ?? false {
            context.effects.append(.savePlacedSet(set, partition))
        }
        return true
    }

    /// Places one page that has changed.
    ///
    /// - Returns: whether every partition that needs the set has the page as it is now.
    mutating func place(
        _ page: Int, of set: ZoneSetID, budget: inout Int, in context: inout PlacementContext
    ) -> Bool {
        let zones = context.directory.zoneIDs(of: .set(set)).filter {
            PlacedSet.page(of: $0) == page
        }
        return place(
            page, of: set, zones, in: context.partitions(of: set), budget: &budget, &context)
    }

    private mutating func place(
        _ page: Int, of set: ZoneSetID, _ zones: [ZoneID], in partitions: [Partition],
        budget: inout Int, _ context: inout PlacementContext
    ) -> Bool {
        var state = states.removeValue(forKey: set) ?? State()
        defer { states[set] = state }
        let placed = state.placed[page] ?? [:]
        guard !zones.isEmpty || !placed.isEmpty else { return true }
        budget -= 1
        if zones.isEmpty { state.leftOut[page] = nil }
        var whole: PlacedSet?
        if state.current[page] == nil, !zones.isEmpty {
            let (record, leftOut) = context.page(page, of: set, zones)
            budget -= record.zones.count
            state.current[page] = Digest.of(record)
            state.leftOut[page] = leftOut == 0 ? nil : leftOut
            whole = record
        }
        let digest = zones.isEmpty ? nil : state.current[page]
        for partition in partitions where placed[partition] != digest {
            guard budget > 0 else { return false }
            let record = whole ?? context.page(page, of: set, zones).record
            whole = record
            budget -= 1 + record.zones.count
            state.placed[page, default: [:]][partition] = digest
            context.append(record, digest: digest, to: partition)
        }
        if state.placed[page]?.isEmpty == true { state.placed[page] = nil }
        return true
    }

    /// Takes the set back where nobody needs it any more.
    mutating func sweep(
        _ set: ZoneSetID, budget: inout Int, in context: inout PlacementContext
    ) {
        guard var state = states.removeValue(forKey: set) else { return }
        let needed = Set(context.partitions(of: set))
        let told = state.whole.union(state.placed.values.flatMap(\.keys))
        let left = told.subtracting(needed).sorted()
        budget -= left.count
        for partition in left {
            state.whole.remove(partition)
            for page in state.placed.keys { state.placed[page]?[partition] = nil }
            context.effects.append(.removePlacedSet(set, partition))
            context.append(
                .inputSetRemoved(SetRemoval(set: set)), subject: set.raw, to: partition)
        }
        state.placed = state.placed.filter { !$0.value.isEmpty }
        let isGone = context.directory.set(set) == nil && told.isSubset(of: left)
        if !isGone { states[set] = state }
    }
}

extension PlacementContext {
    /// A page of a set as evaluators need it, and how many of its zones no record has room for.
    fileprivate func page(
        _ page: Int, of set: ZoneSetID, _ zones: [ZoneID]
    ) -> (record: PlacedSet, leftOut: Int) {
        var placed = PlacedSet(set: set, page: page, zones: [])
        var bytes = 0
        for zone in zones.compactMap({ directory.zone($0) }) {
            let one = PlacedZone(zone)
            bytes += one.recordBytesMax
            if bytes <= Limits.placedPageBytesMax { placed.zones.append(one) }
        }
        return (placed, zones.count - placed.zones.count)
    }

    /// - Parameter digest: nil = the page is empty now.
    fileprivate mutating func append(
        _ page: PlacedSet, digest: ID128?, to partition: Partition
    ) {
        if let digest {
            effects.append(
                .savePlacedPage(
                    PlacedPageRow(
                        set: page.set, page: page.page, partition: partition, digest: digest)))
        } else {
            effects.append(.removePlacedPage(page.set, page: page.page, partition))
        }
        append(
            .inputSet(page), subject: Hash.id("page", .id(page.set), .number(page.page)),
            cause: digest ?? .zero, to: partition)
    }
}

extension PlacedZone {
    /// No record needs more bytes for it: numbers and names at their longest.
    var recordBytesMax: Int {
        let points = geometry.polygons.reduce(0) { sum, rings in
            rings.reduce(sum + 4) { $0 + 4 + 26 * $1.count }
        }
        var bytes = 1000 + points + 22 * geometry.coefficients.count
        bytes += 6 * (name.utf8.count + category.utf8.count + alarm.sound.utf8.count)
        bytes += 33 * messages.count + 60 * (clock?.offsets.count ?? 0)
        bytes += 40 * (schedule?.windows.count ?? 0) + 12 * (schedule?.exceptions.count ?? 0)
        return bytes
    }
}
