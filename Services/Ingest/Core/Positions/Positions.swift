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
            let shown = members.filter { $0.fix != nil || $0.zoneName != nil }.map(\.person)
            access.record(
                shown, by: request.principal.person, as: .positions, reason: request.reason,
                in: circle.id, &turn)
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
        if let person, circle.member(person) == nil {
            return turn.answer(request.request, .denied(.notAMember))
        }
        let members = viewer.members(of: circle, for: request.principal, at: turn.now)
        let shown = members.filter {
            ($0.fix != nil || $0.zoneName != nil) && $0.person != person
        }.map(\.person)
        access.record(
            shown, by: person, as: .positions, reason: request.reason, in: circle.id, &turn)
        turn.answer(request.request, .positions(members))
    }

    /// Friends for the map of the phone that sent a batch.
    mutating func friends(
        for batch: IncomingBatch, _ viewer: PositionViewer, _ turn: inout Turn<Effect>
    ) -> [OwnTracks.Friend] {
        let (friends, shown) = viewer.friends(
            of: batch.person, principal: .device(batch.device, of: batch.person), at: turn.now)
        access.record(shown, by: batch.person, as: .map, &turn)
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
