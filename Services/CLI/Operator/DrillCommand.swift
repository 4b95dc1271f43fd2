import Parsing
import Runtime

/// `jaga drill`: tests the alarms of a circle with messages that are marked as a test.
enum DrillCommand: Command {
    static let syntax = Syntax(
        name: "drill", parameters: ["[VERB]", "[CIRCLE]", "[DRILL]"],
        summary: "test the alarms of a circle, and read who answered",
        details: """
            list CIRCLE          lists the drills of a circle and when the next one starts
            show CIRCLE [DRILL]  shows who was notified and who answered (default: the last one)
            start CIRCLE         starts a drill: members who agreed get messages marked TEST
            stop CIRCLE DRILL    stops a drill; messages that wait are not sent
            schedule CIRCLE      starts one each month, on --day at --time of your time zone
            unschedule CIRCLE    ends that
            agree CIRCLE         you agree to get the test messages of CIRCLE
            decline CIRCLE       you get none any more

            Admins and guardians start drills with their own token, set by JAGA_TOKEN or
            --token-file. A drill is refused during an emergency, and an emergency ends it. CIRCLE
            is a name or an id.
            """,
        options: [
            .init(name: "--day", value: "DAY", help: "schedule: day of the month, 1 to 28"),
            .init(name: "--time", value: "TIME", help: "schedule: time of day, such as 10:00"),
            .tokenFile, .json,
        ] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let api = try API(call)
        let words = call.parameters
        guard words.count >= 2 else {
            throw CommandError.usage("a verb and CIRCLE are required", syntax)
        }
        let circle = API.pathPart(try Names(api: api).id(of: .circle, words[1]))
        let path = "/v1/circles/\(circle)"
        switch (words[0], words.count) {
        case ("list", 2): try list(try api.get(path + "/drills"), call)
        case ("show", 2):
            guard let last = try api.get(path + "/drills")["items"]?.array?.first else {
                Console.print("No drill yet. Start one with 'jaga drill start'.")
                return 0
            }
            show(last, call)
        case ("show", 3):
            show(try api.get(path + "/drills/" + API.pathPart(words[2])), call)
        case ("start", 2): show(try api.post(path + "/drills", [:]), call)
        case ("stop", 3):
            show(try api.post(path + "/drills/\(API.pathPart(words[2]))/stop", [:]), call)
        case ("schedule", 2): try schedule(path, api, call)
        case ("unschedule", 2):
            try api.delete(path + "/drill-schedule")
            Console.print("no drill starts by itself any more")
        case ("agree", 2), ("decline", 2):
            let own = API.pathPart(try OwnAccount(api, call).id)
            let joins = words[0] == "agree"
            let answer = try api.put(path + "/members/\(own)", ["joinsDrills": .bool(joins)])
            Console.print(
                call.has("--json")
                    ? answer.text
                    : joins ? "you take part in drills" : "you get no test messages")
        default:
            throw CommandError.usage(
                "unexpected arguments: \(words.joined(separator: " "))", syntax)
        }
        return 0
    }

    private static func schedule(_ path: String, _ api: API, _ call: Call) throws {
        guard let day = call.value("--day").flatMap({ Int64($0) }),
            let time = call.value("--time")
        else { throw CommandError.usage("schedule: --day and --time are required", syntax) }
        let answer = try api.put(
            path + "/drill-schedule", ["day": .integer(day), "time": .string(time)])
        Console.print(call.has("--json") ? answer.text : scheduled(answer))
    }

    private static func scheduled(_ schedule: JSON) -> String {
        "next drill \(schedule.cell("next")), then each month on day \(schedule.cell("day")) at "
            + "\(schedule.cell("time")) \(schedule.cell("timeZone"))"
    }

    private static func list(_ answer: JSON, _ call: Call) throws {
        if call.has("--json") { return Console.print(answer.text) }
        if let schedule = answer["schedule"], !schedule.isNull {
            Console.print(scheduled(schedule))
        }
        var table = Table("started", "state", "notified", "answered", "by", "id")
        for drill in answer["items"]?.array ?? [] {
            table.add(
                drill.cell("started"), DrillReport(drill).state, drill.cell("notified"),
                drill.cell("answered"), drill["startedBy"]?.cell("name") ?? "", drill.cell("id"))
        }
        for line in table.lines { Console.print(line) }
    }

    private static func show(_ drill: JSON, _ call: Call) {
        if call.has("--json") { return Console.print(drill.text) }
        for line in DrillReport(drill).lines { Console.print(line) }
    }
}

/// The report of a drill as text.
struct DrillReport {
    let drill: JSON

    init(_ drill: JSON) { self.drill = drill }

    /// "stopped by an emergency".
    var state: String {
        drill.cell("stoppedBy") == "emergency"
            ? "stopped by an emergency" : drill.cell("state")
    }

    var lines: [String] {
        var lines = [
            "drill \(drill.cell("id")) of \(drill.cell("started")), \(state)",
            "\(drill.cell("answered")) of \(drill.cell("notified")) answered",
        ]
        var table = Table("tier", "name", "answered", "message", "")
        for participant in drill["participants"]?.array ?? [] {
            let messages = participant["messages"]?.array ?? []
            let answered = participant["answeredAfterSeconds"]?.int
            for (index, message) in messages.enumerated() {
                table.add(
                    index == 0 ? participant.cell("tier") : "",
                    index == 0 ? participant["person"]?.cell("name") ?? "" : "",
                    index == 0 ? answered.map { "after \($0) s" } ?? "no" : "",
                    "\(message.cell("channel")) \(message.cell("state"))",
                    message["failed"]?.bool == true ? "FAILED \(message.cell("answer"))" : "")
            }
            guard messages.isEmpty else { continue }
            table.add(
                participant.cell("tier"), participant["person"]?.cell("name") ?? "",
                answered.map { "after \($0) s" } ?? "no", "none",
                "FAILED \(participant.cell("reason"))")
        }
        lines += table.lines
        let names = (drill["notAsked"]?.array ?? []).map { $0.cell("name") }
        if !names.isEmpty {
            lines.append("have not agreed to take part: " + names.joined(separator: ", "))
        }
        return lines
    }
}
