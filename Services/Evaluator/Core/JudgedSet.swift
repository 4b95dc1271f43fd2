import Model

/// The active zones of a set, page by page as they come, and all of them ready to be searched.
struct JudgedSet: Sendable {
    private struct Page: Sendable {
        var zones: [PreparedZone] = []
        var unreadable = 0
    }

    private var pages: [Page?] = []
    /// Those that somebody can be absent from.
    private(set) var absent: [PreparedZone] = []
    /// All, once somebody's fix asked for them.
    private var built: JudgedZones?

    /// Zones whose geometry this program cannot read.
    private(set) var unreadable = 0

    /// Takes one page, whole.
    mutating func replace(page: Int, by placed: [PlacedZone]) {
        guard (0..<PlacedSet.pages).contains(page) else { return }
        if pages.isEmpty { pages = [Page?](repeating: nil, count: PlacedSet.pages) }
        let mine = placed.filter { PlacedSet.page(of: $0.id) == page }
        let (zones, unreadable) = PreparedZone.all(mine)
        self.unreadable += unreadable - (pages[page]?.unreadable ?? 0)
        pages[page] = mine.isEmpty ? nil : Page(zones: zones, unreadable: unreadable)
        absent.removeAll { PlacedSet.page(of: $0.zone.id) == page }
        absent += zones.filter { $0.details.absentByMinute != nil }
        built = nil
    }

    /// By id.
    func zones(ofPage page: Int) -> [PreparedZone] {
        pages.indices.contains(page) ? pages[page]?.zones ?? [] : []
    }

    /// Whether ``judged`` has all.
    var isBuilt: Bool { built != nil }

    /// Those that can be searched; none before ``build()``.
    var judged: JudgedZones { built ?? JudgedZones.none }

    mutating func build() {
        let all = pages.flatMap { $0?.zones ?? [] }
        built = JudgedZones(all.sorted { $0.zone.id < $1.zone.id })
    }

    /// Without building.
    func zone(_ id: ZoneID) -> PreparedZone? {
        zones(ofPage: PlacedSet.page(of: id)).first { $0.zone.id == id }
    }
}
