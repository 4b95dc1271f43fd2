import Model
import Parsing

typealias CirclePatch = Patch<Circle>

/// The table of a circle's fields. Bodies, patches, views and rights derive from it.
public enum CircleField {
    public static let all: [EditableField<Circle>] = [
        EditableField(
            .text("name", \.name, charactersMax: Limits.nameCharactersMax), .editCircle),
        EditableField(.flag("membersSeePositions", \.membersSeePositions), .editCircle),
        EditableField(.flag("guardiansEditZones", \.guardiansEditZones), .editCircle),
        EditableField(
            Field(
                "historyDays", \.historyDays,
                read: { fields, patch throws(FieldError) in
                    guard let days = try fields.integer("historyDays", in: Limits.historyDays)
                    else { return }
                    patch.historyDays = .some(days == 0 ? nil : days)
                }, write: { .integer(Int64($0.historyDays ?? 0)) }),
            .changeRetention),
        EditableField(
            Field("escalation", \.escalation, read: readEscalation, write: writeEscalation),
            .editEscalation),
    ]

    @Sendable private static func readEscalation(
        _ fields: Fields, _ patch: inout CirclePatch
    ) throws(FieldError) {
        guard let values = try fields.array("escalation") else { return }
        var tiers: [EscalationTier] = []
        for (index, value) in values.enumerated() {
            let tier = try Fields(
                value, at: "\(fields.path("escalation"))[\(index)]",
                known: EscalationTierField.all.map(\.name))
            var read = EscalationTier(roles: [])
            try EscalationTierField.all.read(tier).apply(to: &read)
            guard !read.channels.isEmpty else {
                throw .must(
                    "name a channel", at: tier.path("channels"),
                    hint: "remove the field to use all channels")
            }
            tiers.append(read)
        }
        patch.escalation = tiers
    }

    @Sendable private static func writeEscalation(_ circle: Circle) -> JSON {
        .array(circle.escalation.map { .object(EscalationTierField.all.members(of: $0)) })
    }
}

/// The table of a tier's fields.
private enum EscalationTierField {
    static let all: [Field<EscalationTier>] = [
        .choices("roles", \.roles),
        .ids("people", \.people, countMax: Limits.escalationPeopleMax),
        .choices("channels", \.channels),
        .integer("waitSeconds", \.waitSeconds, in: Limits.escalationWaitSeconds),
    ]
}
