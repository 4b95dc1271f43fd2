import Model
import Parsing

/// Hides in an event what says where somebody is, how they are called and how they are reached.
///
/// Only what is listed is shown, so a member that is new is hidden until somebody decides.
public enum Masking {
    /// Members that tell neither where somebody is, nor how they are called or reached, nor what
    /// they, their phone or a gateway wrote. Whoever adds a member to an event decides here.
    static let harmless: Set<String> = [
        "_0", "absentByMinute", "accuracy", "action", "active", "affiliation", "after", "alarm",
        "alertDistanceMetres", "armed", "at", "audience", "battery", "before", "billing", "by",
        "channel", "channels", "charging", "circle", "circles", "clock", "clockSkew", "coarse",
        "confirmed", "contact", "contacts", "countdownEnds", "created", "credential",
        "cycleSeconds", "data",
        "datacontenttype", "deadline", "device", "distanceFilterMetres", "due", "dwellSeconds",
        "emergency", "end", "endedCircles", "escalation", "exceptions", "expires", "failing",
        "fired", "fix",
        "from", "gateway", "gateways", "geometry", "graceSeconds", "guardiansEditZones",
        "hasContact",
        "hindrances",
        "historyDays", "hysteresisMetres", "id", "initial", "inradiusCentimetres",
        "insetCentimetres", "inside", "interpolated", "intervalSeconds", "isFixOld",
        "isHeld", "isWatched",
        "jagaseq", "jagastream", "joined", "joinedRaised", "joinedTrigger", "kind", "late",
        "leadingDevice", "marginCentimetres",
        "mark", "maxSilenceSeconds", "members", "membersSeePositions", "message", "messages",
        "mode", "notification", "owner", "page", "pausedUntil", "people", "person",
        "plan", "platform", "precision", "prepared", "presence", "priority", "problem",
        "radiusCentimetres",
        "radiusMetres", "raised", "rank", "reachCentimetres", "reached", "reason", "received",
        "recipient", "recipients", "refused", "refusedZones", "regions", "reopened", "report",
        "reports", "rings", "role", "roles", "round", "rule", "schedule", "scope", "set", "sets",
        "sharing", "signal", "signals", "signIn", "since", "sleepSeconds", "source", "speaks",
        "specversion", "start", "started", "state", "subject", "suspect", "tier", "time", "to",
        "told", "transitions", "trigger", "type", "unshared", "until", "version", "vibrates",
        "viewer",
        "waitSeconds", "watch", "windows", "zone", "zoneKind", "zones",
    ]

    /// Members that are shown if Jaga made them up; else whoever sent the request chose them.
    static let traces: Set<String> = ["jagatrace", "trace"]

    /// The same with `***` in the place of what is hidden.
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
        if member.value.isNull || harmless.contains(member.key) { return true }
        guard traces.contains(member.key), let trace = member.value.string else { return false }
        return trace.isEmpty || ID128(text: trace) != nil
    }
}
