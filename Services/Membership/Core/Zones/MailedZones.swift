import Directory
import Model

/// Decides who may mail zones, and how often.
struct MailedZones {
    let context: CommandContext

    /// Mails zones as a file. Everybody who may read zones may mail them.
    func mailZones(of owner: ZoneOwner, _ zone: ZoneID?, to address: String) -> Verdict {
        let (action, target) = RightsTarget.reading(zonesOf: owner)
        if let rejection = context.denial(action, on: target) ?? context.missing(owner) {
            return .rejected(rejection)
        }
        if let zone, context.directory.zone(zone)?.owner != owner {
            return .rejected(.missing("zone"))
        }
        guard !context.directory.zones(of: owner).isEmpty else {
            return .rejected(CommandRejection(.conflict, "there are no zones to mail"))
        }
        if let rejection = context.tooOften(.zones, to: address) { return .rejected(rejection) }
        let actor = Actor(context.command.principal)
        let sender = context.sender(inNameOf: owner)
        return .done(
            [], .mailed,
            codes: [
                .requested(
                    CodeRequest(kind: .zones, number: address, by: actor, at: context.now)),
                .mail(
                    CodeOrder(
                        number: address, sender: sender.name, locale: sender.locale,
                        expires: context.now + Limits.mailAgeMax)),
            ])
    }
}
