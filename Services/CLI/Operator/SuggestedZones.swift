import Parsing

/// Verbs of `jaga zone` about circles that a person drew on their phone.
enum SuggestedZones {
    static let verbs: Set<String> = ["suggested", "accept-suggestion", "drop-suggestion"]

    /// - Parameter what: id of a suggestion; nil lists all
    static func run(_ verb: String, _ what: String?, _ call: Call) throws {
        let person = try ZoneOwnerPath(call, of: ["people"]).path
        let api = try API(call)
        let suggestions = person + "/suggested-zones"
        switch (verb, what) {
        case ("suggested", nil): show(try api.list(suggestions), asJSON: call.has("--json"))
        case ("accept-suggestion", let id?):
            guard
                let suggestion = try api.list(suggestions).first(where: { $0["id"]?.string == id }),
                let zone = suggestion["zone"]
            else {
                throw CommandError(
                    "there is no suggested zone \(id)", hint: "'jaga zone suggested' lists them")
            }
            // Creates the zone first: after a failure in between, both exist.
            let owner = call.value("--circle").map { "/v1/circles/" + API.pathPart($0) } ?? person
            let made = try api.post(owner + "/zones", zone)
            try api.delete(suggestions + "/" + API.pathPart(id))
            Console.print(
                call.has("--json")
                    ? made.text
                    : "created \(made.cell("id")) \(made["properties"]?.cell("name") ?? "")")
        case ("drop-suggestion", let id?):
            try api.delete(suggestions + "/" + API.pathPart(id))
            Console.print("dropped")
        default:
            throw CommandError.usage(
                "unexpected arguments: \(call.parameters.joined(separator: " "))", call.syntax)
        }
    }

    private static func show(_ suggestions: [JSON], asJSON: Bool) {
        if asJSON {
            for suggestion in suggestions { Console.print(suggestion.text) }
            return
        }
        for line in table(of: suggestions).lines { Console.print(line) }
    }

    /// Renders the suggestions as a table.
    static func table(of suggestions: [JSON]) -> Table {
        var table = Table("suggested", "radius", "name", "id")
        for suggestion in suggestions {
            let properties = suggestion["zone"]?["properties"] ?? .null
            table.add(
                suggestion.cell("suggested"), properties.cell("radius"), properties.cell("name"),
                suggestion.cell("id"))
        }
        return table
    }
}
