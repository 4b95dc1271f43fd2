import Model
import Parsing
import Testing

@testable import Wire

/// What is hidden of events from whoever may not know.
@Suite struct `Masking of events` {
    /// Members that tell neither where somebody is, nor how they are called or reached, nor what
    /// they wrote. Whoever adds a member to an event decides here, or in ``Masking``.
    private static let harmless: Set<String> = [
        "_0", "absentByMinute", "accuracy", "action", "active", "affiliation", "after", "alarm",
        "alertDistanceMetres", "answer", "armed", "at", "audience", "battery", "before", "billing",
        "by", "channel", "channels", "charging", "circle", "circles", "client", "clock",
        "clockSkew", "confirmed", "contacts", "countdownEnds", "created", "credential",
        "cycleSeconds", "data", "datacontenttype", "deadline", "device", "due", "dwellSeconds",
        "emergency", "end", "escalation", "exceptions", "expires", "fired", "firstOffset", "fix",
        "from", "gateway", "geometry", "graceSeconds", "guardiansEditZones", "hasContact",
        "hindrances", "hysteresisMetres", "id", "initial", "inradiusCentimetres",
        "insetCentimetres", "inside", "intervalSeconds", "isHeld", "isWatched", "jagatrace", "kind",
        "late", "leadingDevice", "locale", "marginCentimetres", "mark", "maxSilenceSeconds",
        "members", "membersSeePositions", "message", "messages", "minutes", "mode", "notification",
        "offset",
        "offsets", "owner", "page", "pausedUntil", "people", "person", "plan", "platform",
        "precision", "prepared", "presence", "priority", "radiusCentimetres", "radiusMetres",
        "raised", "rank", "reachCentimetres", "reached", "reason", "received", "recipient",
        "recipients", "refused", "refusedZones", "regions", "reopened", "report", "reports",
        "rings", "role", "roles", "round", "rule", "schedule", "set", "sets", "sharing", "signIn",
        "signal", "signals", "since", "sleepSeconds", "sound", "source", "speaks", "specversion",
        "start", "started", "state", "subject", "suspect", "tier", "time", "timeZone", "to", "told",
        "trace", "transitions", "trigger", "type", "unshared", "until", "version", "vibrates",
        "waitSeconds", "watch", "windows", "zone", "zoneKind", "zones",
    ]

    private func members(_ json: JSON, into found: inout Set<String>) {
        switch json {
        case .object(let members):
            for member in members {
                found.insert(member.key)
                self.members(member.value, into: &found)
            }
        case .array(let values): for value in values { members(value, into: &found) }
        default: break
        }
    }

    @Test func `is decided for every member of every kind`() throws {
        var found: Set<String> = []
        for event in EventSamples.events {
            members(try EventCodec.cloudEvent(event, stream: nil, position: nil), into: &found)
        }
        let undecided = found.subtracting(Masking.hidden).subtracting(Self.harmless)
        #expect(undecided.isEmpty, "\(undecided.sorted())")
    }

    @Test func `leaves nothing private in any sample`() throws {
        for event in EventSamples.events {
            let json = try EventCodec.cloudEvent(event, stream: nil, position: nil)
            let text = Masking.mask(json).text
            for secret in EventSamples.secrets { #expect(!text.contains(secret), "\(text)") }
        }
    }
}
