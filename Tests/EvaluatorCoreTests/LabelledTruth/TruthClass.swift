/// What makes the fixes of a track difficult.
enum TruthClass: CaseIterable {
    /// Nothing: noise of 5 m.
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
    /// The phone is switched off right after it has left the zone.
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

    /// Where a person goes next, in parts of a hundred: inside, just outside the edge; else far.
    var weights: (inside: Int, edge: Int) {
        switch self {
        case .canyon: (45, 35)
        case .train: (50, 0)
        default: (50, 10)
        }
    }

    /// One fix in so many is thrown away; 0 = none.
    var spikeEvery: Int { self == .spikeWithSpeed || self == .spikeWithoutSpeed ? 100 : 0 }
}
