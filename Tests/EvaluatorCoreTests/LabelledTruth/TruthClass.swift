/// The difficulty of a track's fixes.
enum TruthClass: CaseIterable {
    /// None: noise of 5 m.
    case open
    /// Noise of 12 to 30 m that lasts for minutes, and people who stay close to the edge.
    case canyon
    /// Cell-tower fixes of 400 to 3,000 m while a person stays somewhere.
    case tower
    /// Trains of 50 to 95 m/s out of a city and back.
    case train
    /// One fix in a hundred is wrong and reports a speed.
    case spikeWithSpeed
    /// One fix in a hundred is wrong and reports no speed.
    case spikeWithoutSpeed
    /// The phone is switched off right after leaving the zone.
    case dying

    var name: String {
        switch self {
        case .open: "open sky"
        case .canyon: "urban canyon"
        case .tower: "cell towers"
        case .train: "trains"
        case .spikeWithSpeed: "spikes with speed"
        case .spikeWithoutSpeed: "spikes without speed"
        case .dying: "phones that die"
        }
    }

    /// Radii of zones, metres.
    var radii: [Double] { self == .train ? [3000, 4000, 6000] : [75, 100, 150, 250] }

    /// Where a person goes next, percent: inside, just outside the edge; the rest far away.
    var weights: (inside: Int, edge: Int) {
        switch self {
        case .canyon: (45, 35)
        case .train: (50, 0)
        default: (50, 10)
        }
    }

    /// One fix in this many is wrong; 0 = none.
    var spikeEvery: Int { self == .spikeWithSpeed || self == .spikeWithoutSpeed ? 100 : 0 }
}
