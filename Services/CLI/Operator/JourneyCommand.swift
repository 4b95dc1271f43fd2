import Model
import Parsing
import Runtime
import Web

/// `jaga journey`: journeys of a person.
enum JourneyCommand: Command {
    static let syntax = Syntax(
        name: "journey", parameters: ["VERB", "PERSON", "[JOURNEY]"],
        summary: "journeys of a person: start, stop, read, export",
        details: """
            start PERSON             a new journey; the open one comes back
            stop PERSON [JOURNEY]    ends it; without JOURNEY the open one, also below
            reset PERSON [JOURNEY]   begins it again: its points, notes and photos go
            delete PERSON JOURNEY
            list PERSON              newest first
            show PERSON [JOURNEY]    how far, how long, where it stood still, notes and photos
            export PERSON [JOURNEY]  the path as GeoJSON, or GPX with --gpx, to --output

            A journey is its person's: to start, stop, reset and delete one, set JAGA_TOKEN to
            that person's token. The operator sees of it what was shared with circles; every such
            look is a row of the person's access log.
            """,
        options: [
            .init(name: "--name", value: "TEXT", help: "start: what it is called"),
            .init(name: "--gpx", value: nil, help: "export: GPX 1.1 instead of GeoJSON"),
            .init(
                name: "--tolerance", value: "METRES", help: "export: without what lies on a line"),
            .init(name: "--output", value: "FILE", help: "export: instead of standard output"),
            .json,
        ] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        guard call.parameters.count >= 2 else { throw CommandError.usage("whose?", syntax) }
        let verb = call.parameters[0]
        let api = try API(call)
        let person = try Names(api: api).id(of: .person, call.parameters[1])
        let path = "/v1/people/\(Holder.part(person))/journeys"
        let id = call.parameters.dropFirst(2).first
        func journey() throws -> String {
            "\(path)/\(Holder.part(try id ?? open(try api.list(path, limit: 1))))"
        }
        switch (verb, id) {
        case ("start", nil):
            let name = call.value("--name").map { JSON.Member("name", .string($0)) }
            say(try api.post(path, .object([name].compactMap(\.self))), call)
        case ("stop", _), ("reset", _):
            say(try api.call(.post, "\(try journey())/\(verb)"), call)
        case ("delete", let id?):
            try api.delete("\(path)/\(Holder.part(id))")
            Console.say("deleted")
        case ("list", nil): list(try api.list(path), call)
        case ("show", _):
            let sum = try api.get(try journey())
            Console.say(call.has("--json") ? sum.text : lines(of: sum).joined(separator: "\n"))
        case ("export", _): try export(try journey(), api, call)
        default: throw CommandError.usage("not understood: journey \(verb)", syntax)
        }
        return 0
    }

    /// The one that goes on, of the newest.
    private static func open(_ newest: [JSON]) throws(CommandError) -> String {
        guard let journey = newest.first, let id = journey["id"]?.string else {
            throw CommandError("there is no journey", hint: "start one: jaga journey start PERSON")
        }
        guard journey["state"] == "open" else {
            throw CommandError(
                "no journey is open", hint: "name one; 'jaga journey list PERSON' shows them")
        }
        return id
    }

    private static func say(_ journey: JSON, _ call: Call) {
        if call.has("--json") { return Console.say(journey.text) }
        let stopped = journey.cell("stopped")
        Console.say(
            "\(journey.cell("id")) \(journey.cell("state")) since \(journey.cell("started"))"
                + (stopped.isEmpty ? "" : ", until \(stopped)"))
    }

    private static func list(_ journeys: [JSON], _ call: Call) {
        if call.has("--json") {
            for journey in journeys { Console.say(journey.text) }
            return
        }
        var table = Table("started", "stopped", "name", "id")
        for journey in journeys {
            table.add(
                journey.cell("started"), journey.cell("stopped"), journey.cell("name"),
                journey.cell("id"))
        }
        for line in table.lines { Console.say(line) }
    }

    /// A journey with its sum, for people.
    static func lines(of journey: JSON) -> [String] {
        let metres = journey["distance"]?.double ?? 0
        let duration = journey["duration"]?.double ?? 0
        let moving = journey["movingTime"]?.double ?? 0
        let stopped = journey.cell("stopped")
        var lines = [
            "\(journey.cell("id")) \(journey.cell("name"))",
            "from \(journey.cell("started")) " + (stopped.isEmpty ? "until now" : "to \(stopped)"),
            "\(Int(nearest: metres)) m along \(journey.cell("points")) points in"
                + " \(text(seconds: duration)), \(text(seconds: moving)) of it on the move,"
                + " \(journey.cell("stopCount")) stops",
        ]
        for stop in journey["stops"]?.array ?? [] {
            lines.append(
                "stop   \(stop.cell("from")) to \(stop.cell("to")) at \(place(of: stop))")
        }
        for note in journey["notes"]?.array ?? [] {
            lines.append("note   \(note.cell("time")) \(place(of: note)) \(note.cell("text"))")
        }
        for photo in journey["photos"]?.array ?? [] {
            lines.append("photo  \(photo.cell("time")) \(place(of: photo)) \(photo.cell("id"))")
        }
        return lines
    }

    private static func place(of pin: JSON) -> String {
        pin["lat"] == nil ? "" : "\(pin.cell("lat")), \(pin.cell("lon"))"
    }

    /// Such as `1:05:09`.
    static func text(seconds: Double) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let seconds = Int(nearest: seconds)
        return "\(seconds / 3600):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
    }

    private static func export(_ journey: String, _ api: API, _ call: Call) throws {
        var path = journey + (call.has("--gpx") ? "/points.gpx" : "/points")
        if let tolerance = call.value("--tolerance") {
            path += "?tolerance=" + Percent.encode(tolerance)
        }
        let bytes = try api.bytes(path)
        if let file = call.value("--output") {
            try Files.write(bytes, to: file, mode: 0o600)
        } else {
            Console.writeFile(String(decoding: bytes, as: UTF8.self))
        }
    }
}
