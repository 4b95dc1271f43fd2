import MembershipCore
import Model
import Parsing
import Web

/// Parses the body of a request about a circle.
enum CircleBody {
    static func read(_ json: JSON, isNew: Bool) throws(Problem) -> CirclePatch {
        let fields = try Fields(
            json,
            known: [
                "name", "membersSeePositions", "guardiansEditZones", "historyDays", "escalation",
            ],
            // Members and sets of a new circle would differ from the given ones, so they are
            // rejected.
            readOnly: isNew ? ["id", "version"] : ["id", "members", "sets", "version"])
        var patch = CirclePatch()
        patch.name = try fields.plainText("name", charactersMax: Limits.nameCharactersMax)
        if isNew, patch.name == nil { throw fields.missing("name", "such as Family") }
        patch.membersSeePositions = try fields.flag("membersSeePositions")
        patch.guardiansEditZones = try fields.flag("guardiansEditZones")
        patch.historyDays = try fields.integer("historyDays", in: Limits.historyDays)
        guard let tiers = try fields.array("escalation") else { return patch }
        var escalation: [EscalationTier] = []
        for (index, value) in tiers.enumerated() {
            escalation.append(try tier(value, at: "escalation[\(index)]"))
        }
        patch.escalation = escalation
        return patch
    }

    private static func tier(_ json: JSON, at path: String) throws(Problem) -> EscalationTier {
        let fields = try Fields(
            json, at: path, known: ["roles", "people", "channels", "waitSeconds"])
        var people: [PersonID] = []
        let values = try fields.array("people", countMax: Limits.escalationPeopleMax) ?? []
        for (index, value) in values.enumerated() {
            let path = "\(fields.path("people"))[\(index)]"
            people.append(try Fields.id(value, at: path, PersonID.self))
        }
        var tier = EscalationTier(
            roles: try fields.choices("roles", Role.self) ?? [], people: people)
        if let channels = try fields.choices("channels", Channel.self) {
            guard !channels.isEmpty else {
                throw fields.invalid(
                    "channels", "the tier has no channel", "remove the field to use all channels")
            }
            tier.channels = channels
        }
        if let wait = try fields.integer("waitSeconds", in: Limits.escalationWaitSeconds) {
            tier.waitSeconds = wait
        }
        return tier
    }
}

/// Parses the body of a request about a membership.
enum MemberBody {
    /// - Returns: the person in the body, and the patch
    static func readNew(_ json: JSON) throws(Problem) -> (PersonID, MemberPatch) {
        let fields = try Fields(json, known: ["person", "role", "sharing", "precision"])
        guard let person = try fields.id("person", PersonID.self) else {
            throw fields.missing("person", "use the id of a person with an account")
        }
        return (person, try patch(fields))
    }

    static func read(_ json: JSON) throws(Problem) -> MemberPatch {
        let fields = try Fields(
            json, known: ["role", "sharing", "precision", "accepted"],
            readOnly: ["person", "name", "joined", "trackerID"])
        return try patch(fields)
    }

    private static func patch(_ fields: Fields) throws(Problem) -> MemberPatch {
        var patch = MemberPatch()
        patch.role = try fields.choice("role", Role.self)
        patch.sharing = try sharing(fields)
        patch.precision = try fields.choice("precision", Precision.self)
        patch.accepted = try fields.flag("accepted")
        return patch
    }

    /// `"on"`, `"off"` or `{"pausedUntil": time}`.
    private static func sharing(_ fields: Fields) throws(Problem) -> Sharing? {
        guard let value = fields.value("sharing") else { return nil }
        switch value {
        case "on": return .on
        case "off": return .off
        case .object:
            let pause = try Fields(value, at: fields.path("sharing"), known: ["pausedUntil"])
            guard let text = try pause.text("pausedUntil") else {
                throw pause.missing("pausedUntil")
            }
            guard let end = Timestamp(text) else {
                throw pause.invalid(
                    "pausedUntil", "not a time", "such as 2026-11-20T18:00:00Z")
            }
            return .pausedUntil(end)
        default:
            throw fields.invalid(
                "sharing", "not a sharing state",
                #"use "on", "off" or {"pausedUntil": "2026-11-20T18:00:00Z"}"#)
        }
    }
}
