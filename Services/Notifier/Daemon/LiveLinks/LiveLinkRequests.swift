import Directory
import Hashing
import Model
import NotifierCore
import Parsing
import Runtime
import Web

/// Requests about links to the position of a person for people without an account.
struct LiveLinkRequests {
    let context: RequestContext

    /// Links to a person, the newest first: all of them to the person, and to others those that
    /// they made.
    func list(of person: PersonID, for principal: Principal) throws -> RequestOutcome {
        let links = try context.store.liveLinks(
            of: person, limit: Limits.endedLiveLinksListed + 2 * Limits.liveLinksPerPerson
        ).filter { context.core.isListed($0, for: principal, context.directory, at: context.now) }
        if links.isEmpty {
            try context.require(.makeLiveLinks, of: principal, on: .person(person))
        }
        let items = links.map { Documents.liveLink($0, in: context.directory, at: context.now) }
        return .respond(.json(["items": .array(items), "next": nil]))
    }

    /// Reads what to make.
    func make(
        _ request: Request, for person: PersonID, by principal: Principal
    ) throws -> RequestOutcome {
        let body = try request.json()
        let id = LiveLinkID(
            ID128(bytes: SecureRandom.bytes(16)[...]) ?? ID128(high: 0, low: 0))
        return .submit(
            .makeLiveLink(
                LiveLinkRequest(
                    request: request.id, principal: principal, person: person, id: id,
                    token: LinkToken(random: SecureRandom.bytes(LinkToken.bytesCount)),
                    recipient: try recipient(in: body), purpose: try purpose(in: body),
                    length: try length(in: body), zones: try zones(in: body))))
    }

    private func recipient(in body: JSON) throws -> String {
        let name = (body["recipient"]?.string ?? "")
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard !name.isEmpty, name.count <= Limits.liveLinkNameMax else {
            throw Problem.invalid(
                "a link has a named recipient", field: "recipient",
                hint: "send a name of at most \(Limits.liveLinkNameMax) characters")
        }
        return name
    }

    private func purpose(in body: JSON) throws -> LiveLinkRequest.Purpose {
        let fields = ["emergency", "watch", "journey"].filter { name in
            body[name].map { !$0.isNull && $0.bool != false } ?? false
        }
        guard fields.count <= 1 else {
            throw Problem.invalid(
                "a link is for one of emergency, watch and journey", field: fields[1],
                hint: "make one link for each")
        }
        switch fields.first {
        case "emergency":
            guard let id = body["emergency"]?.string.flatMap({ EmergencyID($0) }) else {
                throw Problem.invalid("this is not the id of an emergency", field: "emergency")
            }
            return .emergency(id)
        case "watch":
            guard body["watch"]?.bool == true else {
                throw Problem.invalid("neither true nor false", field: "watch")
            }
            return .watch
        case "journey":
            guard body["journey"]?.bool == true else {
                throw Problem.invalid("neither true nor false", field: "journey")
            }
            return .journey
        default: return .time
        }
    }

    private func length(in body: JSON) throws -> Duration? {
        guard let value = body["seconds"], !value.isNull else { return nil }
        let range =
            Limits.liveLinkTimeMin.milliseconds / 1000...Limits.liveLinkTimeMax.milliseconds / 1000
        guard let seconds = value.int.map(Int64.init), range.contains(seconds) else {
            throw Problem.invalid(
                "not in the allowed range", field: "seconds",
                hint: "send \(range.lowerBound) to \(range.upperBound)")
        }
        return .seconds(seconds)
    }

    private func zones(in body: JSON) throws -> [ZoneID] {
        guard let value = body["zones"], !value.isNull else { return [] }
        guard let list = value.array, list.count <= Limits.liveLinkZonesMax else {
            throw Problem.invalid(
                "not a list of zones", field: "zones",
                hint: "send at most \(Limits.liveLinkZonesMax) ids")
        }
        return try list.map { item in
            guard let id = item.string.flatMap({ ZoneID($0) }) else {
                throw Problem.invalid("this is not the id of a zone", field: "zones")
            }
            return id
        }
    }
}

extension Documents {
    static func liveLink(_ row: LiveLink, in directory: Replica, at now: Timestamp) -> JSON {
        let end = row.end ?? (row.isOpen(at: now) ? nil : .expired)
        func time(_ time: Timestamp?) -> JSON { time.map { .string($0.description) } ?? .null }
        return [
            "id": .string(row.id.description), "person": .string(row.person.description),
            "recipient": .string(row.recipient), "maker": person(row.maker, in: directory),
            "purpose": .string(row.purpose.name),
            "emergency": row.purpose.emergency.map { .string($0.description) } ?? .null,
            "zones": .array(row.zones.map { .string($0.description) }),
            "created": time(row.created), "expires": time(row.expires),
            "open": .bool(end == nil), "ended": time(row.ended),
            "end": end.map { .string($0.rawValue) } ?? .null,
            "shown": [
                "count": .integer(Int64(row.looks)), "first": time(row.firstLook),
                "times": .array(row.lookTimes.reversed().map { .string($0.description) }),
            ],
        ]
    }

    /// - Parameter base: of URLs; nil = only the path is known
    static func response(
        to answer: LiveLinkAnswer, base: String?, in directory: Replica, at now: Timestamp
    ) -> Response {
        switch answer {
        case .made(let link, let token):
            var members = liveLink(link, in: directory, at: now).object ?? []
            // The only time that the token is shown.
            members.append(.init("url", .string((base ?? "") + LivePages.path + token.text)))
            var response = Response.json(.object(members), status: 201)
            response.headers["Cache-Control"] = "no-store"
            return response
        case .revoked: return Response(status: 204)
        case .unknown: return .problem(.notFound("there is no such open link"))
        case .unknownEmergency: return .problem(.notFound("there is no such open emergency"))
        case .denied(let denial): return .problem(.denied(denial.explanation))
        case .positionNotShared:
            return .problem(
                .denied(
                    "you do not see the exact position yourself",
                    hint: "the person can make a link"))
        case .noWatch:
            return .problem(
                .conflict("the person has no running watch", hint: "start a watch first"))
        case .zoneNotTheirs:
            return .problem(
                .invalid(
                    "a link shows only zones of its person, and zones that they accepted",
                    field: "zones", hint: "omit the others"))
        case .tooMany:
            return .problem(
                .conflict(
                    "there are \(Limits.liveLinksPerPerson) open links", hint: "revoke one first"))
        }
    }
}

extension LiveLink.Purpose {
    fileprivate var name: String {
        switch self {
        case .emergency: "emergency"
        case .watch: "watch"
        case .journey: "journey"
        case .time: "time"
        }
    }
}
