import Directory
import Hashing
import Model

/// Tracks which pages of which sets each partition has.
///
/// A set is distributed page by page, so that an edit of one zone appends one page again. A
/// partition has a set once it has all of its pages; only then are its people evaluated against it.
struct ConfiguredSets {
    private struct State {
        /// Hash by page, then by partition.
        var configured: [Int: [Partition: ID128]] = [:]
        /// Partitions that have every page; they keep the set when pages are added later.
        var whole: Set<Partition> = []
        /// Hashes of the current pages in the directory, as far as computed.
        var current: [Int: ID128] = [:]
        /// The page at which the comparison continues.
        var next = 0
        /// Zones that fit no record, by page.
        var leftOut: [Int: Int] = [:]
    }

    private var states: [ZoneSetID: State] = [:]

    init(sets: [ConfiguredSetRow] = [], pages: [ConfiguredPageRow] = []) {
        for row in sets { states[row.set, default: State()].whole.insert(row.partition) }
        for row in pages {
            states[row.set, default: State()].configured[row.page, default: [:]][row.partition] =
                row.digest
        }
    }

    /// Sets of which any partition has a record, ascending.
    var known: [ZoneSetID] { states.keys.sorted() }

    /// Zones that fit no record.
    var leftOut: Int {
        states.values.reduce(0) { $0 + $1.leftOut.values.reduce(0, +) }
    }

    func isWhole(_ set: ZoneSetID, in partition: Partition) -> Bool {
        states[set]?.whole.contains(partition) ?? false
    }

    /// Restarts the comparison at the first page.
    mutating func begin(_ set: ZoneSetID) { states[set, default: State()].next = 0 }

    /// A zone of this page is about to change.
    mutating func forget(_ page: Int, of set: ZoneSetID) { states[set]?.current[page] = nil }

    /// Continues the comparison until the set is distributed or the budget is spent.
    ///
    /// - Returns: whether every partition that needs the set has all of it
    mutating func distribute(
        _ set: ZoneSetID, budget: inout Int, in context: inout PartitionConfigurationContext
    ) -> Bool {
        let partitions = context.partitions(of: set)
        guard !partitions.isEmpty else { return true }
        let pages = Dictionary(grouping: context.directory.zones.ids(of: .set(set))) {
            ConfiguredSet.page(of: $0)
        }
        budget -= 1
        for page in states[set, default: State()].next..<ConfiguredSet.pages {
            guard budget > 0 else { return false }
            let isDone = distribute(
                page, of: set, pages[page] ?? [], in: partitions, budget: &budget, &context)
            guard isDone else { return false }
            states[set]?.next = page + 1
        }
        for partition in partitions
        where states[set]?.whole.insert(partition).inserted ?? false {
            context.turn.emit(.configuration(.saveSet(set, partition)))
        }
        return true
    }

    /// Distributes one page that changed.
    ///
    /// - Returns: whether every partition that needs the set has the current version of the page
    mutating func distribute(
        _ page: Int, of set: ZoneSetID, budget: inout Int,
        in context: inout PartitionConfigurationContext
    ) -> Bool {
        let zones = context.directory.zones.ids(of: .set(set)).filter {
            ConfiguredSet.page(of: $0) == page
        }
        return distribute(
            page, of: set, zones, in: context.partitions(of: set), budget: &budget, &context)
    }

    private mutating func distribute(
        _ page: Int, of set: ZoneSetID, _ zones: [ZoneID], in partitions: [Partition],
        budget: inout Int, _ context: inout PartitionConfigurationContext
    ) -> Bool {
        var state = states.removeValue(forKey: set) ?? State()
        defer { states[set] = state }
        let configured = state.configured[page] ?? [:]
        guard !zones.isEmpty || !configured.isEmpty else { return true }
        budget -= 1
        if zones.isEmpty { state.leftOut[page] = nil }
        var whole: ConfiguredSet?
        if state.current[page] == nil, !zones.isEmpty {
            let (record, leftOut) = context.page(page, of: set, zones)
            budget -= record.zones.count
            state.current[page] = ConfigurationHash.of(record)
            state.leftOut[page] = leftOut == 0 ? nil : leftOut
            whole = record
        }
        let digest = zones.isEmpty ? nil : state.current[page]
        for partition in partitions where configured[partition] != digest {
            guard budget > 0 else { return false }
            let record = whole ?? context.page(page, of: set, zones).record
            whole = record
            budget -= 1 + record.zones.count
            state.configured[page, default: [:]][partition] = digest
            context.append(record, digest: digest, to: partition)
        }
        if state.configured[page]?.isEmpty == true { state.configured[page] = nil }
        return true
    }

    /// Removes the set from partitions that no longer need it.
    mutating func sweep(
        _ set: ZoneSetID, budget: inout Int, in context: inout PartitionConfigurationContext
    ) {
        guard var state = states.removeValue(forKey: set) else { return }
        let needed = Set(context.partitions(of: set))
        let known = state.whole.union(state.configured.values.flatMap(\.keys))
        let left = known.subtracting(needed).sorted()
        budget -= left.count
        for partition in left {
            state.whole.remove(partition)
            for page in state.configured.keys { state.configured[page]?[partition] = nil }
            context.turn.emit(.configuration(.removeSet(set, partition)))
            context.append(
                .inputSetRemoved(SetRemoval(set: set)), subject: set.raw, to: partition)
        }
        state.configured = state.configured.filter { !$0.value.isEmpty }
        let isGone = context.directory.set(set) == nil && known.isSubset(of: left)
        if !isGone { states[set] = state }
    }
}

extension PartitionConfigurationContext {
    /// A page of a set as evaluators need it, and the number of its zones that do not fit.
    fileprivate func page(
        _ page: Int, of set: ZoneSetID, _ zones: [ZoneID]
    ) -> (record: ConfiguredSet, leftOut: Int) {
        var configured = ConfiguredSet(set: set, page: page, zones: [])
        var bytes = 0
        for zone in zones.compactMap({ directory.zone($0) }) {
            let one = ConfiguredZone(zone)
            bytes += one.recordBytesMax
            if bytes <= Limits.configuredPageBytesMax { configured.zones.append(one) }
        }
        return (configured, zones.count - configured.zones.count)
    }

    /// - Parameter digest: nil = the page is now empty
    fileprivate mutating func append(
        _ page: ConfiguredSet, digest: ID128?, to partition: Partition
    ) {
        if let digest {
            turn.emit(
                .configuration(
                    .savePage(
                        ConfiguredPageRow(
                            set: page.set, page: page.page, partition: partition, digest: digest))))
        } else {
            turn.emit(.configuration(.removePage(page.set, page: page.page, partition)))
        }
        append(
            .inputSet(page), subject: Hash.id("page", .id(page.set), .number(page.page)),
            cause: digest ?? .zero, to: partition)
    }
}

extension ConfiguredZone {
    /// Upper bound of the bytes that the zone needs in a record: numbers and names at their
    /// longest.
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
