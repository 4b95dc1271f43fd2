import DirectoryViews
import MembershipCore
import Model
import Parsing
import Web

/// Renders answers to requests to sign in.
enum SignInView {
    /// The same for every contact.
    static let codeRequested = Response.json(
        ["validSeconds": .integer(Limits.accountCodeAgeMax.milliseconds / 1000)], status: 202)

    /// The same whatever is wrong.
    static let failed = Response.problem(
        .unauthorized("the code is wrong, expired or used", hint: "request another code"))

    static func choice(of people: [Person]) -> Response {
        .json([
            "people": .array(people.map(named)),
            "hint": "send the same code again with the id of one as person",
        ])
    }

    static let nameNeeded = Response.json([
        "people": [], "hint": "send the same code again with a name for the new account",
    ])

    private static func named(_ person: Person) -> JSON {
        ["id": .string(person.id.description), "name": .string(person.name)]
    }

    /// - Parameter isActive: whether ingest already accepts the session
    static func opened(_ person: Person, _ session: Credential, isActive: Bool) -> Response {
        .json(
            [
                "person": named(person),
                "session": [
                    "id": .string(session.id.description), "name": .string(session.name),
                    "opened": .string(session.created.description),
                    "expires": View.text(session.expires?.description),
                ],
                "active": .bool(isActive),
            ], status: 201)
    }
}
