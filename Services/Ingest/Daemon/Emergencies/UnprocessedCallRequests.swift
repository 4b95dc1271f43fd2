import API
import Directory
import IngestCore
import Model
import Parsing
import Web

/// Requests of staff for calls for help that could not be processed: who called, what they sent,
/// and whom to call.
///
/// Nobody was notified of such a call, so a human must reach the person. To staff on the person's
/// never-notify list the call does not exist.
struct UnprocessedCallRequests {
    let runner: CoreRunner

    private var host: any IngestHost { runner.host }

    func handle(
        _ request: Request, _ operation: UnprocessedCallOperation, _ parameters: Parameters,
        by principal: Principal
    ) throws {
        let decision = host.replica.decide(
            principal, .readIncidents, on: .suite, at: host.now)
        if let denial = decision.denial { throw Problem.denied(denial.explanation) }
        switch operation {
        case .list: host.answer(request.id, .json(try list(request, for: principal)))
        case .read:
            let id = try parameters.id("call", UnprocessedCallID.self)
            host.answer(request.id, .json(try read(id, request, for: principal)))
        }
    }

    /// Waiting calls first, then those raised within the last week; the newest of each first.
    private func list(_ request: Request, for principal: Principal) throws -> [UInt8] {
        let limit = try request.pageLimit(max: Limits.pageMax) ?? 100
        let start = try request.cursor() ?? 0
        let rows = try runner.deferredCalls.list(from: start, limit: limit + 1)
        let visible = rows.prefix(limit).filter { isVisible($0.call.person, to: principal) }
        let next = rows.count > limit ? JSON.string(String(start + Int64(limit))) : .null
        return JSON.object([
            .init("items", .array(visible.map { .object(members(of: $0)) })), .init("next", next),
        ]).serialized()
    }

    /// One call with its payload, and the contact points of its person and of the other members of
    /// their circles. The access is recorded for everybody whose contact points it shows.
    private func read(
        _ id: UnprocessedCallID, _ request: Request, for principal: Principal
    ) throws -> [UInt8] {
        let reason = try request.accessReason()
        guard let found = try runner.deferredCalls.entry(id.raw),
            isVisible(found.call.person, to: principal)
        else {
            throw Problem.notFound(
                "there is no such call", hint: "GET /v1/unprocessed-calls lists them")
        }
        let person = found.call.person
        let circles = host.replica.sortedCircles.filter { $0.member(person)?.joined != nil }
        let others = helpers(of: person, in: circles)
        for shown in [person] + others where shown != principal.person {
            try runner.writer.access.record(
                shown, by: principal, as: .emergency, reason: reason, at: host.now)
        }
        host.log.info("staff read an unprocessed call", ["call": id])
        let body = found.call.payload.body
        return JSON.object(
            members(of: found) + [
                .init("query", .string(found.call.payload.query.encoded)),
                .init("body", .string(String(decoding: body, as: UTF8.self))),
                .init("contacts", contacts(of: person)),
                .init(
                    "others",
                    .array(
                        others.map { other in
                            [
                                "person": view(other),
                                "circles": .array(
                                    circles.compactMap { circle in
                                        circle.member(other).map {
                                            [
                                                "name": .string(circle.name),
                                                "role": .string($0.role.rawValue),
                                            ]
                                        }
                                    }),
                                "contacts": contacts(of: other),
                            ]
                        })),
            ]
        ).serialized()
    }

    /// Joined members of circles, guardians and admins first; without people on the person's
    /// never-notify list, whom nobody must call.
    private func helpers(of person: PersonID, in circles: [Circle]) -> [PersonID] {
        var listed: Set<PersonID> = [person]
        let members = circles.flatMap(\.members).filter { $0.joined != nil }
        let ordered = members.filter { $0.role != .member } + members.filter { $0.role == .member }
        return ordered.map(\.person).filter {
            !host.replica.hidesEmergencies(of: person, from: $0) && listed.insert($0).inserted
        }
    }

    private func isVisible(_ person: PersonID, to principal: Principal) -> Bool {
        guard let reader = principal.person else { return true }
        return !host.replica.hidesEmergencies(of: person, from: reader)
    }

    private func view(_ person: PersonID) -> JSON {
        [
            "id": .string(person.description),
            "name": host.replica.person(person).map { .string($0.name) } ?? .null,
        ]
    }

    private func contacts(of person: PersonID) -> JSON {
        .array(
            (host.replica.person(person)?.contacts ?? []).sorted { $0.rank < $1.rank }.map {
                ["channel": .string($0.channel.rawValue), "address": .string($0.address)]
            })
    }

    private func members(of entry: DeferredCalls.Entry) -> [JSON.Member] {
        let call = entry.call
        return [
            .init("id", .string(UnprocessedCallID(call.id).description)),
            .init("emergency", .string(call.emergency.description)),
            .init("person", view(call.person)),
            .init("device", call.device.map { .string($0.description) } ?? .null),
            .init("client", call.client.map { .string($0.name) } ?? .null),
            .init("trigger", .string(call.bare.trigger.rawValue)),
            .init("received", .string(call.received.description)),
            .init("reason", .string(call.reason)), .init("tries", .integer(entry.tries)),
            .init(
                "nextTry", entry.raised == nil ? .string(entry.due.description) : .null),
            .init("raised", entry.raised.map { .string($0.description) } ?? .null),
            .init("trace", .string(call.trace)),
        ]
    }
}

/// Kind of the ids of unprocessed calls.
enum UnprocessedCallKind: IdentifierKind {
    static let prefix = "upc"
}

/// Id of a call for help that could not be processed.
typealias UnprocessedCallID = Identifier<UnprocessedCallKind>
