import Directory
import Model

extension Attempt {
    /// What makes no sense in a zone as it would be; nil for a sound one.
    func check(_ zone: Zone, before old: Zone?) -> Refusal? {
        transitionFault(zone) ?? clockFault(zone) ?? audienceFault(zone, before: old)
            ?? messageFault(zone)
    }

    /// What is told needs what it is measured by.
    private func transitionFault(_ zone: Zone) -> Refusal? {
        for (index, transition) in zone.transitions.enumerated() {
            let fault: (detail: String, hint: String)? =
                switch transition {
                case .approach where zone.alertDistanceMetres == 0:
                    (
                        "nobody is near a zone without alertDistance",
                        "give alertDistance in metres, such as 200, or leave approach out"
                    )
                case .dwell where zone.dwellSeconds == 0:
                    (
                        "no stay is long in a zone without dwell",
                        "give dwell in seconds, such as 600, or leave dwell out of transitions"
                    )
                case .absent where zone.absentByMinute == nil:
                    (
                        "nobody is late in a zone without absentBy",
                        "give absentBy, such as 08:00, or leave absent out"
                    )
                default: nil
                }
            if let fault {
                return Refusal(
                    .invalid, fault.detail, field: "properties.transitions[\(index)]",
                    hint: fault.hint)
            }
        }
        return nil
    }

    /// A wall clock is there exactly when something goes by it.
    private func clockFault(_ zone: Zone) -> Refusal? {
        guard zone.schedule != nil || zone.absentByMinute != nil else {
            guard zone.clock != nil else { return nil }
            return Refusal(
                .invalid, "nothing in this zone goes by a clock", field: "properties.timeZone",
                hint: "give schedule or absentBy, or leave timeZone out")
        }
        guard zone.clock == nil else { return nil }
        let field = zone.schedule == nil ? "properties.timeZone" : "properties.schedule.timeZone"
        return Refusal(
            .invalid, "whose clock is meant is not said", field: field,
            hint: "give a time zone, such as Asia/Kuala_Lumpur")
    }

    /// Those told of a circle's zone are of the circle; whoever was among them before may stay.
    private func audienceFault(_ zone: Zone, before old: Zone?) -> Refusal? {
        guard let audience = zone.audience, audience != old?.audience else { return nil }
        switch zone.owner {
        case .person:
            return Refusal(
                .invalid, "a private zone is told to its owner alone", field: "properties.audience",
                hint: "use a message, or a zone of a circle")
        case .set:
            guard !audience.people.isEmpty else { return nil }
            return Refusal(
                .invalid, "a set is for many circles, so its zones are told to roles",
                field: "properties.audience.people", hint: "give roles alone")
        case .circle(let id):
            let known = old?.audience?.people ?? []
            let stranger = audience.people.firstIndex { person in
                directory.circle(id)?.member(person) == nil && !known.contains(person)
            }
            return stranger.map {
                Refusal(
                    .invalid, "nobody with this id has joined the circle",
                    field: "properties.audience.people[\($0)]", hint: "give ids of members")
            }
        }
    }

    private func messageFault(_ zone: Zone) -> Refusal? {
        if case .set = zone.owner, !zone.messages.isEmpty {
            return Refusal(
                .invalid, "zones of a set send no messages", field: "properties.messages",
                hint: "leave it out")
        }
        let unknown = zone.messages.first { directory.message($0)?.owner != zone.owner }
        return unknown.map {
            Refusal(
                .invalid, "there is no message \($0) beside this zone",
                field: "properties.messages", hint: "name messages \(zone.owner.inWords)")
        }
    }
}
