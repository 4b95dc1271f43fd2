import Parsing
import Runtime

/// `jaga zone`: zones of a circle, a person or a set.
enum ZoneCommand: Command {
    static let syntax = Syntax(
        name: "zone", parameters: ["[VERB]", "[ID|FILE]"],
        summary: "zones of a circle, a person or a set",
        details: """
            list                 the zones, those switched on first; also without a verb
            show ZONE            one of them, as GeoJSON
            add FILE             a new one: a GeoJSON Feature; - reads standard input
            edit ZONE            changes what --field says, such as --field dwell=900
            remove ZONE
            import FILE          new ones: GeoJSON, PAD, GPX or KML, all or none; see --preview
            export [FILE]        all of them as GeoJSON or PAD, to standard output without FILE
            mail ZONE            sends one as a PAD file to the mail address that --to says
            judging              every zone that judges --person, and who is told
            refuse ZONE          --person is judged by it no longer
            accept ZONE          --person is judged by it again
            offered              circles that --person drew on their phone, waiting to be zones
            accept-offer OFFER   makes one a zone of --person, or of --circle where both are given
            drop-offer OFFER     takes one away

            Say whose zones: --circle, --person or --set. A person's are their own affair: set
            JAGA_TOKEN to that person's token. docs/zone-files.md tells what files may hold.
            """,
        options: Holder.options + [
            .init(
                name: "--field", value: "NAME=VALUE", help: "a property; VALUE is JSON, or a text",
                repeats: true),
            .init(name: "--to", value: "ADDRESS", help: "a mail address, for 'mail'"),
        ] + fileOptions + [.json] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let verb = call.parameters.first ?? "list"
        let what = call.parameters.dropFirst().first
        if OfferedZones.verbs.contains(verb) {
            try OfferedZones.run(verb, what, call)
            return 0
        }
        let holder = try Holder(call, of: ["circles", "people", "sets"])
        let api = try API(call)
        switch (verb, what) {
        case ("list", nil):
            show(try api.list(holder.path + "/zones"), asJSON: call.has("--json"))
        case ("judging", nil):
            try showJudging(try api.list(try holder.person + "/judging-zones"), call)
        case ("show", let id?): Console.say(try api.get(holder.zone(id, api)).text)
        case ("add", let file?):
            let made = try api.post(holder.path + "/zones", try JSONFile.read(file))
            say("made", made, call)
        case ("import", let file?): return try importFile(file, to: holder, api, call)
        case ("export", let file): try export(holder, to: file, api, call)
        case ("edit", let id?):
            let body: JSON = [
                "type": "Feature", "properties": .object(try GivenFields.read(call, of: syntax)),
            ]
            say("changed", try api.put(holder.zone(id, api), body), call)
        case ("remove", let id?):
            try api.delete(holder.zone(id, api))
            Console.say("removed")
        case ("mail", let id?): try mail(holder.zone(id, api) + "/mail", api, call)
        case ("refuse", let id?):
            _ = try api.call(.put, refusal(of: id, by: holder.person, api))
            Console.say("refused")
        case ("accept", let id?):
            try api.delete(refusal(of: id, by: holder.person, api))
            Console.say("accepted")
        default: throw CommandError.usage("not understood: zone \(verb)", syntax)
        }
        return 0
    }

    /// The path of a person's refusal of a zone, which may be another holder's.
    private static func refusal(
        of zone: String, by person: String, _ api: API
    ) throws -> String {
        try person + "/refused-zones/" + Holder.part(Names(api: api).zone(zone, judging: person))
    }

    /// Sends zones to the address that `--to` says.
    static func mail(_ path: String, _ api: API, _ call: Call) throws {
        guard let address = call.value("--to") else {
            throw CommandError.usage("say to whom: --to name@example.org", call.syntax)
        }
        let sent = try api.post(path, ["to": .string(address)])
        if call.has("--json") { return Console.say(sent.text) }
        Console.say("\(sent.cell("file")) is on its way, zones: \(sent.cell("zones"))")
        for note in sent["notes"]?.array ?? [] { Console.say((note.string ?? "").onOneLine) }
    }

    private static func say(_ done: String, _ zone: JSON, _ call: Call) {
        if call.has("--json") { return Console.say(zone.text) }
        Console.say("\(done) \(zone.cell("id")) \(zone["properties"]?.cell("name") ?? "")")
    }

    private static func show(_ zones: [JSON], asJSON: Bool) {
        if asJSON {
            for zone in zones { Console.say(zone.text) }
            return
        }
        for line in table(of: zones).lines { Console.say(line) }
    }

    /// The zones as lines.
    static func table(of zones: [JSON]) -> Table {
        var table = Table("on", "category", "priority", "kind", "shape", "told", "name", "id")
        for zone in zones {
            let properties = zone["properties"] ?? .null
            table.add(
                properties.cell("active"), properties.cell("category"),
                properties.cell("priority"), properties.cell("kind"),
                zone["geometry"]?.cell("type") ?? "",
                (properties["transitions"]?.array ?? []).compactMap(\.string?.onOneLine)
                    .joined(separator: ","),
                properties.cell("name"), zone.cell("id"))
        }
        return table
    }

    private static func showJudging(_ items: [JSON], _ call: Call) throws {
        if call.has("--json") {
            for item in items { Console.say(item.text) }
            return
        }
        var table = Table("zone", "of", "refused", "told", "texted", "id")
        for item in items {
            let told = (item["told"]?.array ?? []).map { $0.cell("name") }
            let texted = (item["texted"]?.array ?? []).map { $0.cell("number") }
            table.add(
                item["zone"]?["properties"]?.cell("name") ?? "", item.cell("ownerName"),
                item.cell("refused"), told.joined(separator: ", "),
                texted.joined(separator: ", "), item["zone"]?.cell("id") ?? "")
        }
        for line in table.lines { Console.say(line) }
    }
}

/// `jaga set`: sets of zones that circles subscribe to.
enum SetCommand: Command {
    static let syntax = Syntax(
        name: "set", parameters: ["[VERB]", "[SET|NAME]"],
        summary: "sets of zones that circles subscribe to",
        details: """
            list                 the sets; also without a verb
            add NAME             a new one, empty; 'jaga zone add FILE --set SET' fills it
            rename SET           to what --name says
            remove SET           with its zones
            mail SET             sends its zones as a PAD file to the mail address that --to says
            subscribe SET        its zones judge the members of --circle
            unsubscribe SET      they do so no longer
            """,
        options: [
            .init(name: "--name", value: "NAME", help: "the new name"),
            .init(name: "--to", value: "ADDRESS", help: "a mail address, for 'mail'"),
            Holder.circleOption, .json,
        ] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let verb = call.parameters.first ?? "list"
        let what = call.parameters.dropFirst().first
        let api = try API(call)
        switch (verb, what) {
        case ("list", nil):
            let sets = try api.list("/v1/sets")
            if call.has("--json") {
                for set in sets { Console.say(set.text) }
                return 0
            }
            var table = Table("zones", "name", "id")
            for set in sets { table.add(set.cell("zones"), set.cell("name"), set.cell("id")) }
            for line in table.lines { Console.say(line) }
        case ("add", let name?):
            say("made", try api.post("/v1/sets", ["name": .string(name)]), call)
        case ("rename", let id?):
            guard let name = call.value("--name") else {
                throw CommandError.usage("say the new name: --name NAME", syntax)
            }
            let path = try setPath(id, api)
            say("renamed", try api.put(path, ["name": .string(name)]), call)
        case ("remove", let id?):
            try api.delete(setPath(id, api))
            Console.say("removed")
        case ("mail", let id?):
            try ZoneCommand.mail(setPath(id, api) + "/mail", api, call)
        case ("subscribe", let id?), ("unsubscribe", let id?):
            let circle = try Holder(call, of: ["circles"])
            let path = circle.path + "/sets/" + Holder.part(try Names(api: api).id(of: .set, id))
            let answer = try api.call(verb == "subscribe" ? .put : .delete, path)
            Console.say(
                call.has("--json")
                    ? answer.text
                    : "\(answer.cell("name")) has \(answer["sets"]?.array?.count ?? 0) sets")
        default: throw CommandError.usage("not understood: set \(verb)", syntax)
        }
        return 0
    }

    private static func setPath(_ set: String, _ api: API) throws -> String {
        "/v1/sets/" + Holder.part(try Names(api: api).id(of: .set, set))
    }

    private static func say(_ done: String, _ set: JSON, _ call: Call) {
        Console.say(
            call.has("--json") ? set.text : "\(done) \(set.cell("id")) \(set.cell("name"))")
    }
}
