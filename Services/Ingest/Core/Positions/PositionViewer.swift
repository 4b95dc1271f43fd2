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
            guard let circle = directory.circle(id) else { continue }
            let access = PositionAccess(of: principal, in: circle, directory, at: now)
            for member in circle.members where member.joined != nil && member.person != viewer {
                let detail = detail(of: member, to: principal, access)
                guard detail != .nothing, met.insert(member.person).inserted else { continue }
                let friend = friend(
                    member.person, preferred: member.trackerID, showsPlace: detail == .exact,
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
        let access = PositionAccess(of: principal, in: circle, directory, at: now)
        var positions: [MemberPosition] = []
        positions.reserveCapacity(circle.members.count)
        for member in circle.members where member.joined != nil {
            let detail = detail(of: member, to: principal, access)
            positions.append(position(of: member, in: circle, detail, at: now))
        }
        return positions
    }

    /// Whether a viewer is an officer who handles an emergency of a member.
    func isIncident(in circle: Circle, for principal: Principal) -> Bool {
        guard let viewer = principal.person, directory.person(viewer)?.staff == .officer
        else { return false }
        return circle.members.contains {
            $0.joined != nil && $0.person != viewer && signals.incident(of: $0.person) != nil
                && !directory.hidesEmergencies(of: $0.person, from: viewer)
        }
    }

    /// The members in an emergency, for an officer who is no member.
    func incidents(of circle: Circle, for principal: Principal, at now: Timestamp)
        -> [MemberPosition]
    {
        members(of: circle, for: principal, at: now).filter { member in
            signals.incident(of: member.person) != nil
                && principal.person.map {
                    !directory.hidesEmergencies(of: member.person, from: $0)
                } ?? true
        }
    }

    private func detail(
        of member: Membership, to principal: Principal, _ access: PositionAccess
    ) -> PositionDetail {
        let sharesByOwnCall =
            principal.person.map {
                signals.showsPosition(of: member.person, to: $0, in: directory)
            } ?? false
        return access.detail(
            of: member, sharesByOwnCall: sharesByOwnCall,
            incident: signals.incident(of: member.person))
    }

    private func friend(
        _ person: PersonID, preferred: String?, showsPlace: Bool, _ trackers: inout TrackerIDs
    ) -> OwnTracks.Friend {
        let name = directory.name(of: person) ?? ""
        let row = showsPlace ? reports.primaryRow(of: person, in: directory) : nil
        return OwnTracks.Friend(
            person: person,
            trackerID: trackers.assign(preferred ?? TrackerIDs.initials(of: name), for: person),
            name: name, fix: row?.newest, battery: row?.battery,
            altitudeAccuracyMetres: row?.altitudeAccuracyMetres ?? 0)
    }

    private func position(
        of member: Membership, in circle: Circle, _ detail: PositionDetail, at now: Timestamp
    ) -> MemberPosition {
        var shown = MemberPosition(
            person: member.person, name: directory.name(of: member.person) ?? "",
            state: .hidden, precision: member.precision)
        guard detail != .nothing else {
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
        guard detail == .exact else {
            shown.zoneName = ZoneNaming(in: directory).name(at: fix, of: member, in: circle)
            return shown
        }
        shown.fix = fix
        shown.isMoving =
            fix.speedCentimetresPerSecond.map { $0 >= Limits.movingCentimetresPerSecond }
            ?? row.isMoving
        return shown
    }
}
