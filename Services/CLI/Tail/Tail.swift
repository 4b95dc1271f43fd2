import Hosting
import Model
import Parsing
import Runtime
import Wire

/// `jaga tail`: shows events as they happen.
enum Tail: Command {
    static let syntax = Syntax(
        name: "tail", parameters: ["[STREAM|TYPE …]"],
        summary: "show events as they happen, one line each",
        details: """
            Shows new events. With --since it shows stored events and ends, unless --follow is
            given. Events of one stream appear in their order and without gaps; events of different
            streams in order of arrival. Positions, names, addresses and notes are masked unless
            --pii is given.

            STREAM is one of in, events, sos, directory, deadlines, deliveries, events/17; TYPE is a
            type or its prefix, such as zone or jaga.emergency.opened (docs/events.md lists all
            types). Lines are CloudEvents JSON with --json, and if the output is not a terminal.
            docs/tail.md has examples.

            With --url, --token-file or --cacert it reads over HTTP, from any host, and the suite
            masks personal data; 'jaga admin monitoring-token' creates a token for this purpose.
            """,
        options: [
            .init(
                name: "--since", value: "TIME",
                help: "start at an age such as 10m or 2h, or a time such as 2026-11-20T10:20:00Z"),
            .init(
                name: "--follow", value: nil,
                help:
                    "after --since, continue with new events; wait for the suite if needed"),
            .init(
                name: "--stream", value: "NAME", help: "only this stream", repeats: true),
            .init(
                name: "--type", value: "PREFIX",
                help: "only types with this prefix, such as jaga.zone", repeats: true),
            .init(
                name: "--person", value: "PERSON",
                help: "only events about this person (name or id)"),
            .init(
                name: "--circle", value: "CIRCLE",
                help: "only events that name this circle or concern a current member"),
            .init(name: "--limit", value: "N", help: "stop after N events"),
            .init(name: "--json", value: nil, help: "print CloudEvents JSON even on a terminal"),
            .init(
                name: "--pii", value: nil,
                help: "show positions, names, addresses and notes; needs --access-reason"),
            .reason,
            .init(name: "--url", value: "URL", help: "read over HTTP from this suite"),
            .init(
                name: "--token-file", value: "FILE",
                help: "read over HTTP with the token in this file's first line"),
            .authorities, .portBase, .home,
        ])

    static func run(_ call: Call) throws -> Int32 {
        let filter = try EventFilter(call, now: SystemClock().now)
        guard !call.has("--pii") || call.value("--access-reason") != nil else {
            throw CommandError.usage("--pii needs --access-reason", syntax)
        }
        let scope: Listener.Scope =
            call.has("--follow") ? .liveWaiting : filter.wantsStored ? .stored : .live
        let isRemote = RemoteListener.isRequested(by: call)
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
            try RemoteListener(call, filter, scope).receive(until: isOver) { printer.print($0) }
            return 0
        }
        try members?.read(waits: call.has("--follow"))
        let listener = try Listener(call, fromOldest: filter.wantsStored, wants: filter.includes)
        try listener.receive(
            until: isOver, scope, updating: members, handle: { printer.print($0, $1, $2) })
        return 0
    }
}

/// Prints matching events.
struct TailPrinter {
    let filter: EventFilter
    /// Whether nothing is masked.
    let showsAll: Bool
    /// Whether lines are JSON.
    let isJSON: Bool
    /// Number of events left to print.
    private(set) var left: Int
    /// Records access to positions; nil if the suite does so, or positions are masked.
    let access: AccessSession?
    /// Whether a person is a member of the filter's circle.
    let isMember: (PersonID) -> Bool

    mutating func print(_ stream: StreamName, _ position: Position, _ record: Record) {
        guard left > 0, let line = line(stream, position, record) else { return }
        Console.print(line)
        left -= 1
    }

    /// Prints an event that was received over HTTP, as the suite masked it.
    mutating func print(_ event: JSON) {
        guard left > 0, filter.includes(event) else { return }
        Console.print(
            text(of: event, event["type"]?.string.flatMap(EventKind.init(type:))))
        left -= 1
    }

    private func text(of shown: JSON, _ kind: EventKind?) -> String {
        Console.paint(
            isJSON ? shown.text : TailPrinter.summary(of: shown), kind.map(color) ?? .dim)
    }

    /// The line of a record; nil if it does not match. Records that cannot be decoded are reported
    /// on standard error.
    private mutating func line(_ stream: StreamName, _ position: Position, _ record: Record)
        -> String?
    {
        do {
            let event = try EventCodec.decode(record)
            guard !event.isHidden, filter.includes(event, on: stream) else { return nil }
            let json = try EventCodec.cloudEvent(event, stream: stream, position: position)
            guard filter.matchesCircle(event, json, isMember: isMember) else { return nil }
            let isWhole = showsAll && access?.mayShow(json, about: event.body.person) ?? true
            return text(of: isWhole ? json : Masking.mask(json), event.kind)
        } catch {
            Console.printError("jaga tail: \(stream.text) \(position.sequence): \(error)")
            return nil
        }
    }

    /// An event as one short line: time of day in UTC, type, zone name, person, and short fields of
    /// its data. JSON output has all fields.
    ///
    /// - Parameter columns: maximum width; the type is never cut
    static func summary(of event: JSON, columns: Int = Console.columns) -> String {
        func text(_ name: String) -> String { event[name]?.string ?? "" }
        let time = text("time").drop { $0 != "T" }.dropFirst().prefix(8)
        let type = text("type").replacing("jaga.", with: "", maxReplacements: 1)
        let padded = type + String(repeating: " ", count: max(0, 24 - type.count))
        let all = (event["data"]?.object ?? []).filter { $0.value != event["subject"] }
        // The zone's name is most useful, so it comes before the person's id.
        let zone = all.indices.lazy.compactMap { index -> (index: Int, text: String)? in
            let name = all[index].key == "zoneName" ? all[index].value : all[index].value["name"]
            guard let name, ["zoneName", "zone"].contains(all[index].key) else { return nil }
            return detail("zone", name).map { (index, $0) }
        }.first
        let data = all.enumerated().filter { $0.offset != zone?.index }.map(\.element)
        // Ids are least useful, so they come last and are cut first.
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

    /// Returns nil for masked, empty or null values, times, arrays and objects without a name.
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
        let traits = kind.row.traits
        if traits.contains(.alert) { return .red }
        if traits.contains(.movement) { return .green }
        return traits.contains(.response) ? .cyan : .dim
    }
}
