import Directory
import Model

/// Decides every change of people, devices, credentials, circles and zones.
///
/// Its state is the directory itself: rebuilt from the rows at start, it is what every other
/// service keeps a replica of. A command either changes something and is answered with the result,
/// or is refused with a reason and changes nothing.
public struct MembershipCore: Sendable {
    public private(set) var directory: Replica

    public init(directory: Replica = Replica()) { self.directory = directory }

    /// Takes one input in; what follows from it is appended to `effects`.
    public mutating func handle(_ input: Input, at now: Timestamp, into effects: inout [Effect]) {
        switch input {
        case .command(let command):
            switch decide(command, at: now) {
            case .done(let events, let answer):
                record(events, into: &effects)
                effects.append(.answer(command.request, answer))
            case .refused(let refusal):
                effects.append(.answer(command.request, .refused(refusal)))
            }
        case .operatorToken(let credential):
            record(operatorTokenEvents(credential, at: now), into: &effects)
        }
    }

    /// What a command leads to.
    enum Verdict {
        case done([EventBody], Answer)
        case refused(Refusal)
    }

    private mutating func record(_ events: [EventBody], into effects: inout [Effect]) {
        for event in events {
            for step in directory.apply(event) { effects.append(.record(step)) }
        }
    }

    private func decide(_ command: Command, at now: Timestamp) -> Verdict {
        let attempt = Attempt(directory: directory, command: command, now: now)
        return switch command.change {
        case .createPerson(let id, let patch): attempt.createPerson(id, patch)
        case .updatePerson(let id, let patch): attempt.updatePerson(id, patch)
        case .removePerson(let id): attempt.removePerson(id)
        case .createDevice(let person, let id, let patch, let credential):
            attempt.createDevice(id, of: person, patch, credential)
        case .updateDevice(let person, let id, let patch):
            attempt.updateDevice(id, of: person, patch)
        case .removeDevice(let person, let id): attempt.removeDevice(id, of: person)
        case .rotateCredential(let person, let device, let credential):
            attempt.rotateCredential(of: device, of: person, to: credential)
        case .createCredential(let person, let credential):
            attempt.createCredential(credential, of: person)
        case .removeCredential(let person, let id): attempt.removeCredential(id, of: person)
        case .rotateOperatorToken(let credential): attempt.rotateOperatorToken(to: credential)
        case .createCircle(let id, let patch): attempt.createCircle(id, patch)
        case .updateCircle(let id, let patch): attempt.updateCircle(id, patch)
        case .removeCircle(let id): attempt.removeCircle(id)
        case .addMember(let circle, let person, let patch):
            attempt.addMember(person, to: circle, patch)
        case .updateMember(let circle, let person, let patch):
            attempt.updateMember(person, of: circle, patch)
        case .removeMember(let circle, let person): attempt.removeMember(person, from: circle)
        case .createZone(let circle, let id, let patch): attempt.createZone(id, in: circle, patch)
        case .updateZone(let circle, let id, let patch): attempt.updateZone(id, in: circle, patch)
        case .removeZone(let circle, let id): attempt.removeZone(id, in: circle)
        }
    }

    /// Makes one credential the operator's only one.
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
}
