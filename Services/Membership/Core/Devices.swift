import Directory
import Model

extension CommandDecision {
    func createDevice(
        _ id: DeviceID, of owner: PersonID, _ patch: DevicePatch, _ new: NewCredential
    ) -> Verdict {
        if let rejection = denial(.editDevices, on: .person(owner)) { return .rejected(rejection) }
        guard directory.person(owner) != nil else { return .rejected(.missing("person")) }
        guard directory.devices(of: owner).count < Limits.devicesPerPersonMax else {
            return .rejected(.full("devices of a person", Limits.devicesPerPersonMax))
        }
        var device = Device(id: id, person: owner, name: "")
        patch.apply(to: &device)
        let credential = credential(new, of: owner, device: id)
        return .done(
            [.deviceChanged(device), .credentialChanged(credential)],
            .newDevice(device, credential))
    }

    func updateDevice(_ id: DeviceID, of owner: PersonID, _ patch: DevicePatch) -> Verdict {
        if let rejection = denial(.editDevices, on: .person(owner)) { return .rejected(rejection) }
        guard let old = device(id, of: owner) else { return .rejected(.missing("device")) }
        if let rejection = outdated(old.version) { return .rejected(rejection) }
        var device = old
        patch.apply(to: &device)
        guard device != old else { return .done([], .device(old)) }
        device.version += 1
        return .done([.deviceChanged(device)], .device(device))
    }

    func removeDevice(_ id: DeviceID, of owner: PersonID) -> Verdict {
        if let rejection = denial(.editDevices, on: .person(owner)) { return .rejected(rejection) }
        guard let device = device(id, of: owner) else { return .rejected(.missing("device")) }
        if let rejection = outdated(device.version) { return .rejected(rejection) }
        var events: [EventBody] = []
        if var person = directory.person(owner), person.primaryDevice == id {
            person.primaryDevice = nil
            person.version += 1
            events.append(.personChanged(person))
        }
        return .done(events + [.deviceRemoved(DeviceRemoval(device: id))], .gone)
    }

    func rotateCredential(
        of id: DeviceID, of owner: PersonID, to new: NewCredential
    ) -> Verdict {
        if let rejection = denial(.editDevices, on: .person(owner)) { return .rejected(rejection) }
        guard device(id, of: owner) != nil else { return .rejected(.missing("device")) }
        let credential = credential(new, of: owner, device: id)
        let removals = directory.credentials(of: id).map {
            EventBody.credentialRemoved(CredentialRemoval(credential: $0.id))
        }
        return .done([.credentialChanged(credential)] + removals, .credential(credential))
    }

    func createCredential(_ new: NewCredential, of owner: PersonID) -> Verdict {
        if let rejection = denial(.editDevices, on: .person(owner)) { return .rejected(rejection) }
        guard directory.person(owner) != nil else { return .rejected(.missing("person")) }
        let own = directory.credentials(of: owner).filter { $0.device == nil }
        guard own.count < Limits.credentialsPerPersonMax else {
            return .rejected(.full("credentials of a person", Limits.credentialsPerPersonMax))
        }
        let credential = credential(new, of: owner)
        return .done([.credentialChanged(credential)], .credential(credential))
    }

    func removeCredential(_ id: CredentialID, of owner: PersonID) -> Verdict {
        if let rejection = denial(.editDevices, on: .person(owner)) { return .rejected(rejection) }
        guard directory.credential(id)?.person == owner else {
            return .rejected(.missing("credential"))
        }
        return .done([.credentialRemoved(CredentialRemoval(credential: id))], .gone)
    }

    func rotateOperatorToken(to new: NewCredential) -> Verdict {
        if let rejection = denial(.administer, on: .suite) { return .rejected(rejection) }
        let credential = Credential(id: new.id, hash: new.hash, created: now)
        let removals = directory.operatorCredentials.map {
            EventBody.credentialRemoved(CredentialRemoval(credential: $0.id))
        }
        return .done([.credentialChanged(credential)] + removals, .credential(credential))
    }

    /// Replaces the monitoring token.
    func rotateMonitorToken(to new: NewCredential) -> Verdict {
        if let rejection = denial(.administer, on: .suite) { return .rejected(rejection) }
        let credential = Credential(id: new.id, hash: new.hash, scope: .monitor, created: now)
        return .done(
            [.credentialChanged(credential)] + monitorRemovals, .credential(credential))
    }

    func removeMonitorToken() -> Verdict {
        if let rejection = denial(.administer, on: .suite) { return .rejected(rejection) }
        guard !directory.monitorCredentials.isEmpty else {
            return .rejected(.missing("monitoring token"))
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
