import Model
import Parsing
import Web

/// Something that became due in an outage and waits for the operator, as a service shows it.
public struct HeldEntry: Hashable, Sendable {
    /// By which it is released or dropped.
    public var id: String
    /// `watch`, `clock`, `emergency`, `message`.
    public var kind: String
    /// What of it was due, such as `watch-expiry` or an emergency's trigger.
    public var what: String
    /// Whom it is about.
    public var person: PersonID?
    public var emergency: EmergencyID?
    /// To whom a message goes, and on which channel.
    public var recipient: PersonID?
    public var channel: Channel?
    public var due: Timestamp
    /// Not where another service shows what will come of it: it goes with its emergency.
    public var isShown: Bool

    public init(
        id: String, kind: String, what: String, person: PersonID?, emergency: EmergencyID? = nil,
        recipient: PersonID? = nil, channel: Channel? = nil, due: Timestamp,
        isShown: Bool = true
    ) {
        self.id = id
        self.kind = kind
        self.what = what
        self.person = person
        self.emergency = emergency
        self.recipient = recipient
        self.channel = channel
        self.due = due
        self.isShown = isShown
    }

    /// Whether an id names it: its own, that of its emergency or of its person.
    func isNamed(_ name: String) -> Bool {
        name == id || name == emergency?.description || name == person?.description
    }

    var json: JSON {
        [
            "id": .string(id), "kind": .string(kind), "what": .string(what),
            "person": person.map { .string($0.description) } ?? .null,
            "emergency": emergency.map { .string($0.description) } ?? .null,
            "recipient": recipient.map { .string($0.description) } ?? .null,
            "channel": channel.map { .string($0.rawValue) } ?? .null,
            "due": .string(due.description),
        ]
    }
}

// `GET` and `POST /v1/held/<service>`: what waits for the operator after an outage.
extension Host {
    /// What is held here, for the operator.
    func held(for request: Request) -> Response {
        do {
            try checkOperator(request)
            let entries = try service?.held ?? []
            return .json(heldDocument(entries).serialized())
        } catch {
            return .problem(error as? Problem ?? HostLimits.unavailable)
        }
    }

    /// Says, once, that something is held since the store is new. In a new suite there is nothing.
    func tellHold() {
        guard let last = holdLookedFor, let outage else { return }
        guard now < outage.holdEnds else {
            holdLookedFor = nil
            return
        }
        guard now - last >= HostLimits.holdLookInterval else { return }
        holdLookedFor = now
        guard let held = try? service?.held, !held.isEmpty else { return }
        holdLookedFor = nil
        log.warning(
            "the store is new; what others tell of the time before its first start is held",
            ["until": outage.until, "hold_ends": outage.holdEnds, "hint": Host.holdHint])
    }

    static let holdHint = "jaga release shows it, and sends or drops it"

    private func heldDocument(_ entries: [HeldEntry]) -> JSON {
        [
            "from": outage.map { .string($0.from.description) } ?? .null,
            "until": outage.map { .string($0.until.description) } ?? .null,
            "holdEnds": entries.isEmpty
                ? .null : outage.map { .string($0.holdEnds.description) } ?? .null,
            "items": .array(entries.filter(\.isShown).map(\.json)),
            "shownElsewhere": .array(
                Set(entries.filter { !$0.isShown }.compactMap(\.emergency)).sorted().map {
                    .string($0.description)
                }),
        ]
    }

    /// What a request wants to have settled: the entries named, or all.
    func settling(_ body: JSON) throws -> Chore {
        let isDropped: Bool
        switch body["action"]?.string {
        case "send": isDropped = false
        case "drop": isDropped = true
        default:
            throw Problem.invalid(
                "there is no such action", field: "action", hint: "send 'send' or 'drop'")
        }
        let entries = try service?.held ?? []
        if body["items"] == "all" { return .settle(entries, isAll: true, isDropped: isDropped) }
        let items = body["items"]?.array
        guard let items, items.allSatisfy({ $0.string != nil }) else {
            throw Problem.invalid(
                "these are no ids", field: "items", hint: #"send a list of ids, or "all""#)
        }
        let names = items.compactMap(\.string)
        let wanted = entries.filter { entry in names.contains(where: entry.isNamed) }
        return .settle(wanted, isAll: false, isDropped: isDropped)
    }

    func settle(
        _ entries: [HeldEntry], isAll: Bool, isDropped: Bool, _ request: Request
    ) throws {
        isServiceTouched = true
        try service?.settle(entries, isAll: isAll, isDropped: isDropped)
        if !entries.isEmpty {
            log.warning(
                isDropped
                    ? "the operator drops what was held" : "the operator releases what was held",
                ["count": entries.count])
        }
        answer(request.id, .json(heldDocument(entries).serialized()))
    }
}
