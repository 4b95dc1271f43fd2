import Dialects
import Directory
import Model

/// Decides how much of the others' last positions a person may see, as of one moment.
struct PositionViewer {
    let directory: Replica
    let reports: Reports
    let signals: Signals
    let devices: Devices
    let contactStates: ContactStateMachine

    /// The members of all circles who share with a person, after the person.
    ///
    /// - Returns: friends for the phone's map, and the people whose coordinates are among them
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

    /// All joined members of a circle, in the circle's order.
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

    /// - Parameter query: the viewer's rights in the circle; equal for all of its members
    private func visibility(
        of member: Membership, to principal: Principal, asking query: RightsQuery,
        at now: Timestamp
    ) -> Visibility {
        if let viewer = principal.person,
            signals.showsPosition(of: member.person, to: viewer, in: directory)
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

    private func friend(
        _ person: PersonID, preferred: String?, showsPlace: Bool, _ trackers: inout TrackerIDs
    ) -> OwnTracks.Friend {
        let name = directory.person(person)?.name ?? ""
        let row = showsPlace ? reports.primaryRow(of: person, in: directory) : nil
        return OwnTracks.Friend(
            person: person,
            trackerID: trackers.assign(preferred ?? TrackerIDs.initials(of: name), for: person),
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
        let row = reports.primaryRow(of: member.person, in: directory)
        let condition = row.flatMap { devices.condition(of: $0.device) }
        shown.impairments = condition?.impairments ?? []
        let isImpaired = condition?.isImpaired ?? false
        shown.battery = row?.battery
        shown.charging = row?.charging
        guard let row, let fix = row.newest else {
            shown.state = isImpaired ? .impaired : .unknown
            return shown
        }
        let age = max(0, (now - fix.time).microseconds / 1_000_000)
        shown.state = isImpaired ? .impaired : age <= Limits.freshSeconds ? .fresh : .stale
        shown.ageSeconds = age
        if let contact = contactStates.rows[member.person], contact.device == row.device {
            (shown.contactState, shown.contactLostSince) = (contact.state, contact.since)
        }
        guard may.showsPlace else { return shown }
        shown.fix = fix
        shown.isMoving =
            fix.speedCentimetresPerSecond.map { $0 >= Limits.movingCentimetresPerSecond }
            ?? row.isMoving
        return shown
    }
}
