import Directory
import Model
import NotifierCore
import Parsing
import Web

/// Everything recorded of one emergency that a reader may see: place, trail, battery, tiers with
/// times, recipients with each attempt, notes.
struct Incident {
    private let row: Emergency
    private let view: IncidentView
    private let positions: [FollowedPositionRow]
    private let timeline: [(seq: Int64, row: TimelineRecord)]
    private let messages: [Notification]
    private let attempts: [NotificationID: [JSON]]
    private let changes: [NotificationID: [JSON]]
    private let reader: PersonID?
    private let directory: Replica
    private let now: Timestamp

    init(
        _ row: Emergency, _ view: IncidentView, _ principal: Principal, _ context: RequestContext
    ) throws {
        self.row = row
        self.view = view
        reader = principal.person
        directory = context.directory
        now = context.now
        let store = context.store
        positions =
            view.showsPosition
            ? try store.followedPositions(
                of: row.person, from: row.raised - Limits.trailBefore,
                through: view.ended ?? context.now, limit: Limits.trailRowsMax) : []
        let circles = Set(view.circles)
        timeline = try store.timeline(
            of: row.id, for: principal.person, limit: Limits.incidentEntriesMax
        ).filter { circles.contains($0.row.circle) }
        let all = try store.notifications(of: row.id, limit: Limits.escalationMessagesMax)
        let own = principal.person
        messages = all.reversed().filter { message in
            view.showsAllMessages || own.map(message.recipients.contains) ?? false
        }
        attempts = Dictionary(
            uniqueKeysWithValues: try messages.map { ($0.id, try store.attempts(of: $0.id)) })
        changes = Dictionary(
            uniqueKeysWithValues: try messages.map { ($0.id, try store.changes(of: $0.id)) })
    }

    // MARK: JSON

    /// The record as JSON.
    var document: JSON {
        var members = Documents.emergency(row, view, in: directory).object ?? []
        let known = PersonPositions(of: row, stored: positions)
        let newest = view.showsPosition ? known.newest : nil
        members += [
            .init("reference", .string(row.reference)), .init("place", place(newest)),
            .init("positionShown", .bool(view.showsPosition)),
            .init("battery", known.battery.map { .integer(Int64($0)) } ?? .null),
            .init(
                "trail",
                .array(view.showsPosition ? known.trail.reversed().map { place($0) } : [])),
            .init(
                "notes",
                .array(
                    view.notes.map { note in
                        [
                            "at": .string(note.at.description),
                            "by": Documents.person(note.by, in: directory),
                            "text": .string(note.text),
                        ]
                    })),
            .init("tiers", .array(tiers)),
            .init("recipients", .array(people.map(recipient))),
            .init("timeline", .array(timeline.map(entry))),
        ]
        return .object(members)
    }

    private func place(_ marked: MarkedFix?) -> JSON {
        guard let marked else { return .null }
        let fix = marked.fix
        return [
            "lat": .number(fix.position.latitude), "lon": .number(fix.position.longitude),
            "accuracy": fix.accuracyCentimetres > 0
                ? .number(Double(fix.accuracyCentimetres) / 100) : .null,
            "at": .string(fix.time.description), "suspect": .bool(marked.isSuspect),
        ]
    }

    private var tiers: [JSON] {
        timeline.filter { $0.row.kind == .tier || $0.row.kind == .exhausted }.map { _, row in
            [
                "circle": circle(row.circle), "at": .string(row.at.description),
                "tier": row.tier.map { .integer(Int64($0)) } ?? .null,
                "round": row.round.map { .integer(Int64($0)) } ?? .null,
                "people": .array(row.decisions.map { decision($0) }),
            ]
        }
    }

    /// People who were notified, then others with messages.
    private var people: [PersonID] {
        var listed: Set<PersonID> = []
        let others = messages.flatMap(\.recipients)
        return (view.recipients + others).filter { listed.insert($0).inserted }
    }

    private func recipient(_ person: PersonID) -> JSON {
        let own = messages.filter { $0.recipients.contains(person) }
        let showsMessages = view.showsAllMessages || person == reader
        return [
            "person": Documents.person(person, in: directory),
            "responded": .bool(view.acknowledgements.contains { $0.by == person }),
            "messages": showsMessages ? .array(own.map { message($0, to: person) }) : .null,
        ]
    }

    private func message(_ row: Notification, to person: PersonID) -> JSON {
        let address = person == reader ? row.address : Documents.masked(row.address)
        return [
            "id": .string(row.id.description), "created": .string(row.created.description),
            "channel": .string(row.channel.rawValue), "to": .string(address),
            "reason": .string(row.reason.rawValue), "because": .string(row.reason.sentence),
            "state": .string(row.state.rawValue), "answer": .string(row.answer),
            "attempts": .array(attempts[row.id] ?? []), "changes": .array(changes[row.id] ?? []),
        ]
    }

    private func entry(_ seq: Int64, _ row: TimelineRecord) -> JSON {
        let shown = directory.circle(row.circle).map { row.shown(to: reader, in: $0) } ?? row
        return [
            "at": .string(row.at.description), "circle": circle(row.circle),
            "kind": .string(row.kind.rawValue), "sentence": .string(row.kind.sentence),
            "by": Documents.person(row.by, in: directory),
            "text": row.text.map { .string($0) } ?? .null,
            "people": .array(shown.decisions.map { decision($0) }),
        ]
    }

    private func decision(_ decision: NotifyDecision) -> JSON {
        [
            "person": Documents.person(decision.recipient, in: directory),
            "notified": .bool(decision.reason.sendsMessage),
            "reason": .string(decision.reason.rawValue),
            "because": .string(decision.reason.sentence),
        ]
    }

    private func circle(_ id: CircleID) -> JSON {
        [
            "id": .string(id.description),
            "name": directory.circle(id).map { .string($0.name) } ?? .null,
        ]
    }

    // MARK: Print

    /// The record as a report to print. Times are in UTC, as they are for every reader.
    var report: PrintedReport {
        let who = name(row.person)
        var blocks: [ReportBlock] = [.title("Emergency of \(who)")]
        func add(_ label: String, _ text: String?) {
            if let text, !text.isEmpty { blocks.append(.row(label, text)) }
        }
        add("Id", row.id.description)
        add("State", view.state.rawValue)
        add("Trigger", row.trigger.rawValue + (row.raisedBy.map { ", by \(name($0))" } ?? ""))
        add("Raised", clock(row.raised) + (row.isLate ? " (received late)" : ""))
        add("Opened", row.opened.map(clock))
        add(
            "Ended",
            view.ended.map { clock($0) + (view.endedBy.map { ", by \(name($0))" } ?? "") })
        for acknowledgement in view.acknowledgements {
            add("Responder", "\(name(acknowledgement.by)), since \(clock(acknowledgement.at))")
        }
        add("Note", row.note)
        for note in view.notes { add(clock(note.at), "\(name(note.by)): \(note.text)") }
        addPlaces(&blocks)
        addPeople(&blocks)
        blocks.append(.heading("What happened"))
        if timeline.isEmpty { blocks.append(.text("No entries that you may read.")) }
        for (_, entry) in timeline {
            var text = entry.kind.sentence
            if let tier = entry.tier { text += " Tier \(tier + 1)." }
            if let by = entry.by { text += " By \(name(by))." }
            if let remark = entry.text { text += " \u{201C}\(remark)\u{201D}" }
            let circle = directory.circle(entry.circle)?.name ?? "?"
            blocks.append(.row(clock(entry.at), "\(circle): \(text)"))
            let shown = directory.circle(entry.circle).map { entry.shown(to: reader, in: $0) }
            for decision in (shown ?? entry).decisions {
                blocks.append(
                    .row(
                        "",
                        name(decision.recipient)
                            + (decision.reason.sendsMessage ? ", notified: " : ", not notified: ")
                            + decision.reason.sentence))
            }
        }
        return PrintedReport(
            footer: "Jaga · \(row.id) · printed \(clock(now)) · times in UTC", blocks: blocks)
    }

    private func addPlaces(_ blocks: inout [ReportBlock]) {
        blocks.append(.heading("Place"))
        guard view.showsPosition else {
            return blocks.append(.text("The position is not shared with you."))
        }
        let known = PersonPositions(of: row, stored: positions)
        guard let newest = known.newest else { return blocks.append(.text("No position known.")) }
        blocks.append(.row("Last position", sentence(newest)))
        if let battery = known.battery { blocks.append(.row("Battery", "\(battery) %")) }
        if let sketch = Sketch(of: known, zones: []) { blocks.append(.sketch(sketch)) }
        let shown = known.trail.prefix(Limits.pageTrailMax)
        for (index, marked) in shown.enumerated() {
            blocks.append(.row(index == 0 ? "Before" : "", sentence(marked)))
        }
        if shown.count < known.trail.count {
            blocks.append(
                .row("", "and \(known.trail.count - shown.count) more: GET …/incident as JSON"))
        }
    }

    private func sentence(_ marked: MarkedFix) -> String {
        let fix = marked.fix
        let accuracy =
            fix.accuracyCentimetres > 0
            ? "within \((fix.accuracyCentimetres + 99) / 100) m" : "accuracy unknown"
        return "\(PlaceText.coordinates(fix.position)), \(accuracy), \(clock(fix.time))"
            + (marked.isSuspect ? ", doubtful: it contradicts the positions before" : "")
    }

    private func addPeople(_ blocks: inout [ReportBlock]) {
        blocks.append(.heading("Who was notified"))
        if people.isEmpty { blocks.append(.text("Nobody.")) }
        for person in people {
            blocks.append(.row(name(person), isResponder(person) ? "responded" : ""))
            guard view.showsAllMessages || person == reader else { continue }
            for message in messages where message.recipients.contains(person) {
                let address =
                    person == reader ? message.address : Documents.masked(message.address)
                blocks.append(
                    .row(
                        "",
                        "\(clock(message.created)) \(message.channel.rawValue) to \(address): "
                            + "\(message.state.rawValue). \(message.reason.sentence)"))
                for attempt in attempts[message.id] ?? [] {
                    let outcome = attempt["outcome"]?.string.flatMap(AttemptOutcome.init(rawValue:))
                    blocks.append(
                        .row(
                            "",
                            "    attempt \(attempt["number"]?.int ?? 0) through "
                                + "\(attempt["gateway"]?.string ?? "?"): "
                                + (outcome?.sentence ?? "It is in flight.")))
                }
            }
        }
    }

    private func isResponder(_ person: PersonID) -> Bool {
        view.acknowledgements.contains { $0.by == person }
    }

    private func name(_ person: PersonID?) -> String {
        guard let person else { return "the operator" }
        return directory.person(person)?.name ?? person.description
    }

    /// "2026-11-20 04:00:00".
    private func clock(_ time: Timestamp) -> String {
        String(time.description.prefix(19)).replacing("T", with: " ")
    }
}
