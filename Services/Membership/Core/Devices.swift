import Directory
import Model

extension Attempt {
    func createDevice(
        _ id: DeviceID, of owner: PersonID, _ patch: DevicePatch, _ new: NewCredential
    ) -> Verdict {
        if let refusal = denial(.editDevices, on: .person(owner)) { return .refused(refusal) }
        guard directory.person(owner) != nil else { return .refused(.missing("person")) }
        guard directory.devices(of: owner).count < Limits.devicesPerPersonMax else {
            return .refused(.full("devices of a person", Limits.devicesPerPersonMax))
        }
        var device = Device(id: id, person: owner, name: "")
        patch.apply(to: &device)
        let credential = credential(new, of: owner, device: id)
        return .done(
            [.deviceChanged(device), .credentialChanged(credential)],
            .newDevice(device, credential))
    }

    func updateDevice(_ id: DeviceID, of owner: PersonID, _ patch: DevicePatch) -> Verdict {
        if let refusal = denial(.editDevices, on: .person(owner)) { return .refused(refusal) }
        guard let old = device(id, of: owner) else { return .refused(.missing("device")) }
        if let refusal = outdated(old.version) { return .refused(refusal) }
        var device = old
        patch.apply(to: &device)
        guard device != old else { return .done([], .device(old)) }
        device.version += 1
        return .done([.deviceChanged(device)], .device(device))
    }

    func removeDevice(_ id: DeviceID, of owner: PersonID) -> Verdict {
        if let refusal = denial(.editDevices, on: .person(owner)) { return .refused(refusal) }
        guard let device = device(id, of: owner) else { return .refused(.missing("device")) }
        if let refusal = outdated(device.version) { return .refused(refusal) }
        var events: [EventBody] = []
        if var person = directory.person(owner), person.leadingDevice == id {
            person.leadingDevice = nil
            person.version += 1
            events.append(.personChanged(person))
        }
        return .done(events + [.deviceRemoved(DeviceRemoval(device: id))], .gone)
    }

    func rotateCredential(
        of id: DeviceID, of owner: PersonID, to new: NewCredential
    ) -> Verdict {
        if let refusal = denial(.editDevices, on: .person(owner)) { return .refused(refusal) }
        guard device(id, of: owner) != nil else { return .refused(.missing("device")) }
        let credential = credential(new, of: owner, device: id)
        let removals = directory.credentials(of: id).map {
            EventBody.credentialRemoved(CredentialRemoval(credential: $0.id))
        }
        return .done([.credentialChanged(credential)] + removals, .credential(credential))
    }

    func createCredential(_ new: NewCredential, of owner: PersonID) -> Verdict {
        if let refusal = denial(.editDevices, on: .person(owner)) { return .refused(refusal) }
        guard directory.person(owner) != nil else { return .refused(.missing("person")) }
        let own = directory.credentials(of: owner).filter { $0.device == nil }
        guard own.count < Limits.credentialsPerPersonMax else {
            return .refused(.full("credentials of a person", Limits.credentialsPerPersonMax))
        }
        let credential = credential(new, of: owner)
        return .done([.credentialChanged(credential)], .credential(credential))
    }

    func removeCredential(_ id: CredentialID, of owner: PersonID) -> Verdict {
        if let refusal = denial(.editDevices, on: .person(owner)) { return .refused(refusal) }
        guard directory.credential(id)?.person == owner else {
            return .refused(.missing("credential"))
        }
        return .done([.credentialRemoved(CredentialRemoval(credential: id))], .gone)
    }

    func rotateOperatorToken(to new: NewCredential) -> Verdict {
        if let refusal = denial(.administer, on: .suite) { return .refused(refusal) }
        let credential = Credential(id: new.id, hash: new.hash, created: now)
        let removals = directory.operatorCredentials.map {
            EventBody.credentialRemoved(CredentialRemoval(credential: $0.id))
        }
        return .done([.credentialChanged(credential)] + removals, .credential(credential))
    }

    /// One token for whoever only watches; the one before is worth nothing from now on.
    func rotateMonitorToken(to new: NewCredential) -> Verdict {
        if let refusal = denial(.administer, on: .suite) { return .refused(refusal) }
        let credential = Credential(id: new.id, hash: new.hash, scope: .monitor, created: now)
        return .done(
            [.credentialChanged(credential)] + monitorRemovals, .credential(credential))
    }

    func removeMonitorToken() -> Verdict {
        if let refusal = denial(.administer, on: .suite) { return .refused(refusal) }
        guard !directory.monitorCredentials.isEmpty else {
            return .refused(.missing("monitoring token"))
        }
        return .done(monitorRemovals, .gone)
    }

    private var monitorRemovals: [EventBody] {
        directory.monitorCredentials.map {
            .credentialRemoved(CredentialRemoval(credential: $0.id))
        }
    }

    private func device(_ id: DeviceID, of owner: PersonID) -> Device? {
        directory.device(id).flatMap { $0.person == owner ? $0 : nil }
    }

    private func credential(
        _ new: NewCredential, of person: PersonID, device: DeviceID? = nil
    ) -> Credential {
        Credential(id: new.id, hash: new.hash, person: person, device: device, created: now)
    }
}
