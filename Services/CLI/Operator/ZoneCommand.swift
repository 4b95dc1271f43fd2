import Parsing
import Runtime

/// `jaga zone`: manages zones of a circle, a person or a set.
enum ZoneCommand: Command {
    static let syntax = Syntax(
        name: "zone", parameters: ["[VERB]", "[ID|FILE]"],
        summary: "manage zones of a circle, a person or a set",
        details: """
            list                 lists the zones, active ones first; also without a verb
            show ZONE            shows a zone as GeoJSON
            add FILE             creates a zone from a GeoJSON Feature; - = standard input
            edit ZONE            changes fields, such as --field dwell=900
            remove ZONE          removes a zone
            import FILE          creates zones from GeoJSON, PAD, GPX or KML, all or none
            export [FILE]        exports all zones as GeoJSON or PAD (default: standard output)
            mail ZONE            sends a zone as a PAD file to the mail address --to
            applicable           lists all zones that apply to --person, and their recipients
            opt-out ZONE         opts --person out of a zone
            opt-in ZONE          ends the opt-out of --person
            accept ZONE          lets others learn its name while --person shares zones only
            decline ZONE         withdraws that
            suggested            lists circles that --person drew on their phone
            accept-suggestion ID creates a zone of --person from one, or of --circle if given
            drop-suggestion ID   deletes one

            --circle, --person or --set names the owner of the zones. Private zones are accessible
            to their person only: set JAGA_TOKEN to that person's token. File formats:
            docs/zone-files.md.
            """,
        options: ZoneOwnerPath.options + [
            .init(
                name: "--field", value: "NAME=VALUE",
                help: "property to set; VALUE is JSON or a string",
                repeats: true),
            .init(name: "--to", value: "ADDRESS", help: "mail: recipient's mail address"),
        ] + fileOptions + [.json] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let verb = call.parameters.first ?? "list"
        let what = call.parameters.dropFirst().first
        if SuggestedZones.verbs.contains(verb) {
            try SuggestedZones.run(verb, what, call)
            return 0
        }
        let owner = try ZoneOwnerPath(call, of: ["circles", "people", "sets"])
        let api = try API(call)
        switch (verb, what) {
        case ("list", nil):
            show(try api.list(owner.path + "/zones"), asJSON: call.has("--json"))
        case ("applicable", nil):
            try showApplicable(try api.list(try owner.person + "/applicable-zones"), call)
        case ("show", let id?): Console.print(try api.get(owner.zone(id, api)).text)
        case ("add", let file?):
            let made = try api.post(owner.path + "/zones", try JSONFile.read(file))
            report("created", made, call)
        case ("import", let file?): return try importFile(file, to: owner, api, call)
        case ("export", let file): try export(owner, to: file, api, call)
        case ("edit", let id?):
            let body: JSON = [
                "type": "Feature", "properties": .object(try FieldOptions.read(call, of: syntax)),
            ]
            report("changed", try api.put(owner.zone(id, api), body), call)
        case ("remove", let id?):
            try api.delete(owner.zone(id, api))
            Console.print("removed")
        case ("mail", let id?): try mail(owner.zone(id, api) + "/mail", api, call)
        case ("opt-out", let id?):
            _ = try api.call(.put, choice("zone-opt-outs", of: id, by: owner.person, api))
            Console.print("opted out")
        case ("opt-in", let id?):
            try api.delete(choice("zone-opt-outs", of: id, by: owner.person, api))
            Console.print("opted in")
        case ("accept", let id?):
            _ = try api.call(.put, choice("zone-acceptances", of: id, by: owner.person, api))
            Console.print("accepted")
        case ("decline", let id?):
            try api.delete(choice("zone-acceptances", of: id, by: owner.person, api))
            Console.print("no longer accepted")
        default:
            throw CommandError.usage(
                "unexpected arguments: \(call.parameters.joined(separator: " "))", syntax)
        }
        return 0
    }

    /// The path of what a person chose about a zone, which may have another owner.
    private static func choice(
        _ kind: String, of zone: String, by person: String, _ api: API
    ) throws -> String {
        try person + "/\(kind)/" + API.pathPart(Names(api: api).zone(zone, applyingTo: person))
    }

    /// Mails zones to the address in `--to`.
    static func mail(_ path: String, _ api: API, _ call: Call) throws {
        guard let address = call.value("--to") else {
            throw CommandError.usage("--to ADDRESS is required", call.syntax)
        }
        let sent = try api.post(path, ["to": .string(address)])
        if call.has("--json") { return Console.print(sent.text) }
        Console.print("queued \(sent.cell("file")), zones: \(sent.cell("zones"))")
        for note in sent["notes"]?.array ?? [] { Console.print((note.string ?? "").onOneLine) }
    }

    private static func report(_ done: String, _ zone: JSON, _ call: Call) {
        if call.has("--json") { return Console.print(zone.text) }
        Console.print("\(done) \(zone.cell("id")) \(zone["properties"]?.cell("name") ?? "")")
    }

    private static func show(_ zones: [JSON], asJSON: Bool) {
        if asJSON {
            for zone in zones { Console.print(zone.text) }
            return
        }
        for line in table(of: zones).lines { Console.print(line) }
    }

    /// Renders zones as a table.
    static func table(of zones: [JSON]) -> Table {
        var table = Table(
            "on", "category", "priority", "kind", "shape", "transitions", "name", "id")
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

    private static func showApplicable(_ items: [JSON], _ call: Call) throws {
        func names(_ items: JSON?, _ field: String) -> String {
            (items?.array ?? []).map { $0.cell(field) }.joined(separator: ", ")
        }
        Listing(
            .text("zone") { $0["zone"]?["properties"]?.cell("name") ?? "" },
            .field("owner", "ownerName"), .field("opted out", "optedOut"), .field("accepted"),
            .text("recipients") { names($0["recipients"], "name") },
            .text("messages to") { names($0["texted"], "number") },
            .text("id") { $0["zone"]?.cell("id") ?? "" }
        ).print(items, call)
    }
}

/// `jaga set`: manages sets of zones that circles subscribe to.
enum SetCommand: Command {
    static let syntax = Syntax(
        name: "set", parameters: ["[VERB]", "[SET|NAME]"],
        summary: "manage sets of zones that circles subscribe to",
        details: """
            list                 lists the sets; also without a verb
            add NAME             creates an empty set; 'jaga zone add FILE --set SET' adds zones
            rename SET           renames a set to --name
            remove SET           removes a set with its zones
            mail SET             sends its zones as a PAD file to the mail address --to
            subscribe SET        applies its zones to the members of --circle
            unsubscribe SET      ends the subscription of --circle
            """,
        options: [
            .init(name: "--name", value: "NAME", help: "rename: new name"),
            .init(name: "--to", value: "ADDRESS", help: "mail: recipient's mail address"),
            ZoneOwnerPath.circleOption, .json,
        ] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let verb = call.parameters.first ?? "list"
        let what = call.parameters.dropFirst().first
        let api = try API(call)
        switch (verb, what) {
        case ("list", nil):
            Listing(.field("zones"), .field("name"), .field("id"))
                .print(try api.list("/v1/sets"), call)
        case ("add", let name?):
            report("created", try api.post("/v1/sets", ["name": .string(name)]), call)
        case ("rename", let id?):
            guard let name = call.value("--name") else {
                throw CommandError.usage("rename: --name NAME is required", syntax)
            }
            let path = try setPath(id, api)
            report("renamed", try api.put(path, ["name": .string(name)]), call)
        case ("remove", let id?):
            try api.delete(setPath(id, api))
            Console.print("removed")
        case ("mail", let id?):
            try ZoneCommand.mail(setPath(id, api) + "/mail", api, call)
        case ("subscribe", let id?), ("unsubscribe", let id?):
            let circle = try ZoneOwnerPath(call, of: ["circles"])
            let path = circle.path + "/sets/" + API.pathPart(try Names(api: api).id(of: .set, id))
            let answer = try api.call(verb == "subscribe" ? .put : .delete, path)
            Console.print(
                call.has("--json")
                    ? answer.text
                    : "\(answer.cell("name")) has \(answer["sets"]?.array?.count ?? 0) sets")
        default:
            throw CommandError.usage(
                "unexpected arguments: \(call.parameters.joined(separator: " "))", syntax)
        }
        return 0
    }

    private static func setPath(_ set: String, _ api: API) throws -> String {
        "/v1/sets/" + API.pathPart(try Names(api: api).id(of: .set, set))
    }

    private static func report(_ done: String, _ set: JSON, _ call: Call) {
        Console.print(
            call.has("--json") ? set.text : "\(done) \(set.cell("id")) \(set.cell("name"))")
    }
}
