import Directory
import Model

/// Decides who may mail zones, and how often.
struct MailedZones {
    typealias Verdict = MembershipCore.Verdict

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
        let person = context.command.principal.person
        if let next = context.codes.nextMail(to: address, by: person, at: context.now) {
            return .rejected(
                CommandRejection(
                    .tooOften(next - context.now), "the daily limit for mailing zones is reached",
                    hint: "at most \(Limits.mailsPerAddressMax) a day to one address and "
                        + "\(Limits.mailsPerPersonMax) a day by one person"))
        }
        let sender = context.sender(inNameOf: owner)
        return .done(
            [], .mailed,
            codes: [
                .requested(CodeRequest(number: address, by: person, at: context.now)),
                .mail(
                    CodeOrder(
                        number: address, sender: sender.name, locale: sender.locale,
                        expires: context.now + Limits.mailAgeMax)),
            ])
    }
}
