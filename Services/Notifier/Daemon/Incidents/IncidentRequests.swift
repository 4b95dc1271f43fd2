import Directory
import Model
import NotifierCore
import Parsing
import Web

/// Requests about emergencies that the caller may know of: a list, and one of them whole.
struct IncidentRequests {
    let context: RequestContext

    // MARK: List

    /// Emergencies, active ones first, then the newest end first.
    ///
    /// A page may be short; `next` says whether there is another.
    func list(_ request: Request, for principal: Principal) throws -> RequestOutcome {
        let page = try Page(request)
        let filter = try EmergencyFilter(request)
        if let circle = filter.circle {
            // To others a circle is reported as not found.
            let isStaff = context.directory.decide(
                principal, .readIncidents, on: .suite, at: context.now
            ).isAllowed
            let member = principal.person.flatMap {
                context.directory.circle(circle)?.member($0)
            }
            guard isStaff ? context.directory.circle(circle) != nil : member?.joined != nil else {
                throw Problem.notFound("there is no such circle")
            }
        }
        let hidden = context.core.covertOrigins
        func item(_ row: Emergency) -> JSON? {
            guard filter.includes(row, in: context.directory),
                !hidden.contains(row.id) || row.person == principal.person,
                let view = context.core.incident(
                    row, for: principal, context.directory, at: context.now),
                filter.includes(view.state)
            else { return nil }
            return Documents.emergency(row, view, in: context.directory)
        }
        var items: [JSON] = []
        if page.before == .max {
            items = context.core.escalation.active.sorted {
                ($0.raised, $0.id) > ($1.raised, $1.id)
            }
            .compactMap(item)
        }
        let rows = try context.store.endedEmergencies(
            for: principal.person, before: page.before, limit: Limits.emergenciesScannedMax)
        var last = rows.last?.ended
        for row in rows {
            guard items.count < page.limit else { break }
            last = row.ended
            if let item = item(row.row) { items.append(item) }
        }
        let isMore = last != rows.last?.ended || rows.count == Limits.emergenciesScannedMax
        return .respond(
            .json([
                "items": .array(items),
                "next": isMore ? last.map { .string(String($0)) } ?? .null : .null,
            ]))
    }

    // MARK: One

    /// The whole record of an emergency, as JSON or with `?format=pdf` as a document to print.
    func show(
        _ id: EmergencyID, _ request: Request, for principal: Principal
    ) throws -> RequestOutcome {
        let isPrinted = try IncidentRequests.isPrinted(request)
        let store = context.store
        var row = try context.core.escalation.emergency(id) ?? store.emergency(id)
        if let known = row, known.person != principal.person,
            let covert = context.core.escalation.active.first(where: { $0.underDuress == known.id })
        {
            row = covert
        }
        guard let row,
            let view = context.core.incident(
                row, for: principal, context.directory, at: context.now)
        else { throw Problem.notFound("there is no such emergency") }
        if principal.needsReason(toRead: row.person, in: context.directory) {
            _ = try request.accessReason(isRequired: true)
        }
        let incident = try Incident(row, view, principal, context)
        var shown = [row.person]
        if view.showsAllMessages { shown += view.recipients }
        guard isPrinted else { return .respond(.json(incident.document), showing: shown) }
        return .printReport(incident.report, showing: shown)
    }

    private static func isPrinted(_ request: Request) throws -> Bool {
        switch request.query["format"] {
        case "pdf": return true
        case "json": return false
        case nil: return request.headers["Accept"]?.hasPrefix("application/pdf") ?? false
        default:
            throw Problem.invalid("no such format", field: "format", hint: "json or pdf")
        }
    }
}

/// Which emergencies a list contains.
private struct EmergencyFilter {
    var states: Set<EmergencyState>
    var circle: CircleID?
    var since: Timestamp?

    init(_ request: Request) throws {
        switch request.query["state"] {
        case nil: states = Set(EmergencyState.allCases)
        case "active": states = Set(EmergencyState.allCases.filter(\.isActive))
        case "ended": states = Set(EmergencyState.allCases.filter { !$0.isActive })
        case let text?:
            guard let state = EmergencyState(rawValue: text) else {
                let all = ["active", "ended"] + EmergencyState.allCases.map(\.rawValue)
                throw Problem.invalid(
                    "no such state", field: "state", hint: all.joined(separator: ", "))
            }
            states = [state]
        }
        if let text = request.query["circle"] {
            guard let id = CircleID(text) else {
                throw Problem.invalid("this is not the id of a circle", field: "circle")
            }
            circle = id
        }
        if let text = request.query["since"] {
            guard let time = Timestamp(text) else {
                throw Problem.invalid(
                    "this is not a time", field: "since", hint: "such as 2026-11-20T04:00:00Z")
            }
            since = time
        }
    }

    /// The state depends on the reader, see ``includes(_:)-state``.
    func includes(_ row: Emergency, in directory: Replica) -> Bool {
        (since.map { row.raised >= $0 } ?? true)
            && (circle.map { directory.circles(of: row.person).contains($0) } ?? true)
    }

    func includes(_ state: EmergencyState) -> Bool { states.contains(state) }
}

extension Documents {
    /// An emergency as its reader sees it, without a position.
    static func emergency(_ row: Emergency, _ view: IncidentView, in directory: Replica) -> JSON {
        func time(_ time: Timestamp?) -> JSON { time.map { .string($0.description) } ?? .null }
        return [
            "id": .string(row.id.description), "person": person(row.person, in: directory),
            "state": .string(view.state.rawValue), "trigger": .string(row.trigger.rawValue),
            "raisedBy": person(row.raisedBy, in: directory), "raised": time(row.raised),
            "opened": time(row.opened), "ended": time(view.ended),
            "endedBy": person(view.endedBy, in: directory), "late": .bool(row.isLate),
            "note": row.note.map { .string($0) } ?? .null,
            "acknowledgements": .array(
                view.acknowledgements.map {
                    ["by": person($0.by, in: directory), "at": time($0.at)]
                }),
        ]
    }
}
