import Directory
import DirectoryViews
import Hashing
import Model
import Parsing
import Web

/// `GET /v1/me`: what an app shows first, in one response.
///
/// `ETag` covers everything but the server's time and the position of the live stream, which are
/// current in a 304, too.
struct OwnSnapshot {
    private let reader: Reader
    private let person: Person

    /// - Throws: 403 for the operator and for phones
    init(_ reader: Reader) throws(Problem) {
        guard case .person(let id) = reader.principal, let person = reader.directory.person(id)
        else {
            throw .denied(
                "only a person has this page", hint: "sign in, or use a person's credential")
        }
        self.reader = reader
        self.person = person
    }

    func response() -> Response {
        let stable = stable
        let tag = "\"\(Hash.id(.bytes(JSON.object(stable).serialized())).text)\""
        let position = reader.position()
        var response =
            isKnown(tag)
            ? Response(status: 304)
            : .json(
                .object(
                    stable + [
                        .init("time", .string(reader.now.description)),
                        .init("live", .string(position)),
                    ]))
        response.headers["ETag"] = tag
        response.headers["Live-Position"] = position
        response.setCircleListVersion(
            of: reader.principal, reader.circleLists, in: reader.directory)
        return response
    }

    /// Whether the client has this version.
    private func isKnown(_ tag: String) -> Bool {
        guard let tags = reader.request.headers["If-None-Match"] else { return false }
        return tags == "*"
            || tags.split(separator: ",").contains { part in
                let known = part.drop { $0 == " " }
                return (known.hasPrefix("W/") ? known.dropFirst(2) : known) == tag
            }
    }

    private var stable: [JSON.Member] {
        let directory = reader.directory
        let ids = directory.circles(of: person.id) + directory.invitations(of: person.id)
        let circles = ids.sorted().compactMap { directory.circle($0) }
        let phone = person.contacts.sorted { $0.rank < $1.rank }.first { $0.channel == .sms }
        return [
            .init("person", View.person(person, directory.credentials(of: person.id))),
            .init(
                "circles",
                .array(
                    circles.map {
                        View.circle($0, to: $0.audience(of: reader.principal), in: directory)
                    })),
            .init(
                "circleListVersion",
                .integer(reader.circleLists.version(of: person.id, in: directory))),
            .init(
                "rights",
                [
                    "own": .array(RightsList.items(reader)),
                    "circles": .array(circles.map(rights)),
                ]),
            .init("languages", .array(Language.allCases.map { .string($0.rawValue) })),
            .init(
                "emergencyNumber",
                .string(EmergencyNumber.number(forPhone: phone?.address ?? ""))),
        ]
    }

    /// The rights in a circle, about the circle and the own membership.
    private func rights(in circle: Circle) -> JSON {
        let own = Set(RightsList.items(reader))
        let items = RightsList.items(reader, circle: circle.id).filter { !own.contains($0) }
        return ["circle": .string(circle.id.description), "items": .array(items)]
    }
}
