import Parsing

/// The person in whose name a command acts.
struct OwnAccount {
    let api: API
    let id: String

    /// For commands of a person, their wards and the operator.
    static let option = Syntax.Option(
        name: "--person", value: "PERSON", help: "whose (default: the token's person)")

    /// The person in `--person`, otherwise that of the token.
    init(_ api: API, _ call: Call) throws {
        self.api = api
        if let person = call.value("--person") {
            id = person
            return
        }
        guard let person = try api.get("/v1/rights")["principal"]?["person"]?.string else {
            throw CommandError(
                "the token is not that of a person", hint: "set --person, or JAGA_TOKEN")
        }
        id = person
    }

    /// Such as `/v1/people/per_…`.
    var path: String { "/v1/people/" + API.pathPart(id) }
}
