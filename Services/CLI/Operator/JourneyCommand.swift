import Model
import Parsing
import Runtime
import Web

/// `jaga journey`: manages journeys of a person.
enum JourneyCommand: Command {
    static let syntax = Syntax(
        name: "journey", parameters: ["VERB", "PERSON", "[JOURNEY]"],
        summary: "start, stop, show and export journeys of a person",
        details: """
            start PERSON             starts a journey, or returns the open one
            stop PERSON [JOURNEY]    stops a journey (default: the open one, also below)
            reset PERSON [JOURNEY]   restarts a journey and deletes its points, notes and photos
            delete PERSON JOURNEY    deletes a journey
            list PERSON              lists journeys, newest first
            show PERSON [JOURNEY]    shows distance, duration, stops, notes and photos
            export PERSON [JOURNEY]  exports the path as GeoJSON, or as GPX with --gpx

            Only the person can start, stop, reset and delete their journeys: set JAGA_TOKEN to that
            person's token. The operator sees what was shared with circles; every access is recorded
            in the person's access log.
            """,
        options: [
            .init(name: "--name", value: "TEXT", help: "start: name of the journey"),
            .init(name: "--gpx", value: nil, help: "export: GPX 1.1 instead of GeoJSON"),
            .init(
                name: "--tolerance", value: "METRES",
                help: "export: simplify the path with this tolerance"),
            .init(
                name: "--output", value: "FILE",
                help: "export: output file (default: standard output)"),
            .json,
        ] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        guard call.parameters.count >= 2 else {
            throw CommandError.usage("PERSON is required", syntax)
        }
        let verb = call.parameters[0]
        let api = try API(call)
        let person = try Names(api: api).id(of: .person, call.parameters[1])
        let path = "/v1/people/\(API.pathPart(person))/journeys"
        let id = call.parameters.dropFirst(2).first
        func journey() throws -> String {
            "\(path)/\(API.pathPart(try id ?? open(try api.list(path, limit: 1))))"
        }
        switch (verb, id) {
        case ("start", nil):
            let name = call.value("--name").map { JSON.Member("name", .string($0)) }
            report(try api.post(path, .object([name].compactMap(\.self))), call)
        case ("stop", _), ("reset", _):
            report(try api.call(.post, "\(try journey())/\(verb)"), call)
        case ("delete", let id?):
            try api.delete("\(path)/\(API.pathPart(id))")
            Console.print("deleted")
        case ("list", nil): list(try api.list(path), call)
        case ("show", _):
            let sum = try api.get(try journey())
            Console.print(call.has("--json") ? sum.text : lines(of: sum).joined(separator: "\n"))
        case ("export", _): try export(try journey(), api, call)
        default:
            throw CommandError.usage(
                "unexpected arguments: \(call.parameters.joined(separator: " "))", syntax)
        }
        return 0
    }

    /// The id of the newest journey, if it is open.
    private static func open(_ newest: [JSON]) throws(CommandError) -> String {
        guard let journey = newest.first, let id = journey["id"]?.string else {
            throw CommandError(
                "the person has no journeys", hint: "start one with 'jaga journey start PERSON'")
        }
        guard journey["state"] == "open" else {
            throw CommandError(
                "no journey is open", hint: "name a JOURNEY; 'jaga journey list PERSON' lists them")
        }
        return id
    }

    private static func report(_ journey: JSON, _ call: Call) {
        if call.has("--json") { return Console.print(journey.text) }
        let stopped = journey.cell("stopped")
        Console.print(
            "\(journey.cell("id")) \(journey.cell("state")) since \(journey.cell("started"))"
                + (stopped.isEmpty ? "" : ", until \(stopped)"))
    }

    private static func list(_ journeys: [JSON], _ call: Call) {
        Listing(.field("started"), .field("stopped"), .field("name"), .field("id"))
            .print(journeys, call)
    }

    /// Renders a journey with its summary.
    static func lines(of journey: JSON) -> [String] {
        let metres = journey["distance"]?.double ?? 0
        let duration = journey["duration"]?.double ?? 0
        let moving = journey["movingTime"]?.double ?? 0
        let stopped = journey.cell("stopped")
        var lines = [
            "\(journey.cell("id")) \(journey.cell("name"))",
            "from \(journey.cell("started")) " + (stopped.isEmpty ? "until now" : "to \(stopped)"),
            "\(Int(nearest: metres)) m along \(journey.cell("points")) points in"
                + " \(text(seconds: duration)), \(text(seconds: moving)) moving,"
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
