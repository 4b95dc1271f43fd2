import Model
import Parsing

/// Masks private data in events: positions, names and addresses.
///
/// Only listed fields are shown, so new fields stay masked until they are listed.
public enum Masking {
    /// Fields without positions, names, addresses or texts of users, phones and gateways. Decide
    /// here for each new field of an event.
    static let visibleFields: Set<String> = [
        "_0", "absentByMinute", "accuracy", "action", "active", "affiliation", "after", "alarm",
        "app",
        "alertDistanceMetres", "armed", "at", "audience", "battery", "before", "billing", "by",
        "channel", "channels", "charging", "circle", "circles", "clockSkew", "coarse",
        "confirmed", "contact", "contacts", "contactTimeoutSeconds", "countdownEnds", "created",
        "credential", "cycleSeconds", "data", "datacontenttype", "deadline", "device",
        "distanceFilterMetres", "due", "dwellSeconds", "emergency", "end", "endedCircles",
        "escalation", "exceptions", "expired", "expires", "failing", "fix", "fixes", "from",
        "gateway",
        "gateways", "geometry", "graceSeconds", "guardiansEditZones", "hasContact", "historyDays",
        "hysteresisMetres", "id", "impairments", "initial", "inradiusCentimetres",
        "insetCentimetres", "inside", "interpolated", "intervalSeconds", "isAudible", "isFirst",
        "isFixOld",
        "isHeld", "isWatched", "jagaseq", "jagastream", "joined", "joinedRaised", "joinedTrigger",
        "kind", "lastReport", "late", "marginCentimetres", "mark", "members",
        "membersSeePositions", "message",
        "messages", "mode", "notification", "owner", "page", "pausedUntil", "people", "person",
        "plan", "platform", "precision", "prepared", "presence", "primaryDevice", "priority",
        "problem", "radiusCentimetres", "radiusMetres", "raised", "raisedBy", "raisesEmergency",
        "rank", "reachCentimetres",
        "reached", "reason", "received", "recipient", "recipients", "regions",
        "reopened", "report", "reports", "rings", "role", "roles", "round", "schedule",
        "set", "sets", "sharing", "signal", "signals", "signIn", "signOfLife", "since",
        "sleepSeconds",
        "source", "specversion", "start", "started", "state", "subject", "suspect", "tier", "time",
        "to", "transitions", "trigger", "type", "unshared", "until", "version", "vibrates",
        "viewer", "waitSeconds", "watch", "windows", "zone", "zoneKind", "zoneOptOuts", "zones",
    ]

    /// Trace fields: shown if Jaga generated the value, masked if a client did.
    static let traceFields: Set<String> = ["jagatrace", "trace"]

    /// Returns the JSON with masked values replaced by `***`.
    public static func mask(_ json: JSON) -> JSON {
        switch json {
        case .object(let members):
            .object(
                members.map { member in
                    .init(
                        member.key, isShown(member) ? mask(member.value) : .string("***"))
                })
        case .array(let values): .array(values.map(mask))
        default: json
        }
    }

    private static func isShown(_ member: JSON.Member) -> Bool {
        if member.value.isNull || visibleFields.contains(member.key) { return true }
        guard traceFields.contains(member.key), let trace = member.value.string else {
            return false
        }
        return trace.isEmpty || ID128(text: trace) != nil
    }
}
