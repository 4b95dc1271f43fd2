import Directory
import Model

/// The decision on a command.
enum Verdict: Sendable {
    case done(
        [EventBody], Answer, codes: [CodeChange] = [], notices: [AccountNotice] = [],
        more: Consequences = Consequences())
    case rejected(CommandRejection)
}

/// Routes each command to the feature that decides it.
struct CommandRouter: Sendable {
    /// Wrong PINs that were entered to change a PIN.
    private var pinChecks = PINChecks()

    mutating func decide(_ context: CommandContext) -> Verdict {
        func match(_ patch: PINPatch, of person: PersonID) -> PINMatch {
            // Nobody else's tries count.
            guard context.command.principal == .person(person) else {
                return PINMatch(verdict: .missing)
            }
            return pinChecks.match(
                patch.current, of: person, in: context.directory, at: context.now)
        }
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
        return switch context.command.change {
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
            PINs(context: context, match: match(patch, of: person))
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
}
