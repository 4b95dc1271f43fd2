import Directory
import Model

extension Attempt {
    /// Whoever may read zones may send them to somebody, who looks at them and takes them or not.
    func mailZones(of owner: ZoneOwner, _ zone: ZoneID?, to address: String) -> Verdict {
        let (action, target) = RightsTarget.reading(zonesOf: owner)
        if let refusal = denial(action, on: target) ?? missing(owner) { return .refused(refusal) }
        if let zone, directory.zone(zone)?.owner != owner { return .refused(.missing("zone")) }
        guard !directory.zones(of: owner).isEmpty else {
            return .refused(Refusal(.conflict, "there is no zone to mail"))
        }
        let person = command.principal.person
        if let next = codes.nextMail(to: address, by: person, at: now) {
            return .refused(
                Refusal(
                    .tooOften(next - now), "too many zones were mailed within a day",
                    hint: "at most \(Limits.mailsPerAddressMax) a day go to one address, and "
                        + "\(Limits.mailsPerPersonMax) from one person"))
        }
        let sender = sender(inNameOf: owner)
        return .done(
            [], .mailed,
            codes: [
                .asked(CodeAsk(number: address, by: person, at: now)),
                .mail(
                    CodeOrder(
                        number: address, sender: sender.name, locale: sender.locale,
                        expires: now + Limits.mailAgeMax)),
            ])
    }
}
