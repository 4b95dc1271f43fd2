import Directory
import Model
import NotifierCore
import Parsing
import Web

/// Requests for timelines of circles.
struct TimelineRequests {
    let context: RequestContext

    /// A circle's timeline since the reader joined.
    ///
    /// Entries that a person did not share are visible to that person only. For a former member
    /// only emergencies are shown; for one who returned, entries since then. Somebody on a person's
    /// never-notify list sees nothing about that person.
    func timeline(
        of id: CircleID, _ request: Request, for principal: Principal
    ) throws -> RequestOutcome {
        let page = try Page(request)
        let replica = context.directory
        let decision = replica.decide(principal, .readTimeline, on: .circle(id), at: context.now)
        guard let circle = replica.circle(id), decision != .denied(.notAMember) else {
            throw Problem.notFound("there is no such circle")
        }
        if let denial = decision.denial { throw Problem.denied(denial.explanation) }
        let reader = principal.person
        let since = reader.flatMap { circle.member($0)?.joined } ?? .zero
        let hidden = reader.map { NeverNotifyRules(in: replica).hiddenPeople(from: $0, in: id) }
        let rows = try context.store.timeline(
            of: circle, for: reader, since: since, hiding: hidden ?? (all: [], emergencies: []),
            before: page.before, limit: page.limit, at: context.now)
        let response = page.response(
            rows.map { seq, row in
                (seq, Documents.timeline(row.shown(to: reader, in: circle), seq: seq, in: replica))
            })
        // Nobody's look at an emergency under duress stands in the access log of its person.
        let shown = rows.filter { $0.row.isCovert != true }
        return .respond(response, showing: shown.map(\.row.person))
    }
}

extension TimelineRecord {
    /// Removes decisions about former members, except in emergencies. Only the person learns whom
    /// their never-notify list excluded.
    func shown(to reader: PersonID?, in circle: Circle) -> TimelineRecord {
        var shown = self
        if reader == person {
            for index in shown.decisions.indices where shown.decisions[index].isWithheld == true {
                shown.decisions[index].reason = .neverNotify
            }
        }
        guard emergency == nil else { return shown }
        shown.decisions.removeAll { circle.member($0.recipient) == nil }
        return shown
    }
}

extension Documents {
    static func timeline(_ row: TimelineRecord, seq: Int64, in directory: Replica) -> JSON {
        var members: [JSON.Member] = [
            .init("id", .string(String(seq))), .init("at", .string(row.at.description)),
            .init("kind", .string(row.kind.rawValue)),
            .init("person", person(row.person, in: directory)),
        ]
        if let zone = row.zone {
            members.append(
                .init(
                    "zone",
                    [
                        "id": .string(zone.description), "name": .string(row.zoneName ?? ""),
                    ]))
        }
        if let emergency = row.emergency {
            members.append(.init("emergency", .string(emergency.description)))
        }
        if row.by != nil { members.append(.init("by", person(row.by, in: directory))) }
        if let text = row.text { members.append(.init("text", .string(text))) }
        if let tier = row.tier { members.append(.init("tier", .integer(Int64(tier)))) }
        if let round = row.round { members.append(.init("round", .integer(Int64(round)))) }
        if row.isSinkOnly == true { members.append(.init("nobodyOutside", .bool(true))) }
        let decisions = row.decisions.map { decision -> JSON in
            [
                "person": person(decision.recipient, in: directory),
                "notified": .bool(decision.reason.sendsMessage),
                "reason": .string(decision.reason.rawValue),
            ]
        }
        members.append(.init("decisions", .array(decisions)))
        return .object(members)
    }
}
