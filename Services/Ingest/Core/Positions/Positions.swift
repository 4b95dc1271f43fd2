import Dialects
import Directory
import Hashing
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
                !viewer.signals.hidesLook(
                    at: $0, by: person, as: .positions, in: turn.directory, at: turn.now)
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
            !viewer.signals.hidesLook(
                at: $0, by: person, as: .positions, in: turn.directory, at: turn.now)
        }
        access.record(
            shown, by: person, as: .positions, reason: request.reason, in: circle.id, &turn)
        turn.answer(request.request, .positions(members))
    }

    /// Answers a question by SMS for the positions of all circles of a person.
    ///
    /// Of somebody in two of them, the circle that shows more counts. The look is recorded like a
    /// look at the circle. A question that is read late is not answered: nobody would see it.
    mutating func answer(
        _ request: PositionsRequest, _ viewer: PositionViewer, _ turn: inout Turn<Effect>
    ) {
        guard turn.now - request.at <= Limits.positionQuestionAgeMax,
            turn.directory.person(request.person) != nil
        else { return }
        var found: [PersonID: MemberPosition] = [:]
        for circle in turn.directory.circles(of: request.person).compactMap(turn.directory.circle) {
            let members = viewer.members(of: circle, for: .person(request.person), at: turn.now)
            for member in members where member.person != request.person {
                guard member.isAnswered else { continue }
                if let known = found[member.person], known.detailRank >= member.detailRank {
                    continue
                }
                found[member.person] = member
            }
        }
        let newest = found.values.sorted {
            ($0.ageSeconds ?? .max, $0.person) < ($1.ageSeconds ?? .max, $1.person)
        }
        let sent = Array(newest.prefix(Limits.answeredPositionsMax))
        let shown = Positions.shown(sent).filter {
            !viewer.signals.hidesLook(
                at: $0, by: request.person, as: .positions, in: turn.directory, at: turn.now)
        }
        access.record(shown, by: request.person, as: .positions, &turn)
        let answer = PositionsAnswer(
            person: request.person, query: request.query,
            positions: sent.map { AnsweredPosition($0, at: turn.now) },
            more: newest.count - sent.count, trace: request.trace)
        turn.raise(
            .positionsAnswered(answer),
            id: Hash.derivedID(
                kind: .positionsAnswered, person: request.person, subject: .id(request.query),
                cause: request.query.raw), trace: request.trace)
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
        access.record(shown, by: batch.person, as: .map, &turn)
        return friends
    }
}

extension AccessRow {
    /// An access that another service reports.
    init(_ record: AccessRecord) {
        self.init(
            person: record.person, viewer: record.viewer, hour: record.at.seconds / 3600,
            kind: record.kind, reason: record.linkName ?? record.reason ?? "")
    }
}

extension MemberPosition {
    /// Whether an answer by SMS names the member: who shares nothing is not in it.
    fileprivate var isAnswered: Bool { state != .hidden }

    /// How much is shown, for somebody in two circles.
    fileprivate var detailRank: Int {
        if fix != nil { return 3 }
        if zoneName != nil { return 2 }
        return state == .paused ? 0 : 1
    }
}

extension AnsweredPosition {
    fileprivate init(_ member: MemberPosition, at now: Timestamp) {
        self.init(
            person: member.person, fix: member.fix, zone: member.zoneName,
            taken: member.fix?.time ?? member.ageSeconds.map { now - .seconds($0) },
            isPaused: member.state == .paused)
    }
}
