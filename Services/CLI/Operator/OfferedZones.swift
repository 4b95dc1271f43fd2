import Parsing

/// The verbs of `jaga zone` about circles that a person drew on their phone.
enum OfferedZones {
    static let verbs: Set<String> = ["offered", "accept-offer", "drop-offer"]

    /// - Parameter what: an offer's id; nil lists them
    static func run(_ verb: String, _ what: String?, _ call: Call) throws {
        let person = try Holder(call, of: ["people"]).path
        let api = try API(call)
        let offers = person + "/offered-zones"
        switch (verb, what) {
        case ("offered", nil): show(try api.list(offers), asJSON: call.has("--json"))
        case ("accept-offer", let id?):
            guard let offer = try api.list(offers).first(where: { $0["id"]?.string == id }),
                let zone = offer["zone"]
            else {
                throw CommandError(
                    "no zone \(id) is offered", hint: "'jaga zone offered' lists them")
            }
            // First the zone, then the offer: whatever fails between leaves both.
            let holder = call.value("--circle").map { "/v1/circles/" + Holder.part($0) } ?? person
            let made = try api.post(holder + "/zones", zone)
            try api.delete(offers + "/" + Holder.part(id))
            Console.say(
                call.has("--json")
                    ? made.text
                    : "made \(made.cell("id")) \(made["properties"]?.cell("name") ?? "")")
        case ("drop-offer", let id?):
            try api.delete(offers + "/" + Holder.part(id))
            Console.say("dropped")
        default: throw CommandError.usage("not understood: zone \(verb)", call.syntax)
        }
    }

    private static func show(_ offers: [JSON], asJSON: Bool) {
        if asJSON {
            for offer in offers { Console.say(offer.text) }
            return
        }
        for line in table(of: offers).lines { Console.say(line) }
    }

    /// The offers as lines.
    static func table(of offers: [JSON]) -> Table {
        var table = Table("offered", "radius", "name", "id")
        for offer in offers {
            let properties = offer["zone"]?["properties"] ?? .null
            table.add(
                offer.cell("offered"), properties.cell("radius"), properties.cell("name"),
                offer.cell("id"))
        }
        return table
    }
}
