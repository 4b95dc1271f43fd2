import Directory
import Model

/// Decides every change to people, devices, credentials, circles, zones, sets and messages.
///
/// The state is the directory, rebuilt from rows at start; every other service keeps a replica of
/// it. A command either changes the directory and returns the result, or is rejected with a reason
/// and changes nothing.
public struct MembershipCore: Sendable {
    public private(set) var directory: Replica
    /// Pending confirmation codes of numbers.
    public private(set) var codes: Codes

    public init(directory: Replica = Replica(), codes: Codes = Codes()) {
        self.directory = directory
        self.codes = codes
    }

    /// Handles one input and appends its effects.
    public mutating func handle(_ input: Input, at now: Timestamp, into effects: inout [Effect]) {
        switch input {
        case .command(let command):
            codes.removeExpired(at: now)
            switch decide(command, at: now) {
            case .done(let events, let answer, let changes):
                record(events, into: &effects)
                for change in changes {
                    codes.apply(change)
                    effects.append(.code(change))
                }
                effects.append(.answer(command.request, answer))
            case .rejected(let rejection):
                effects.append(.answer(command.request, .rejected(rejection)))
            }
        case .operatorToken(let credential):
            record(operatorTokenEvents(credential, at: now), into: &effects)
        case .eraseAgain(let person):
            record(removalEvents(of: person), into: &effects)
        case .zoneClocks(let clocks):
            record(clockChanges(clocks), into: &effects)
        }
    }

    /// Returns the result that a command would have now, without applying it.
    public func answer(to command: Command, at now: Timestamp) -> Answer {
        switch decide(command, at: now) {
        case .done(_, let answer, _): answer
        case .rejected(let rejection): .rejected(rejection)
        }
    }

    /// The decision on a command.
    enum Verdict {
        case done([EventBody], Answer, codes: [CodeChange] = [])
        case rejected(CommandRejection)
    }

    private mutating func record(_ events: [EventBody], into effects: inout [Effect]) {
        for event in events {
            for step in directory.apply(event) { effects.append(.record(step)) }
        }
    }

    private func decide(_ command: Command, at now: Timestamp) -> Verdict {
        let context = CommandContext(
            directory: directory, codes: codes, command: command, now: now)
        let people = People(context: context)
        let devices = Devices(context: context)
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
        case .createDevice(let person, let id, let patch, let credential):
            devices.createDevice(id, of: person, patch, credential)
        case .updateDevice(let person, let id, let patch):
            devices.updateDevice(id, of: person, patch)
        case .removeDevice(let person, let id): devices.removeDevice(id, of: person)
        case .rotateCredential(let person, let device, let credential):
            devices.rotateCredential(of: device, of: person, to: credential)
        case .createCredential(let person, let credential):
            devices.createCredential(credential, of: person)
        case .removeCredential(let person, let id): devices.removeCredential(id, of: person)
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
        case .createZone(let owner, let id, let patch): zones.createZone(id, for: owner, patch)
        case .createZones(let owner, let new): zones.createZones(new, for: owner)
        case .updateZone(let owner, let id, let patch): zones.updateZone(id, of: owner, patch)
        case .removeZone(let owner, let id): zones.removeZone(id, of: owner)
        case .optOut(let person, let id): ZoneOptOuts(context: context).optOut(id, by: person)
        case .optIn(let person, let id): ZoneOptOuts(context: context).optIn(id, by: person)
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
        let circles = directory.circles(of: person) + directory.invitations(of: person)
        return circles.compactMap(directory.circle).map {
            $0.departure(of: person)
        } + [.personRemoved(PersonRemoval(person: person))]
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
