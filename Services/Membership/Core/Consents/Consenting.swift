import Directory
import Model

/// Decides what a person's reply to a request for consent changes.
struct Consenting {
    let context: CommandContext

    /// Replies to a request. What was agreed to can be withdrawn; that works at once.
    func reply(to id: ConsentID, of personID: PersonID, agreed: Bool) -> Verdict {
        if let rejection = context.denial(.answerConsents, on: .person(personID)) {
            return .rejected(rejection)
        }
        guard var consent = context.consents[id], consent.person == personID,
            let replier = context.command.principal.person
        else { return .rejected(.missing("request for consent")) }
        let state = consent.state(at: context.now)
        guard state != .expired else {
            return .rejected(
                CommandRejection(
                    .conflict, "the request has expired", hint: "they can ask again"))
        }
        if consent.reply?.agreed == agreed { return .done([], .consent(consent)) }
        if consent.expires <= context.now, agreed {
            return .rejected(CommandRejection(.conflict, "the request has expired"))
        }
        consent.reply = Consent.Reply(agreed: agreed, at: context.now, by: replier)
        let change = change(consent, wasAgreed: state == .agreed)
        switch change {
        case .failure(let rejection): return .rejected(rejection)
        case .success(let events):
            return .done(
                events, .consent(consent), more: Consequences(consents: [.save(consent)]))
        }
    }

    /// The events of a reply; none if the person declines what has no effect yet.
    private func change(
        _ consent: Consent, wasAgreed: Bool
    ) -> Result<[EventBody], CommandRejection> {
        let agreed = consent.reply?.agreed ?? false
        guard agreed || wasAgreed else { return .success([]) }
        if case .guardian(let guardian) = consent.question {
            return wards.reply(consent, guardian, agreed: agreed)
        }
        guard let id = consent.circle, var circle = context.directory.circle(id),
            let index = circle.members.firstIndex(where: { $0.person == consent.person })
        else { return .failure(.missing("member")) }
        switch consent.question {
        case .membersSee: circle.members[index].membersSee = agreed
        case .history(let days, let before):
            let isWhole = days ?? .max >= circle.historyDays ?? .max
            circle.members[index].agreedHistoryDays = !agreed ? before : isWhole ? nil : days
        case .role(let viewer, _):
            var withheld = Set(circle.members[index].withheldFrom)
            if agreed { withheld.remove(viewer) } else { withheld.insert(viewer) }
            circle.members[index].withheldFrom = withheld.sorted()
        case .guardian: break
        }
        guard circle != context.directory.circle(id) else { return .success([]) }
        circle.version += 1
        return .success([.circleChanged(circle)])
    }

    private var wards: Guardianships { Guardianships(context: context) }
}
