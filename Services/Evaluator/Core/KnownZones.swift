import Geometry
import Model

/// The zones of circles and sets; private ones are with their persons.
struct KnownZones: Sendable {
    var circles = Slots<CircleID, JudgedZones>()
    var sets = Slots<ZoneSetID, JudgedSet>()

    /// Makes the sets ready to be searched.
    mutating func build(_ wanted: [ZoneSetID]) {
        for id in wanted {
            if let place = sets.place(of: id), !sets[place].isBuilt { sets[place].build() }
        }
    }

    /// The zones of one owner; of a set those that are built.
    func zones(of source: ZoneSource, _ person: PersonState) -> JudgedZones? {
        switch source {
        case .own: person.ownZones
        case .circle(let id): circles.place(of: id).map { circles[$0] }
        case .set(let id): sets.place(of: id).map { sets[$0].judged }
        }
    }

    /// How far from a point no zone of the person has a line that anything depends on, metres.
    func clearance(at point: EarthPoint, for person: borrowing PersonState) -> Double {
        var metres = person.ownZones.regions.clearance(
            at: point, withinMetres: Clearing.metresMax)
        for circle in person.circles {
            guard let place = circles.place(of: circle) else { continue }
            metres = circles[place].regions.clearance(at: point, withinMetres: metres)
        }
        for set in person.sets {
            guard let place = sets.place(of: set) else { continue }
            metres = sets[place].judged.regions.clearance(at: point, withinMetres: metres)
        }
        return metres
    }

    /// The zone as it judges the person; nil where it does not. Own zones come first, then circle
    /// by circle, then set by set.
    ///
    /// - Parameter except: a circle whose zones are left out
    func zone(
        _ id: ZoneID, of person: PersonState, at now: Timestamp, except: CircleID? = nil
    ) -> FoundZone? {
        if let place = person.ownZones.place(of: id),
            let found = judging(person, FoundZone(person.ownZones, place, of: .own), now)
        {
            return found
        }
        for circle in person.circles where circle != except {
            guard let index = circles.place(of: circle), let place = circles[index].place(of: id)
            else { continue }
            let found = FoundZone(circles[index], place, of: .circle(circle))
            if let found = judging(person, found, now) { return found }
        }
        for set in person.sets {
            guard let index = sets.place(of: set), let prepared = sets[index].zone(id) else {
                continue
            }
            let found = FoundZone(prepared, of: .set(set))
            if let found = judging(person, found, now) { return found }
        }
        return nil
    }

    private func judging(
        _ person: PersonState, _ found: FoundZone, _ now: Timestamp
    ) -> FoundZone? {
        person.isJudged(by: found.zone, of: found.source, at: now) ? found : nil
    }

    /// Those that somebody can be absent from and that judge the person.
    func absentZones(of person: PersonState, at now: Timestamp) -> [FoundZone] {
        var found = person.ownZones.absent.map { FoundZone(person.ownZones, $0, of: .own) }
        for circle in person.circles {
            guard let index = circles.place(of: circle) else { continue }
            found += circles[index].absent.map {
                FoundZone(circles[index], $0, of: .circle(circle))
            }
        }
        for set in person.sets {
            guard let index = sets.place(of: set) else { continue }
            found += sets[index].absent.map { FoundZone($0, of: .set(set)) }
        }
        return found.filter { person.isJudged(by: $0.zone, of: $0.source, at: now) }
    }
}

/// A zone and whose it is.
struct FoundZone: Sendable {
    private enum Shape: Sendable {
        case placed(RegionSet, Int)
        case alone(Region)
    }

    let source: ZoneSource
    let zone: JudgedZone
    let details: ZoneDetails
    private let shape: Shape

    init(_ zones: JudgedZones, _ place: Int, of source: ZoneSource) {
        self.source = source
        zone = zones.zones[place]
        details = zones.details[place]
        shape = .placed(zones.regions, place)
    }

    init(_ prepared: PreparedZone, of source: ZoneSource) {
        self.source = source
        zone = prepared.zone
        details = prepared.details
        shape = .alone(prepared.region)
    }

    /// To the true edge, negative inside.
    func signedDistance(from point: EarthPoint) -> SignedDistance {
        switch shape {
        case .placed(let regions, let place): regions.signedDistance(place, from: point)
        case .alone(let region): region.signedDistance(from: point)
        }
    }
}
