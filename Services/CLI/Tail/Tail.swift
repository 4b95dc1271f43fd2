import Hosting
import Model
import Parsing
import Runtime
import Wire

/// `jaga tail`: every event as it happens.
enum Tail: Command {
    static let syntax = Syntax(
        name: "tail", parameters: ["[STREAM|TYPE …]"],
        summary: "every event as it happens, one line each",
        details: """
            Shows what comes from now on; with --since what is kept from before, and then ends,
            unless you say --follow. Of one stream the events come in their order, none missing;
            streams among each other in the order of their arrival. Positions, names, addresses and
            notes are masked unless you say --pii.

            STREAM is one of in, events, sos, directory, fired, deliveries, events/17; TYPE is a
            type or its beginning, such as zone or jaga.emergency.opened: docs/events.md describes
            every type. A line is CloudEvents JSON with --json, and wherever it is not written to a
            terminal. docs/tail.md shows what can be done with it.

            With --url, --token-file or --cacert it reads over HTTP, from any host, and the suite
            masks what is private; 'jaga admin monitoring-token' makes a token for that alone.
            """,
        options: [
            .init(
                name: "--since", value: "TIME",
                help: "from an age such as 10m or 2h, or a time such as 2026-11-20T10:20:00Z"),
            .init(
                name: "--follow", value: nil,
                help: "after --since, go on with what comes; wait for a suite that is not there"),
            .init(
                name: "--stream", value: "NAME", help: "only this one, as STREAM", repeats: true),
            .init(
                name: "--type", value: "BEGINNING",
                help: "only types that begin so, such as jaga.zone", repeats: true),
            .init(name: "--person", value: "PERSON", help: "only about this person: name or id"),
            .init(
                name: "--circle", value: "CIRCLE",
                help: "only what names this circle, or is about somebody who is in it now"),
            .init(name: "--limit", value: "N", help: "end after so many"),
            .init(name: "--json", value: nil, help: "CloudEvents JSON on a terminal too"),
            .init(
                name: "--pii", value: nil,
                help: "show positions, names, addresses and notes; people read who looked"),
            .init(name: "--url", value: "URL", help: "over HTTP, from the suite that is there"),
            .init(
                name: "--token-file", value: "FILE",
                help: "over HTTP, with the token in this file's first line"),
            .authorities, .portBase, .home,
        ])

    static func run(_ call: Call) throws -> Int32 {
        let filter = try EventFilter(call, now: SystemClock().now)
        let course: Listener.Course =
            call.has("--follow") ? .future : filter.wantsPast ? .past : .present
        let isRemote = RemoteListener.isMeant(by: call)
        let members =
            try isRemote
            ? nil : filter.circle.flatMap { CircleID($0) }.map { try Members(call, of: $0) }
        var printer = TailPrinter(
            filter: filter, showsAll: call.has("--pii"),
            isJSON: call.has("--json") || !Console.isTerminal,
            left: try call.number("--limit", default: .max, in: 1...Int.max),
            access: call.has("--pii") && !isRemote ? try AccessSession(call) : nil,
            isMember: { members?.contains($0) == true })
        let isOver = { printer.left == 0 }
        guard !isRemote else {
            try RemoteListener(call, filter, course).hear(until: isOver) { printer.take($0) }
            return 0
        }
        try members?.read(waits: call.has("--follow"))
        let listener = try Listener(call, fromOldest: filter.wantsPast, wants: filter.wants)
        try listener.hear(
            until: isOver, course, beside: members, take: { printer.take($0, $1, $2) })
        return 0
    }
}

/// Prints the events that are wanted.
struct TailPrinter {
    let filter: EventFilter
    /// Whether nothing is masked.
    let showsAll: Bool
    /// Whether lines are JSON, else for people.
    let isJSON: Bool
    /// How many more are printed.
    private(set) var left: Int
    /// Records looks at positions; nil where the suite does so, or nothing is shown.
    let access: AccessSession?
    /// Whether somebody is in the circle of the filter.
    let isMember: (PersonID) -> Bool

    mutating func take(_ stream: StreamName, _ position: Position, _ record: Record) {
        guard left > 0, let line = line(stream, position, record) else { return }
        Console.say(line)
        left -= 1
    }

    /// An event that came over HTTP, as the suite shows it.
    mutating func take(_ event: JSON) {
        guard left > 0, filter.wants(event) else { return }
        Console.say(text(of: event, EventKind.allCases.first { $0.type == event["type"]?.string }))
        left -= 1
    }

    private func text(of shown: JSON, _ kind: EventKind?) -> String {
        Console.paint(
            isJSON ? shown.text : TailPrinter.words(of: shown), kind.map(color) ?? .dim)
    }

    /// The line of a record; nil when it is not wanted. One that this program does not understand
    /// is told on standard error.
    private mutating func line(_ stream: StreamName, _ position: Position, _ record: Record)
        -> String?
    {
        do {
            let event = try EventCodec.decode(record)
            guard filter.wants(event, on: stream) else { return nil }
            let json = try EventCodec.cloudEvent(event, stream: stream, position: position)
            guard filter.isOfCircle(event, json, isMember: isMember) else { return nil }
            let isWhole = showsAll && access?.mayShow(json, about: event.body.person) ?? true
            return text(of: isWhole ? json : Masking.mask(json), event.kind)
        } catch {
            Console.complain("jaga tail: \(stream.text) \(position.sequence): \(error)")
            return nil
        }
    }

    /// An event as one short line for people: time of day in UTC, type, the zone by its name, whom
    /// it is about, and those of its data that are short. Nothing is missing in JSON.
    ///
    /// - Parameter columns: longer lines are cut, but never within the type
    static func words(of event: JSON, columns: Int = Console.columns) -> String {
        func text(_ name: String) -> String { event[name]?.string ?? "" }
        let time = text("time").drop { $0 != "T" }.dropFirst().prefix(8)
        let type = text("type").replacing("jaga.", with: "", maxReplacements: 1)
        let padded = type + String(repeating: " ", count: max(0, 24 - type.count))
        let all = (event["data"]?.object ?? []).filter { $0.value != event["subject"] }
        // The name of the zone says most, so that it stands before the id of the person.
        let zone = all.indices.lazy.compactMap { index -> (index: Int, text: String)? in
            let name = all[index].key == "zoneName" ? all[index].value : all[index].value["name"]
            guard let name, ["zoneName", "zone"].contains(all[index].key) else { return nil }
            return detail("zone", name).map { (index, $0) }
        }.first
        let data = all.enumerated().filter { $0.offset != zone?.index }.map(\.element)
        // Ids say least, so that they are cut first.
        let isID = { (member: JSON.Member) in
            member.value.string.map { $0.contains(#/^[a-z]{3}_[0-9a-z]{26}$/#) } ?? false
        }
        let details = (data.filter { !isID($0) } + data.filter(isID))
            .compactMap { detail($0.key, $0.value) }
        let words = ["\(time)", padded] + [zone?.text, text("subject")].compactMap(\.self)
        let line = (words + [details.joined(separator: " ")]).joined(separator: "  ").onOneLine
        let kept = max(columns - 1, time.count + 2 + type.count)
        return line.count > max(columns, kept) ? line.prefix(kept) + "…" : line
    }

    /// Nil for what is masked, null, empty, a time or made of parts.
    private static func detail(_ key: String, _ value: JSON) -> String? {
        switch value {
        case .null, .array: return nil
        case .object:
            let name = value["name"]?.string ?? ""
            return name.isEmpty || name == "***" ? nil : "\(key)=\(name)"
        case .string(let text):
            let isShown = !text.isEmpty && text != "***" && Timestamp(text) == nil
            return isShown ? "\(key)=\(text.prefix(40))" : nil
        default: return "\(key)=\(value.text)"
        }
    }

    private func color(of kind: EventKind) -> Color {
        switch kind {
        case .emergencyOpened, .emergencyJoined, .sosRaised, .watchExpired, .ladderExhausted,
            .signalGiven:
            .red
        case .zoneEntered, .zoneExited: .green
        case .notificationChanged, .ladderTier, .ladderAdopted, .ladderStanding: .cyan
        default: .dim
        }
    }
}
