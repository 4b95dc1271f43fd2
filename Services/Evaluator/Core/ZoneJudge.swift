import Geometry
import Hashing
import Model

extension PartitionState {
    /// A fix: of the leading device and newer than the last it moves presence; else it is history.
    mutating func judge(
        _ report: Report, _ event: Event, _ rules: EvaluatorRules, into outputs: inout [Event]
    ) {
        let place = people.place(of: report.person, making: PersonState(id: report.person))
        people[place].note(report)
        if people[place].firstDevice == nil {
            people[place].firstDevice = report.device
        }
        guard people[place].leader == report.device, !report.late else { return }
        if let decided = people[place].decidedFix, decided > report.fix.time { return }
        let judge = ZoneJudge(rules: rules, report: report, time: event.time)
        judge.decide(
            &people[place], circles: circles, configurations, looking: &nearZones, into: &outputs)
    }
}

/// Decides about one fix and every zone that judges its person.
struct ZoneJudge {
    let rules: EvaluatorRules
    let report: Report
    let point: EarthPoint
    let time: Timestamp

    init(rules: EvaluatorRules, report: Report, time: Timestamp) {
        self.rules = rules
        self.report = report
        self.time = time
        point = EarthPoint(report.fix.position)
    }

    /// The person's own zones, then circle by circle, each by id.
    func decide(
        _ person: inout PersonState, circles: Slots<CircleID, JudgedZones>,
        _ configurations: UInt64, looking near: inout [NearRegion], into outputs: inout [Event]
    ) {
        let told = person.inside.count
        var met = 0
        if !person.ownZones.zones.isEmpty {
            met += decide(person.ownZones, of: nil, for: &person, looking: &near, into: &outputs)
        }
        for link in person.circles {
            guard let place = circles.place(of: link.circle) else { continue }
            met += decide(circles[place], of: link, for: &person, looking: &near, into: &outputs)
        }
        // A zone that is gone, inactive, or of a circle that was left: nothing to say about it.
        if met < told { dropForeign(&person, circles) }
        person.decidedFix = report.fix.time
        person.decidedAt = configurations
        person.leaderIsNew = false
    }

    /// Returns in how many of these zones the person was told to be.
    private func decide(
        _ zones: JudgedZones, of link: PersonState.CircleLink?, for person: inout PersonState,
        looking near: inout [NearRegion], into outputs: inout [Event]
    ) -> Int {
        var met = 0
        guard zones.find(near: point, inside: person.inside, into: &near) else {
            for place in zones.zones.indices {
                let near = NearRegion(place: Int32(place), isSurelyInside: false)
                met += decide(zones, near, of: link, for: &person, into: &outputs)
            }
            return met
        }
        for near in near {
            met += decide(zones, near, of: link, for: &person, into: &outputs)
        }
        return met
    }

    /// Returns 1 if the person was told to be inside of the zone at the place, 0 if not.
    private func decide(
        _ zones: JudgedZones, _ near: NearRegion, of link: PersonState.CircleLink?,
        for person: inout PersonState, into outputs: inout [Event]
    ) -> Int {
        let place = Int(near.place)
        let id = zones.zones[place].id
        let told = person.inside.firstIndex(of: id)
        // Far outside, and never inside: still outside, or outside for the first time. A centimetre
        // more, because distances are rounded.
        if told == nil, zones.regions.isSurelyBeyond(place, metres: 0.01, from: point) { return 0 }
        let isNew =
            person.decidedAt == 0
            || max(zones.zones[place].since, link?.since ?? 0) > person.decidedAt
        let wasTold = !isNew && told != nil
        // Inside, and surely inside still: the edge is not worth a look.
        if near.isSurelyInside, wasTold, !person.leaderIsNew { return 1 }
        let verdict = ZoneVerdict(
            distance: zones.regions.signedDistance(place, from: point),
            kind: zones.zones[place].kind,
            inradiusCentimetres: zones.regions.inradiusCentimetres(place),
            margin: rules.margin(
                hysteresisMetres: Int(zones.zones[place].hysteresisMetres),
                accuracyCentimetres: report.fix.accuracyCentimetres),
            wasInside: isNew || person.leaderIsNew ? nil : wasTold)
        if verdict.isInside, told == nil { person.inside.append(id) }
        if !verdict.isInside, let told { person.inside.remove(at: told) }
        // A first decision that finds what was told already is no news.
        if verdict.isInside != wasTold {
            let before: Presence = isNew ? .unknown : wasTold ? .inside : .outside
            outputs.append(event(verdict, from: before, zones, place, link?.circle))
        }
        return told == nil ? 0 : 1
    }

    private func dropForeign(_ person: inout PersonState, _ circles: Slots<CircleID, JudgedZones>) {
        let own = person.ownZones
        let places = person.circles.compactMap { circles.place(of: $0.circle) }
        person.inside.removeAll { zone in
            !own.contains(zone) && !places.contains { circles[$0].contains(zone) }
        }
    }

    private func event(
        _ verdict: ZoneVerdict, from before: Presence, _ zones: JudgedZones, _ place: Int,
        _ circle: CircleID?
    ) -> Event {
        let zone = zones.zones[place]
        let crossing = ZoneCrossing(
            person: report.person, device: report.device, zone: zone.id,
            zoneName: zones.details[place].name,
            zoneKind: zone.kind, circle: circle, before: before,
            after: verdict.isInside ? .inside : .outside, fix: report.fix,
            distanceCentimetres: verdict.distance.centimetres,
            marginCentimetres: verdict.margin, reason: verdict.reason, report: report.id)
        let body: EventBody =
            switch (verdict.reason, verdict.isInside) {
            case (.initial, _): .zoneInitial(crossing)
            case (_, true): .zoneEntered(crossing)
            case (_, false): .zoneExited(crossing)
            }
        let id = Hash.meaning(
            kind: body.kind, person: report.person, subject: .id(zone.id), cause: report.id.raw)
        return Event(id: id, time: time, trace: report.trace, body: body)
    }
}
