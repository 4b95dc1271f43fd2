import Directory
import Model

extension CommandDecision {
    /// Mails zones as a file. Everybody who may read zones may mail them.
    func mailZones(of owner: ZoneOwner, _ zone: ZoneID?, to address: String) -> Verdict {
        let (action, target) = RightsTarget.reading(zonesOf: owner)
        if let rejection = denial(action, on: target) ?? missing(owner) {
            return .rejected(rejection)
        }
        if let zone, directory.zone(zone)?.owner != owner { return .rejected(.missing("zone")) }
        guard !directory.zones(of: owner).isEmpty else {
            return .rejected(CommandRejection(.conflict, "there are no zones to mail"))
        }
        let person = command.principal.person
        if let next = codes.nextMail(to: address, by: person, at: now) {
            return .rejected(
                CommandRejection(
                    .tooOften(next - now), "the daily limit for mailing zones is reached",
                    hint: "at most \(Limits.mailsPerAddressMax) a day to one address and "
                        + "\(Limits.mailsPerPersonMax) a day by one person"))
        }
        let sender = sender(inNameOf: owner)
        return .done(
            [], .mailed,
            codes: [
                .requested(CodeRequest(number: address, by: person, at: now)),
                .mail(
                    CodeOrder(
                        number: address, sender: sender.name, locale: sender.locale,
                        expires: now + Limits.mailAgeMax)),
            ])
    }
}
