import Model
import Parsing
import Web

/// An item that became due in an outage and waits for the operator, as the API shows it.
public struct HeldEntry: Hashable, Sendable {
    /// Id for sending or dropping it.
    public var id: String
    /// `watch`, `clock`, `emergency`, `message`.
    public var kind: String
    /// What became due, such as `watch-expiry` or an emergency's trigger.
    public var what: String
    /// The person it is about.
    public var person: PersonID?
    public var emergency: EmergencyID?
    /// Recipient and channel of a message.
    public var recipient: PersonID?
    public var channel: Channel?
    public var due: Timestamp
    /// Whether it is listed. False if another service lists its emergency, with which it is sent or
    /// dropped.
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

    /// Whether a name is its id, or the id of its emergency or person.
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

// `GET` and `POST /v1/held/<service>`: items held after an outage.
extension Host {
    /// Lists the held items, for the operator.
    func held(for request: Request) -> Response {
        do {
            try checkOperator(request)
            let entries = try service?.heldEntries ?? []
            return .json(heldDocument(entries).serialized())
        } catch {
            return .problem(error as? Problem ?? HostLimits.unavailable)
        }
    }

    /// Logs once that a new store holds items. A new suite holds none, so the log line waits for
    /// the first item.
    func logHold() {
        guard let last = holdCheckedAt, let outage else { return }
        guard now < outage.holdEnds else {
            holdCheckedAt = nil
            return
        }
        guard now - last >= HostLimits.holdCheckInterval else { return }
        holdCheckedAt = now
        guard let held = try? service?.heldEntries, !held.isEmpty else { return }
        holdCheckedAt = nil
        log.warning(
            "store is new, items from before its first start are held",
            ["until": outage.until, "hold_ends": outage.holdEnds, "hint": Host.holdHint])
    }

    static let holdHint = "jaga held shows it, and sends or drops it"

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

    /// Decodes a command on held items: the named ones, or all.
    func settling(_ body: JSON) throws -> AdminCommand {
        let isDropped: Bool
        switch body["action"]?.string {
        case "send": isDropped = false
        case "drop": isDropped = true
        default:
            throw Problem.invalid(
                "unknown action", field: "action", hint: "send 'send' or 'drop'")
        }
        let entries = try service?.heldEntries ?? []
        if body["items"] == "all" { return .settle(entries, isAll: true, isDropped: isDropped) }
        let items = body["items"]?.array
        guard let items, items.allSatisfy({ $0.string != nil }) else {
            throw Problem.invalid(
                "items is not a list of ids", field: "items",
                hint: #"send a list of ids, or "all""#)
        }
        let names = items.compactMap(\.string)
        let named = entries.filter { entry in names.contains(where: entry.isNamed) }
        return .settle(named, isAll: false, isDropped: isDropped)
    }

    func settle(
        _ entries: [HeldEntry], isAll: Bool, isDropped: Bool, _ request: Request
    ) throws {
        isServiceTouched = true
        try service?.settleHeld(entries, isAll: isAll, isDropped: isDropped)
        if !entries.isEmpty {
            log.warning(
                isDropped
                    ? "held items dropped by the operator" : "held items sent by the operator",
                ["count": entries.count])
        }
        answer(request.id, .json(heldDocument(entries).serialized()))
    }
}
