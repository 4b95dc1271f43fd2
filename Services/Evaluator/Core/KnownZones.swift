import Geometry
import Model

/// The zones of circles and sets; private ones are with their persons.
struct KnownZones: Sendable {
    var circles = Slots<CircleKind, JudgedZones>()
    var sets = Slots<ZoneSetKind, JudgedSet>()

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

    /// The zones of those that can judge a person by their number: 0 = the person, then circle by
    /// circle, then set by set; nil where none are known.
    @inline(__always)
    func owner(
        _ number: UInt16, of person: borrowing PersonState
    ) -> (zones: JudgedZones, source: ZoneSource)? {
        guard number > 0 else { return (person.ownZones, .own) }
        let index = Int(number) - 1
        if index < person.circles.count {
            let circle = person.circles[index]
            return circles.place(of: circle).map { (circles[$0], .circle(circle)) }
        }
        guard index - person.circles.count < person.sets.count else { return nil }
        let set = person.sets[index - person.circles.count]
        return sets.place(of: set).map { (sets[$0].judged, .set(set)) }
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
    private enum Origin: Sendable {
        case placed(JudgedZones, Int)
        /// Of a set that is not ready to be searched.
        indirect case alone(PreparedZone)
    }

    let source: ZoneSource
    let zone: JudgedZone
    private let origin: Origin

    init(_ zones: JudgedZones, _ place: Int, of source: ZoneSource) {
        self.source = source
        zone = zones.zones[place]
        origin = .placed(zones, place)
    }

    init(_ prepared: PreparedZone, of source: ZoneSource) {
        self.source = source
        zone = prepared.zone
        origin = .alone(prepared)
    }

    var details: ZoneDetails {
        switch origin {
        case .placed(let zones, let place): zones.details[place]
        case .alone(let prepared): prepared.details
        }
    }

    /// Where a fix alone would see somebody.
    func presence(of point: EarthPoint) -> Presence {
        let distance = signedDistance(from: point)
        let verdict = ZoneVerdict(
            distance: distance, zone: zone, inradiusCentimetres: 0, margin: 0, before: nil)
        return verdict.raw
    }

    var inradiusCentimetres: Int32 {
        switch origin {
        case .placed(let zones, let place): zones.regions.inradiusCentimetres(place)
        case .alone(let prepared): prepared.region.inradiusCentimetres
        }
    }

    /// To the true edge, negative inside.
    func signedDistance(from point: EarthPoint) -> SignedDistance {
        switch origin {
        case .placed(let zones, let place): zones.regions.signedDistance(place, from: point)
        case .alone(let prepared): prepared.region.signedDistance(from: point)
        }
    }
}
