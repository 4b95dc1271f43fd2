import Model
import Parsing

/// `jaga check-in`: check-in schedules of a person, and their answers.
enum CheckInCommand: Command {
    static let syntax = Syntax(
        name: "check-in", parameters: ["[VERB]", "[ID]"],
        summary: "let Jaga ask you regularly whether you are OK",
        details: """
            list         lists check-in schedules with their next due time; also without a verb
            add          adds a schedule: --days mon,tue --at 18:00, or --days fri --from 22:00
                         --to 06:00 --every 30
            remove ID    removes a schedule
            ok           answers what is asked: you are OK

            If a PIN is set, remove and ok read it from standard input. Set JAGA_TOKEN or
            --token-file to your token. Guardians manage schedules of a ward: --person.
            """,
        options: [
            OwnAccount.option,
            .init(name: "--name", value: "NAME", help: "name of the schedule"),
            .init(name: "--days", value: "DAYS", help: "such as mon,tue (default: every day)"),
            .init(name: "--at", value: "HH:MM", help: "when to ask"),
            .init(name: "--from", value: "HH:MM", help: "start of a shift"),
            .init(name: "--to", value: "HH:MM", help: "end of a shift"),
            .init(name: "--every", value: "MINUTES", help: "how often to ask during the shift"),
            .init(name: "--except", value: "DATES", help: "days without check-in: 2026-12-25,…"),
        ] + [.tokenFile, .json] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let api = try API(call)
        let words = call.parameters.isEmpty ? ["list"] : call.parameters
        let person = try OwnAccount(api, call).path
        let path = person + "/check-in-schedules"
        switch (words[0], words.count) {
        case ("list", 1): list(try api.get(path)["items"]?.array ?? [], call)
        case ("add", 1): report(try api.post(path, try body(call)), call)
        case ("remove", 2):
            _ = try api.call(
                .delete, path + "/" + API.pathPart(words[1]), try PINInput.body(api, call))
            if !call.has("--json") { Console.print("Removed.") }
        case ("ok", 1):
            let reply = try api.post(person + "/check-ins", try PINInput.body(api, call))
            Console.print(call.has("--json") ? reply.text : "Noted: you are OK.")
        default: throw CommandError.usage("list, add, remove ID or ok is required", syntax)
        }
        return 0
    }

    private static func body(_ call: Call) throws -> JSON {
        let days = words(call.value("--days") ?? "mon,tue,wed,thu,fri,sat,sun")
        var body: [JSON.Member] = []
        if let name = call.value("--name") { body.append(.init("name", .string(name))) }
        switch (call.value("--at"), call.value("--from"), call.value("--to")) {
        case (let at?, nil, nil):
            body.append(.init("times", [["days": days, "at": .string(at)]]))
        case (nil, let from?, let to?):
            guard
                let every = call.value("--every").flatMap({
                    UntrustedNumber.integer($0, in: 1...1440)
                })
            else {
                throw CommandError.usage("--every is required with a shift, in minutes", syntax)
            }
            let shift: JSON = ["days": days, "from": .string(from), "to": .string(to)]
            body.append(.init("shifts", [shift]))
            body.append(.init("everyMinutes", .integer(Int64(every))))
        default:
            throw CommandError.usage("--at, or --from, --to and --every are required", syntax)
        }
        if let dates = call.value("--except") { body.append(.init("except", words(dates))) }
        return .object(body)
    }

    private static func words(_ list: String) -> JSON {
        .array(list.split(separator: ",").map { .string(String($0)) })
    }

    private static func list(_ schedules: [JSON], _ call: Call) {
        if call.has("--json") {
            for schedule in schedules { Console.print(schedule.text) }
            return
        }
        guard !schedules.isEmpty else { return Console.print("No check-in schedule.") }
        var table = Table("next", "name", "asks now", "id")
        for schedule in schedules {
            table.add(
                schedule.cell("next"), schedule.cell("name").onOneLine,
                schedule["open"]?.cell("state") ?? "", schedule.cell("id"))
        }
        for line in table.lines { Console.print(line) }
    }

    private static func report(_ schedule: JSON, _ call: Call) {
        if call.has("--json") { return Console.print(schedule.text) }
        Console.print("Check-in \(schedule.cell("id")), next at \(schedule.cell("next")).")
    }
}
