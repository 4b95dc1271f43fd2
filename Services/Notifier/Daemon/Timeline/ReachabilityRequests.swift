import Directory
import Model
import NotifierCore
import Parsing
import Web

/// Requests for the reachability of a circle's members.
///
/// An opt-out or a dead number is shown to those who would get no help because of it. No address is
/// shown.
struct ReachabilityRequests {
    let context: RequestContext

    /// For its members, the operator and staff with that role; to others, a circle is reported as
    /// not found.
    func reachability(of id: CircleID, for principal: Principal) throws -> RequestOutcome {
        let replica = context.directory
        let caller = principal.person
        func isMember(_ circle: Circle) -> Bool { caller.flatMap(circle.member)?.joined != nil }
        guard let circle = replica.circle(id),
            isMember(circle)
                || replica.decide(principal, .administer, on: .suite, at: context.now).isAllowed
        else { throw Problem.notFound("there is no such circle") }
        let known = context.core.delivery.reachability
        let items = circle.members.filter { $0.joined != nil }
            .sorted { $0.person < $1.person }
            .map { member -> JSON in
                let person = replica.person(member.person)
                let obstacle =
                    person.map { known.obstacle(to: $0, at: context.now) } ?? .noContactPoint
                return [
                    "person": .string(member.person.description),
                    "name": person.map { .string($0.name) } ?? .null,
                    "role": .string(member.role.rawValue),
                    "reachable": .bool(obstacle == nil),
                    "reason": obstacle.map { .string($0.rawValue) } ?? .null,
                    "contacts": .array(
                        (person?.contacts ?? []).sorted { ($0.rank, $0.id) < ($1.rank, $1.id) }
                            .map { Documents.reachability(of: $0, known, at: context.now) }),
                ]
            }
        let alone = (isMember(circle) ? caller : nil).map {
            known.obstacle(toHelpersOf: $0, in: replica, at: context.now)
        }
        let page: JSON = [
            "circle": .string(id.description),
            "helpers": alone.map { obstacle in
                [
                    "reachable": .bool(obstacle == nil),
                    "reason": obstacle.map { .string($0.rawValue) } ?? .null,
                ]
            } ?? .null,
            "items": .array(items), "next": .null,
        ]
        return .respond(.json(page))
    }
}

extension Documents {
    fileprivate static func reachability(
        of contact: ContactPoint, _ known: Reachability, at now: Timestamp
    ) -> JSON {
        let obstacle = known.obstacle(to: contact, at: now)
        return [
            "channel": .string(contact.channel.rawValue), "reachable": .bool(obstacle == nil),
            "reason": obstacle.map { .string($0.rawValue) } ?? .null,
        ]
    }
}
