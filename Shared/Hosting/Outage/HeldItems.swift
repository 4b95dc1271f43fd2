import Model
import Parsing
import Web

/// Items held after an outage, `GET` and `POST /v1/held/<service>`.
final class HeldItems {
    private let context: HostContext
    /// The outage before this start, as long as items that became due in it may be held.
    private(set) var outage: Outage?
    /// When the host last checked whether a new store holds items; nil if that has been logged or
    /// need not be.
    private var checkedAt: Timestamp?

    init(_ context: HostContext) { self.context = context }

    /// Records the outage that has just ended, in the transaction of the start.
    func begin(after outage: Outage?) { self.outage = outage }

    private var entries: [HeldEntry] {
        get throws { try context.roles.holdsItems?.heldEntries ?? [] }
    }

    /// Logs the outage at the start.
    func logOutage() {
        guard let outage else { return }
        // Whether a new store holds anything is not known yet.
        guard outage.from > .zero else {
            checkedAt = context.now
            return
        }
        context.log.warning(
            "store is behind the wall clock, items that became due meanwhile are held",
            [
                "from": outage.from, "until": outage.until, "hold_ends": outage.holdEnds,
                "hint": HeldItems.hint,
            ])
    }

    /// Logs once that a new store holds items. A new suite holds none, so the log line waits for
    /// the first item.
    func logNewStore() {
        guard let last = checkedAt, let outage else { return }
        guard context.now < outage.holdEnds else {
            checkedAt = nil
            return
        }
        guard context.now - last >= HostLimits.holdCheckInterval else { return }
        checkedAt = context.now
        guard let held = try? entries, !held.isEmpty else { return }
        checkedAt = nil
        context.log.warning(
            "store is new, items from before its first start are held",
            ["until": outage.until, "hold_ends": outage.holdEnds, "hint": HeldItems.hint])
    }

    private static let hint = "jaga held shows it, and sends or drops it"

    /// The response to `GET`.
    func response(to request: Request) -> Response {
        do {
            try context.checkOperator(request)
            return .json(document(try entries).serialized())
        } catch {
            return .problem(error as? Problem ?? HostLimits.unavailable)
        }
    }

    func document(_ entries: [HeldEntry]) -> JSON {
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
    func command(_ body: JSON) throws -> AdminCommand {
        let isDropped: Bool
        switch body["action"]?.string {
        case "send": isDropped = false
        case "drop": isDropped = true
        default:
            throw Problem.invalid(
                "unknown action", field: "action", hint: "send 'send' or 'drop'")
        }
        let entries = try entries
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

    /// Sends or drops held items, in the turn of the command.
    func settle(_ entries: [HeldEntry], isAll: Bool, isDropped: Bool) throws {
        context.isServiceTouched = true
        try context.roles.holdsItems?.settleHeld(entries, isAll: isAll, isDropped: isDropped)
        guard !entries.isEmpty else { return }
        context.log.warning(
            isDropped ? "held items dropped by the operator" : "held items sent by the operator",
            ["count": entries.count])
    }
}
