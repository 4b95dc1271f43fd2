import Directory
import DirectoryViews
import Model

/// Decides who is a ward, and who their guardians are.
struct Guardianships {
    let context: CommandContext

    /// Creates a ward of a guardian. Nobody who has an account becomes a ward.
    func createWard(
        _ id: PersonID, of guardianID: PersonID, _ patch: PersonPatch, until: Timestamp
    ) -> Verdict {
        if let rejection = context.denial(.declareWard, on: .person(guardianID)) {
            return .rejected(rejection)
        }
        let needed = PersonField.all.rights(
            of: patch, [.administer, .changePlan, .editProfile])
        if needed.contains(where: { $0 != .editProfile }),
            let rejection = context.denial(.administer, on: .suite)
        {
            return .rejected(rejection)
        }
        guard let guardian = context.directory.person(guardianID) else {
            return .rejected(.missing("person"))
        }
        guard context.wards.wards(of: guardianID).count < Limits.wardsPerGuardianMax else {
            return .rejected(.full("wards of a person", Limits.wardsPerGuardianMax))
        }
        guard until > context.now, until <= context.now + Limits.wardAgeMax else {
            return .rejected(
                CommandRejection(
                    .invalid, "the date must be in the future, at most 21 years from now",
                    field: "wardUntil"))
        }
        let people = People(context: context)
        if let rejection = people.check(patch, of: nil) { return .rejected(rejection) }
        var ward = Person(
            id: id, name: "", locale: guardian.locale, timeZone: guardian.timeZone,
            plan: guardian.plan, billing: guardian.billing, affiliation: guardian.affiliation,
            guardians: [guardianID], wardUntil: until)
        patch.apply(to: &ward)
        ward.contacts = ward.contacts.merged(with: [], at: context.now)
        Trials.update(&ward, in: context.directory, at: context.now)
        return .done([.personChanged(ward)], .person(ward))
    }

    /// Asks the guardians of a ward whether another person becomes a guardian, too.
    func requestGuardianship(by guardianID: PersonID, of wardID: PersonID) -> Verdict {
        if let rejection = context.denial(.declareWard, on: .person(guardianID)) {
            return .rejected(rejection)
        }
        guard context.directory.person(guardianID) != nil else {
            return .rejected(.missing("person"))
        }
        guard let ward = context.directory.person(wardID), ward.isWard(at: context.now),
            wardID != guardianID
        else { return .rejected(.missing("ward")) }
        if ward.guardians.contains(guardianID) {
            return .rejected(CommandRejection(.conflict, "this person is a guardian already"))
        }
        if let rejection = full(ward, guardianID) { return .rejected(rejection) }
        let consent = Consent(
            of: wardID, in: nil, .guardian(guardianID), asker: .person(guardianID), at: context.now)
        if let known = context.consents[consent.id], known.expires > context.now {
            switch known.state(at: context.now) {
            case .open: return .done([], .requested(known))
            // Nobody asks again and again, or learns from the answer that they were declined.
            case .declined: return .done([], .requested(consent))
            case .agreed, .expired: break
            }
        }
        return .done(
            [], .requested(consent),
            more: Consequences(
                consents: [.save(consent)], messages: context.messages(about: consent, in: "")))
    }

    /// Applies a guardian's reply to the request of another person.
    func reply(
        _ consent: Consent, _ guardian: PersonID, agreed: Bool
    ) -> Result<[EventBody], CommandRejection> {
        guard agreed else {
            return .failure(
                CommandRejection(.conflict, "this person is a guardian already"))
        }
        guard var ward = context.directory.person(consent.person), ward.isWard(at: context.now)
        else { return .failure(.missing("ward")) }
        guard context.directory.person(guardian) != nil else {
            return .failure(.missing("person"))
        }
        if let rejection = full(ward, guardian) { return .failure(rejection) }
        guard !ward.guardians.contains(guardian) else { return .success([]) }
        ward.guardians = (ward.guardians + [guardian]).sorted()
        ward.version += 1
        return .success([.personChanged(ward)])
    }

    private func full(_ ward: Person, _ guardian: PersonID) -> CommandRejection? {
        if ward.guardians.count >= Limits.guardiansPerWardMax {
            return .full("guardians of a ward", Limits.guardiansPerWardMax)
        }
        return context.wards.wards(of: guardian).count < Limits.wardsPerGuardianMax
            ? nil : .full("wards of a person", Limits.wardsPerGuardianMax)
    }
}
