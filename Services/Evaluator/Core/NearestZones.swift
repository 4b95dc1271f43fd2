import Geometry

/// The zones that were nearest to a place, and how far all others were: while the person moves
/// around there, nothing else has to be looked at.
struct NearestZones: Sendable {
    /// Where a zone's shape is.
    struct Shape: Sendable {
        let regions: RegionSet
        let place: Int32

        fileprivate func centimetres(from point: EarthPoint) -> Int64 {
            Int64(regions.signedDistance(Int(place), from: point).centimetres.magnitude)
        }
    }

    /// How many are kept.
    static let count = 2
    /// Distances beyond this are not relied on, centimetres.
    private static let reliable: Int64 = 30_000_000

    let point: EarthPoint
    let first: Shape
    let second: Shape?
    /// How far the nearest of all others was, centimetres; nil = farther than is looked for.
    let others: Int64?

    /// What is asked at a place, without a look at other zones; nil where one of them may matter.
    func surroundings(of place: EarthPoint, _ rules: ReportingRules) -> Surroundings? {
        var nearest = first.centimetres(from: place)
        if let second { nearest = min(nearest, second.centimetres(from: place)) }
        // Whatever the others are: it is the closest tier.
        guard nearest >= rules.standardCentimetres else {
            return Surroundings(nearest: nearest, rules)
        }
        let others = min(others ?? .max, NearestZones.reliable)
        let moved = Int64(place.straightMetres(to: point) * 100.1)
        guard nearest <= others - 2 * Surroundings.doubt(others) - moved else { return nil }
        return Surroundings(nearest: nearest, rules)
    }
}
