import Dialects
import Directory
import Model

/// What one person may see of the others' last positions.
struct Positions {
    let directory: Replica
    let intake: Intake
    let emergencies: Emergencies
    let phones: Phones
    let silences: Silences

    /// The members of all circles of a person who share with them, and the person first.
    ///
    /// - Returns: friends for the phone's map, and whose coordinates are among them.
    func friends(of viewer: PersonID, principal: Principal, at now: Timestamp)
        -> (friends: [OwnTracks.Friend], shown: [PersonID])
    {
        var trackers = TrackerIDs()
        var friends: [OwnTracks.Friend] = []
        var shown: [PersonID] = []
        var met: Set<PersonID> = [viewer]
        let circles = directory.circles(of: viewer)
        let own = circles.first.flatMap { directory.circle($0)?.member(viewer)?.trackerID }
        friends.append(friend(viewer, preferred: own, showsPlace: true, &trackers))
        for id in circles {
            let query = directory.query(principal, .readPosition, on: .circle(id), at: now)
            for member in directory.circle(id)?.members ?? []
            where member.joined != nil && member.person != viewer {
                let may = visibility(of: member, to: principal, asking: query, at: now)
                guard may.isShared, met.insert(member.person).inserted else { continue }
                let friend = friend(
                    member.person, preferred: member.trackerID, showsPlace: may.showsPlace,
                    &trackers)
                if friend.fix != nil { shown.append(member.person) }
                friends.append(friend)
            }
        }
        return (friends, shown)
    }

    /// All who have joined a circle, in the circle's order.
    func members(of circle: Circle, for principal: Principal, at now: Timestamp)
        -> [MemberPosition]
    {
        let query = directory.query(principal, .readPosition, on: .circle(circle.id), at: now)
        return circle.members.filter { $0.joined != nil }.map { member in
            let may = visibility(of: member, to: principal, asking: query, at: now)
            return position(of: member, may, at: now)
        }
    }

    /// How much of a member a viewer may see.
    private struct Visibility {
        var isShared: Bool
        var showsPlace: Bool
    }

    /// - Parameter query: what the viewer is in the circle; the same for all of its members.
    private func visibility(
        of member: Membership, to principal: Principal, asking query: RightsQuery,
        at now: Timestamp
    ) -> Visibility {
        if let viewer = principal.person,
            emergencies.showsPosition(of: member.person, to: viewer, in: directory)
        {
            return Visibility(isShared: true, showsPlace: true)
        }
        var query = query
        query.resource.isOwn = principal.person == member.person
        query.resource.isSharing = member.sharing.isOn(at: now)
        let isAllowed = Rights.decide(query).isAllowed
        return Visibility(
            isShared: isAllowed,
            showsPlace: isAllowed && (member.precision == .exact || query.resource.isOwn))
    }

    /// Why somebody may not ask a person's phone where it is; nil = they may.
    func denialOfLocating(_ person: PersonID, by principal: Principal, at now: Timestamp)
        -> Denial?
    {
        if let viewer = principal.person {
            if viewer == person { return nil }
            if emergencies.showsPosition(of: person, to: viewer, in: directory) { return nil }
        }
        var denial = Denial.notAMember
        for circle in directory.circles(of: person) {
            let target = RightsTarget.member(person, in: circle)
            guard
                let why = directory.decide(principal, .locate, on: target, at: now).denial
            else { return nil }
            if why != .notAMember { denial = why }
        }
        return denial
    }

    /// The row of the device whose fixes count for a person.
    func lead(of person: PersonID) -> DeviceRow? {
        directory.leadingDevice(of: person, first: intake.firstDevices[person])
            .flatMap { intake.devices[$0] }
    }

    private func friend(
        _ person: PersonID, preferred: String?, showsPlace: Bool, _ trackers: inout TrackerIDs
    ) -> OwnTracks.Friend {
        let name = directory.person(person)?.name ?? ""
        let row = showsPlace ? lead(of: person) : nil
        return OwnTracks.Friend(
            person: person,
            trackerID: trackers.take(preferred ?? TrackerIDs.initials(of: name), for: person),
            name: name, fix: row?.newest, battery: row?.battery,
            altitudeAccuracyMetres: row?.altitudeAccuracyMetres ?? 0)
    }

    private func position(of member: Membership, _ may: Visibility, at now: Timestamp)
        -> MemberPosition
    {
        var shown = MemberPosition(
            person: member.person, name: directory.person(member.person)?.name ?? "",
            state: .hidden, precision: member.precision)
        guard may.isShared else {
            if case .pausedUntil(let end) = member.sharing, end > now {
                shown.state = .paused
                shown.pausedUntil = end
            }
            return shown
        }
        let row = lead(of: member.person)
        let condition = row.flatMap { phones.condition(of: $0.device) }
        shown.hindrances = condition?.hindrances ?? []
        let isBlind = condition?.isBlind ?? false
        shown.battery = row?.battery
        shown.charging = row?.charging
        guard let row, let fix = row.newest else {
            shown.state = isBlind ? .blind : .unknown
            return shown
        }
        let age = max(0, (now - fix.time).microseconds / 1_000_000)
        shown.state = isBlind ? .blind : age <= Limits.freshSeconds ? .fresh : .old
        shown.ageSeconds = age
        if let silence = silences.rows[member.person], silence.device == row.device {
            (shown.silence, shown.silentSince) = (silence.state, silence.since)
        }
        guard may.showsPlace else { return shown }
        shown.fix = fix
        shown.isMoving =
            fix.speedCentimetresPerSecond.map { $0 >= Limits.movingCentimetresPerSecond }
            ?? row.isMoving
        return shown
    }
}
