import Model

/// The active zones of a zone set.
///
/// Pages arrive one by one. ``build()`` joins them into one searchable ``ActiveZones``.
struct ActiveSet: Sendable {
    private struct Page: Sendable {
        var zones: [PreparedZone] = []
        var unreadable = 0
    }

    private var pages: [Page?] = []
    /// Zones with an absence rule.
    private(set) var absent: [PreparedZone] = []
    /// All zones, ready to be searched; nil until ``build()``.
    private var built: ActiveZones?

    /// Number of zones whose geometry format this program cannot read.
    private(set) var unreadable = 0

    /// Replaces the zones of one page.
    mutating func replace(page: Int, with configured: [ConfiguredZone]) {
        guard (0..<ConfiguredSet.pages).contains(page) else { return }
        if pages.isEmpty { pages = [Page?](repeating: nil, count: ConfiguredSet.pages) }
        let mine = configured.filter { ConfiguredSet.page(of: $0.id) == page }
        let (zones, unreadable) = PreparedZone.all(mine)
        self.unreadable += unreadable - (pages[page]?.unreadable ?? 0)
        pages[page] = mine.isEmpty ? nil : Page(zones: zones, unreadable: unreadable)
        absent.removeAll { ConfiguredSet.page(of: $0.zone.id) == page }
        absent += zones.filter { $0.details.absentByMinute != nil }
        built = nil
    }

    /// The zones of a page, ordered by id.
    func zones(ofPage page: Int) -> [PreparedZone] {
        pages.indices.contains(page) ? pages[page]?.zones ?? [] : []
    }

    /// Whether ``activeZones`` contains all zones.
    var isBuilt: Bool { built != nil }

    /// The searchable zones; empty until ``build()``.
    var activeZones: ActiveZones { built ?? ActiveZones.none }

    mutating func build() {
        let all = pages.flatMap { $0?.zones ?? [] }
        built = ActiveZones(all.sorted { $0.zone.id < $1.zone.id })
    }

    /// Finds a zone by id; does not need ``build()``.
    func zone(_ id: ZoneID) -> PreparedZone? {
        zones(ofPage: ConfiguredSet.page(of: id)).first { $0.zone.id == id }
    }
}
