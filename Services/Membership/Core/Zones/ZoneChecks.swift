import Directory
import Model

/// Checks that the fields of a zone fit together.
struct ZoneChecks {
    let context: CommandContext

    /// Returns the first inconsistency of a zone; nil if it is valid.
    func check(_ zone: Zone, before old: Zone?) -> CommandRejection? {
        transitionFault(zone) ?? clockFault(zone) ?? audienceFault(zone, before: old)
            ?? messageFault(zone)
    }

    /// A transition requires the property that measures it.
    private func transitionFault(_ zone: Zone) -> CommandRejection? {
        for (index, transition) in zone.transitions.enumerated() {
            let fault: (detail: String, hint: String)? =
                switch transition {
                case .approach where zone.alertDistanceMetres == 0:
                    (
                        "approach requires alertDistance",
                        "set alertDistance in metres, such as 200, or remove approach"
                    )
                case .dwell where zone.dwellSeconds == 0:
                    (
                        "dwell requires a dwell time",
                        "set dwell in seconds, such as 600, or remove dwell from transitions"
                    )
                case .absent where zone.absentByMinute == nil:
                    (
                        "absent requires absentBy",
                        "set absentBy, such as 08:00, or remove absent"
                    )
                default: nil
                }
            if let fault {
                return CommandRejection(
                    .invalid, fault.detail, field: "properties.transitions[\(index)]",
                    hint: fault.hint)
            }
        }
        return nil
    }

    /// A zone has a clock exactly if it has a schedule or absentBy.
    private func clockFault(_ zone: Zone) -> CommandRejection? {
        guard zone.schedule != nil || zone.absentByMinute != nil else {
            guard zone.clock != nil else { return nil }
            return CommandRejection(
                .invalid, "timeZone requires a schedule or absentBy", field: "properties.timeZone",
                hint: "set schedule or absentBy, or remove timeZone")
        }
        guard zone.clock == nil else { return nil }
        let field = zone.schedule == nil ? "properties.timeZone" : "properties.schedule.timeZone"
        return CommandRejection(
            .invalid, "a time zone is required", field: field,
            hint: "set a time zone, such as Asia/Kuala_Lumpur")
    }

    /// The audience of a circle's zone consists of members; former members who were in it before
    /// may stay.
    private func audienceFault(_ zone: Zone, before old: Zone?) -> CommandRejection? {
        guard let audience = zone.audience, audience != old?.audience else { return nil }
        switch zone.owner {
        case .person:
            return CommandRejection(
                .invalid, "a private zone has no audience but its owner",
                field: "properties.audience",
                hint: "use a message or a zone of a circle")
        case .set:
            guard !audience.people.isEmpty else { return nil }
            return CommandRejection(
                .invalid, "zones of a set can have roles as audience only",
                field: "properties.audience.people", hint: "set roles only")
        case .circle(let id):
            let known = old?.audience?.people ?? []
            let stranger = audience.people.firstIndex { person in
                context.directory.circle(id)?.member(person) == nil && !known.contains(person)
            }
            return stranger.map {
                CommandRejection(
                    .invalid, "nobody with this id has joined the circle",
                    field: "properties.audience.people[\($0)]", hint: "use ids of members")
            }
        }
    }

    private func messageFault(_ zone: Zone) -> CommandRejection? {
        if case .set = zone.owner, !zone.messages.isEmpty {
            return CommandRejection(
                .invalid, "zones of a set cannot send messages", field: "properties.messages",
                hint: "remove it")
        }
        let unknown = zone.messages.first { context.directory.message($0)?.owner != zone.owner }
        return unknown.map {
            CommandRejection(
                .invalid, "there is no message \($0) of this zone's owner",
                field: "properties.messages", hint: "use messages \(zone.owner.phrase)")
        }
    }
}
