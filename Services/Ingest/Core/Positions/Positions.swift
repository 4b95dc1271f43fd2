import Dialects
import Directory
import Model

/// Shows last positions to people who may see them, and records every access.
struct Positions {
    private var access = AccessLog()

    /// Returns the last positions of a circle's members.
    mutating func read(
        _ request: ReadRequest<CircleID>, _ viewer: PositionViewer, _ turn: inout Turn<Effect>
    ) {
        if let circle = turn.directory.circle(request.id),
            viewer.isIncident(in: circle, for: request.principal),
            request.principal.person.flatMap(circle.member) == nil
        {
            let members = viewer.incidents(of: circle, for: request.principal, at: turn.now)
            let person = request.principal.person
            let shown = Positions.shown(members).filter {
                !viewer.signals.hidesLook(at: $0, by: person, at: turn.now)
            }
            access.record(
                shown, by: person, as: .positions, reason: request.reason, in: circle.id, &turn)
            return turn.answer(request.request, .positions(members))
        }
        // Checked first, so that a denied reader cannot learn whether the circle exists.
        guard
            turn.allows(
                request.principal, .readCircle, on: .circle(request.id), for: request.request)
        else { return }
        guard let circle = turn.directory.circle(request.id) else {
            return turn.answer(request.request, .notFound)
        }
        // Invited people may read the members of the circle, but not their positions.
        let person = request.principal.person
        if let person, circle.member(person) == nil,
            turn.directory.person(person)?.staff != .operator
        {
            return turn.answer(request.request, .denied(.notAMember))
        }
        let members = viewer.members(of: circle, for: request.principal, at: turn.now)
        let shown = Positions.shown(members, except: person).filter {
            !viewer.signals.hidesLook(at: $0, by: person, at: turn.now)
        }
        access.record(
            shown, by: person, as: .positions, reason: request.reason, in: circle.id, &turn)
        turn.answer(request.request, .positions(members))
    }

    /// The people whose position or zone is among these, except one.
    private static func shown(
        _ members: [MemberPosition], except viewer: PersonID? = nil
    ) -> [PersonID] {
        var people: [PersonID] = []
        people.reserveCapacity(members.count)
        // By index, since a loop over the array copies each position.
        for index in members.indices
        where (members[index].fix != nil || members[index].zoneName != nil)
            && members[index].person != viewer
        {
            people.append(members[index].person)
        }
        return people
    }

    /// Friends for the map of the phone that sent a batch.
    mutating func friends(
        for batch: IncomingBatch, _ viewer: PositionViewer, _ turn: inout Turn<Effect>
    ) -> [OwnTracks.Friend] {
        let (friends, shown) = viewer.friends(
            of: batch.person, principal: .device(batch.device, of: batch.person), at: turn.now)
        let seen = shown.filter {
            !viewer.signals.hidesLook(at: $0, by: batch.person, at: turn.now)
        }
        access.record(seen, by: batch.person, as: .map, &turn)
        return friends
    }
}

extension AccessRow {
    /// An access that another service reports.
    init(_ record: AccessRecord) {
        self.init(
            person: record.person, viewer: record.viewer, hour: record.at.seconds / 3600,
            kind: record.kind, reason: record.reason ?? "")
    }
}
