import Directory
import Model

/// Decides every change to people, devices, credentials, circles, zones, sets and messages.
///
/// The state is the directory, rebuilt from rows at start; every other service keeps a replica of
/// it. A command either changes the directory and returns the result, or is rejected with a reason
/// and changes nothing.
public struct MembershipCore: Sendable {
    public private(set) var directory: Replica
    /// Pending confirmation codes of numbers and contact points.
    public private(set) var codes: Codes
    public private(set) var sessions: Sessions
    private var activations: Activations
    /// Versions of people's circle lists.
    public private(set) var circleLists: CircleLists
    private var signIn: SignInCodes
    public private(set) var reminders: ContactReminders
    private var contacts: VerifiedContacts
    private var trials: Trials
    public private(set) var invitations: Invitations
    public private(set) var consents: Consents
    public private(set) var wards: Wards
    /// Wrong PINs that were entered to change a PIN.
    private var pinChecks = PINChecks()

    public init(
        directory: Replica = Replica(), codes: Codes = Codes(), sessions: Sessions = Sessions(),
        activations: Activations = Activations(), circleLists: CircleLists = CircleLists(),
        signIn: SignInCodes = SignInCodes(), reminders: ContactReminders = ContactReminders(),
        invitations: Invitations = Invitations(), consents: Consents = Consents(),
        wardNotices: [WardNotice] = []
    ) {
        self.directory = directory
        self.codes = codes
        self.sessions = sessions
        self.activations = activations
        self.circleLists = circleLists
        self.signIn = signIn
        self.reminders = reminders
        contacts = VerifiedContacts(directory.sortedPeople)
        trials = Trials(directory)
        self.invitations = invitations
        self.consents = consents
        wards = Wards(directory.sortedPeople, notified: wardNotices)
    }

    /// When the next trial ends; nil if there is none.
    public var nextTrialEnd: Timestamp? { trials.next }

    /// Handles one input and appends its effects.
    ///
    /// - Parameter now: later than that of every input before, so that versions of circle lists
    ///   grow
    public mutating func handle(_ input: Input, at now: Timestamp, into effects: inout [Effect]) {
        switch input {
        case .command(let command):
            codes.removeExpired(at: now)
            switch decide(command, at: now) {
            case .done(let events, let answer, let changes, let notices, let more):
                record(events, at: now, into: &effects)
                apply(more, into: &effects)
                for change in changes {
                    codes.apply(change)
                    effects.append(.code(change))
                }
                effects += notices.map { .notice($0) }
                effects.append(.answer(command.request, answer))
            case .rejected(let rejection):
                effects.append(.answer(command.request, .rejected(rejection)))
            }
        case .signInCode(let request):
            signIn.removeExpired(at: now)
            let decision = signIn.request(request, accounts, at: now)
            apply(decision, at: now, into: &effects)
            if case .answer(let answer) = decision.outcome {
                effects.append(.answer(request.request, answer))
            }
        case .enterSignInCode(let request):
            signIn.removeExpired(at: now)
            let decision = signIn.enter(request, accounts, at: now)
            apply(decision, at: now, into: &effects)
            switch decision.outcome {
            case .answer(let answer): effects.append(.answer(request.request, answer))
            case .opens(let person):
                let session = open(
                    request.session, of: person, name: request.browser, at: now, into: &effects)
                effects.append(.answer(request.request, .session(person, session)))
            }
        case .remind(let hour):
            let (notices, done) = reminders.next(in: directory, hour: hour, at: now)
            effects += notices.map { .notice($0) } + done.map { .reminded($0) }
        case .operatorToken(let credential):
            record(operatorTokenEvents(credential, at: now), at: now, into: &effects)
        case .eraseAgain(let person):
            record(removalEvents(of: person), at: now, into: &effects)
        case .trials:
            record(trials.expired(in: directory, at: now), at: now, into: &effects)
        case .billing(let notice):
            let events = try? MembershipCore.changes(by: notice, in: directory, at: now)
            record(events ?? [], at: now, into: &effects)
        case .zoneClocks(let clocks):
            record(clockChanges(clocks), at: now, into: &effects)
        case .openSession(let id, let new, let name):
            guard let person = directory.person(id) else { return }
            _ = open(new, of: person, name: name, at: now, into: &effects)
        case .rotateSession(let credential, let new):
            guard
                let rotation = sessions.rotation(of: credential, to: new, in: directory, at: now)
            else { return }
            record(rotation.events, at: now, into: &effects)
            apply(rotation.change, into: &effects)
        case .issueActivation(let person, let hash):
            apply(
                .save(
                    Activation(person: person, hash: hash, expires: now + Limits.activationAgeMax)),
                into: &effects)
        case .decided(let events): record(events, at: now, into: &effects)
        case .removeExpired:
            let expired = directory.expiredCredentials(at: now)
            record(
                expired.map { .credentialRemoved(CredentialRemoval(credential: $0)) },
                at: now, into: &effects)
            for change in activations.expired(at: now) { apply(change, into: &effects) }
        case .wards:
            while let due = wards.popDue(at: now, in: directory) {
                switch due {
                case .takeOver(let person):
                    let ended = Wards.endedCredentials(of: person, in: directory)
                    record([.personChanged(person)] + ended, at: now, into: &effects)
                case .notice(let notice, let messages):
                    apply(.notified(notice), into: &effects)
                    effects += messages.map { .personNotice($0) }
                }
            }
        case .removeOld:
            invitations.removeOld(at: now)
            effects += consents.removeOld(at: now).map { .consent($0) }
        case .declineInvitation(let request, let tokenHash):
            switch invitations.decline(tokenHash, in: directory, at: now) {
            case .success(let change):
                apply(Consequences(invitations: change.map { [$0] } ?? []), into: &effects)
                effects.append(.answer(request, .gone))
            case .failure(let rejection):
                effects.append(.answer(request, .rejected(rejection)))
            }
        }
    }

    /// Returns the result that a command would have now, without applying it.
    public func answer(to command: Command, at now: Timestamp) -> Answer {
        var trial = self
        return switch trial.decide(command, at: now) {
        case .done(_, let answer, _, _, _): answer
        case .rejected(let rejection): .rejected(rejection)
        }
    }

    /// The decision on a command.
    enum Verdict {
        case done(
            [EventBody], Answer, codes: [CodeChange] = [], notices: [AccountNotice] = [],
            more: Consequences = Consequences())
        case rejected(CommandRejection)
    }

    private mutating func record(
        _ events: [EventBody], at now: Timestamp, into effects: inout [Effect]
    ) {
        for event in events {
            let changes = VisibleChange.changes(by: event, in: directory)
            for step in directory.apply(event) {
                contacts.apply(step)
                trials.apply(step)
                effects.append(.record(step))
                if let change = activations.change(after: step) { apply(change, into: &effects) }
                if case .credentialRemoved(let removal) = step,
                    let change = sessions.removal(of: removal.credential)
                {
                    apply(change, into: &effects)
                }
                let ended = Consequences(
                    invitations: invitations.changes(after: step, at: now),
                    consents: consents.changes(after: step))
                apply(ended, into: &effects)
                for change in wards.apply(step) { apply(change, into: &effects) }
            }
            for row in circleLists.apply(changes, of: directory, at: now) {
                effects.append(.circleList(row))
            }
        }
    }

    private mutating func apply(_ change: SessionChange, into effects: inout [Effect]) {
        sessions.apply(change)
        effects.append(.session(change))
    }

    private mutating func apply(_ change: ActivationChange, into effects: inout [Effect]) {
        activations.apply(change)
        effects.append(.activation(change))
    }

    private var accounts: SignInAccounts {
        SignInAccounts(directory: directory, contacts: contacts)
    }

    private mutating func apply(
        _ decision: SignInDecision, at now: Timestamp, into effects: inout [Effect]
    ) {
        record(decision.events, at: now, into: &effects)
        effects += decision.changes.map { .signIn($0) }
        effects += decision.notices.map { .notice($0) }
        if decision.isTextLimitReached { effects.append(.textLimitReached) }
    }

    /// Opens a session of a person.
    private mutating func open(
        _ new: NewCredential, of person: Person, name: String, at now: Timestamp,
        into effects: inout [Effect]
    ) -> Credential {
        let opening = sessions.opening(of: person, new, name: name, in: directory, at: now)
        record(opening.events, at: now, into: &effects)
        apply(opening.change, into: &effects)
        return opening.credential
    }

    private mutating func apply(_ more: Consequences, into effects: inout [Effect]) {
        for change in more.invitations {
            invitations.apply(change)
            effects.append(.invitation(change))
        }
        for change in more.consents {
            consents.apply(change)
            effects.append(.consent(change))
        }
        effects += more.messages.map { .personNotice($0) }
    }

    private mutating func apply(_ change: WardChange, into effects: inout [Effect]) {
        wards.apply(change)
        effects.append(.ward(change))
    }

    /// Checks the PIN with which a person changes their PIN. Nobody else's tries count.
    private mutating func match(
        _ patch: PINPatch, of person: PersonID, _ command: Command, at now: Timestamp
    ) -> PINMatch {
        guard command.principal == .person(person) else { return PINMatch(verdict: .missing) }
        return pinChecks.match(patch.current, of: person, in: directory, at: now)
    }

    private mutating func decide(_ command: Command, at now: Timestamp) -> Verdict {
        let context = CommandContext(
            directory: directory, codes: codes, sessions: sessions, activations: activations,
            invitations: invitations, consents: consents, wards: wards, command: command, now: now)
        let people = People(context: context)
        let contacts = Contacts(context: context)
        let devices = Devices(context: context)
        let credentials = PersonCredentials(context: context)
        let tokens = AdminTokens(context: context)
        let circles = Circles(context: context)
        let members = Members(context: context)
        let zones = Zones(context: context)
        let sets = Sets(context: context)
        let messages = Messages(context: context)
        return switch command.change {
        case .createPerson(let id, let patch): people.createPerson(id, patch)
        case .updatePerson(let id, let patch): people.updatePerson(id, patch)
        case .removePerson(let id): people.removePerson(id)
        case .sendContactCode(let person, let id, let code):
            contacts.sendCode(code, to: id, of: person)
        case .verifyContact(let person, let id, let code):
            contacts.verify(id, of: person, by: code)
        case .testContact(let person, let id): contacts.test(id, of: person)
        case .createDevice(let person, let id, let patch, let credential):
            devices.createDevice(id, of: person, patch, credential)
        case .updateDevice(let person, let id, let patch):
            devices.updateDevice(id, of: person, patch)
        case .removeDevice(let person, let id): devices.removeDevice(id, of: person)
        case .rotateCredential(let person, let device, let credential):
            devices.rotateCredential(of: device, of: person, to: credential)
        case .createCredential(let person, let credential, let terms):
            credentials.create(credential, terms, of: person)
        case .activate(let person, let code, let credential, let terms):
            credentials.activate(person, with: code, credential, terms)
        case .removeCredential(let person, let id): credentials.remove(id, of: person)
        case .endSession(let id): credentials.endSession(id)
        case .endSessions(let kept): credentials.endSessions(besides: kept)
        case .rotateOperatorToken(let credential): tokens.rotateOperatorToken(to: credential)
        case .rotateMonitorToken(let credential): tokens.rotateMonitorToken(to: credential)
        case .removeMonitorToken: tokens.removeMonitorToken()
        case .createCircle(let id, let patch): circles.createCircle(id, patch)
        case .updateCircle(let id, let patch): circles.updateCircle(id, patch)
        case .removeCircle(let id): circles.removeCircle(id)
        case .addMember(let circle, let person, let patch):
            members.addMember(person, to: circle, patch)
        case .updateMember(let circle, let person, let patch):
            members.updateMember(person, of: circle, patch)
        case .removeMember(let circle, let person): members.removeMember(person, from: circle)
        case .invite(let circle, let new): Inviting(context: context).invite(to: circle, new)
        case .revokeInvitation(let circle, let id):
            Inviting(context: context).revoke(id, to: circle)
        case .acceptInvitation(let token, let person, let patch):
            Inviting(context: context).accept(token, for: person, patch)
        case .replyToConsent(let person, let id, let agreed):
            Consenting(context: context).reply(to: id, of: person, agreed: agreed)
        case .createWard(let id, let guardian, let patch, let until):
            Guardianships(context: context).createWard(id, of: guardian, patch, until: until)
        case .requestGuardianship(let guardian, let ward):
            Guardianships(context: context).requestGuardianship(by: guardian, of: ward)
        case .createZone(let owner, let id, let patch): zones.createZone(id, for: owner, patch)
        case .createZones(let owner, let new): zones.createZones(new, for: owner)
        case .updateZone(let owner, let id, let patch): zones.updateZone(id, of: owner, patch)
        case .removeZone(let owner, let id): zones.removeZone(id, of: owner)
        case .optOut(let person, let id): ZoneOptOuts(context: context).optOut(id, by: person)
        case .optIn(let person, let id): ZoneOptOuts(context: context).optIn(id, by: person)
        case .acceptZone(let person, let id):
            ZoneAcceptances(context: context).accept(id, by: person)
        case .declineZone(let person, let id):
            ZoneAcceptances(context: context).decline(id, by: person)
        case .setNeverNotify(let person, let patch):
            NeverNotifyLists(context: context).set(patch, by: person)
        case .setPIN(let person, let patch):
            PINs(context: context, match: match(patch, of: person, command, at: now))
                .set(patch, by: person)
        case .mailZones(let owner, let zone, let address):
            MailedZones(context: context).mailZones(of: owner, zone, to: address)
        case .createSet(let id, let name): sets.createSet(id, name: name)
        case .updateSet(let id, let name): sets.updateSet(id, name: name)
        case .removeSet(let id): sets.removeSet(id)
        case .subscribe(let circle, let set): sets.subscribe(circle, to: set)
        case .unsubscribe(let circle, let set): sets.unsubscribe(circle, from: set)
        case .createMessage(let owner, let id, let patch, let code):
            messages.createMessage(id, for: owner, patch, code)
        case .updateMessage(let owner, let id, let patch, let code):
            messages.updateMessage(id, of: owner, patch, code)
        case .removeMessage(let owner, let id): messages.removeMessage(id, of: owner)
        case .sendCode(let owner, let id, let code): messages.sendCode(code, for: id, of: owner)
        case .enterCode(let owner, let id, let code): messages.enterCode(code, for: id, of: owner)
        case .confirmMessage(let owner, let id): messages.confirmMessage(id, of: owner)
        }
    }

    /// Events that make one credential the operator's only one.
    private func operatorTokenEvents(
        _ credential: NewCredential, at now: Timestamp
    ) -> [EventBody] {
        let old = directory.operatorCredentials
        var events: [EventBody] = []
        if !old.contains(where: { $0.hash == credential.hash }) {
            events.append(
                .credentialChanged(
                    Credential(id: credential.id, hash: credential.hash, created: now)))
        }
        for outdated in old where outdated.hash != credential.hash {
            events.append(.credentialRemoved(CredentialRemoval(credential: outdated.id)))
        }
        return events
    }

    /// Events that remove a person unconditionally: the erasure was decided before the restore.
    private func removalEvents(of person: PersonID) -> [EventBody] {
        let circles = directory.circles(of: person).compactMap(directory.circle).map {
            $0.departure(of: person)
        }
        return circles + wards.orphaned(by: person, in: directory)
            + [.personRemoved(PersonRemoval(person: person))]
    }

    /// Zone events for zones whose offsets differ from the time zone database.
    private func clockChanges(_ clocks: [ZoneClock]) -> [EventBody] {
        let known = Dictionary(uniqueKeysWithValues: clocks.map { ($0.timeZone, $0) })
        return directory.sortedZones.compactMap { zone in
            guard let old = zone.clock, let new = known[old.timeZone], new != old else {
                return nil
            }
            var zone = zone
            zone.clock = new
            zone.version += 1
            return .zoneChanged(zone)
        }
    }
}
