import Directory
import Model

/// Decides changes of devices and of their credentials.
struct Devices {
    let context: CommandContext

    func createDevice(
        _ id: DeviceID, of owner: PersonID, _ patch: DevicePatch, _ new: NewCredential
    ) -> Verdict {
        if let rejection = context.denial(.editDevices, on: .person(owner)) {
            return .rejected(rejection)
        }
        guard context.directory.person(owner) != nil else { return .rejected(.missing("person")) }
        guard context.directory.devices(of: owner).count < Limits.devicesPerPersonMax else {
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
        if let rejection = context.denial(.editDevices, on: .person(owner)) {
            return .rejected(rejection)
        }
        guard let old = device(id, of: owner) else { return .rejected(.missing("device")) }
        if let rejection = context.outdated(old.version) { return .rejected(rejection) }
        var device = old
        patch.apply(to: &device)
        guard device != old else { return .done([], .device(old)) }
        device.version += 1
        return .done([.deviceChanged(device)], .device(device))
    }

    func removeDevice(_ id: DeviceID, of owner: PersonID) -> Verdict {
        if let rejection = context.denial(.editDevices, on: .person(owner)) {
            return .rejected(rejection)
        }
        guard let device = device(id, of: owner) else { return .rejected(.missing("device")) }
        if let rejection = context.outdated(device.version) { return .rejected(rejection) }
        var events: [EventBody] = []
        if var person = context.directory.person(owner), person.primaryDevice == id {
            person.primaryDevice = nil
            person.version += 1
            events.append(.personChanged(person))
        }
        return .done(events + [.deviceRemoved(DeviceRemoval(device: id))], .gone)
    }

    func rotateCredential(
        of id: DeviceID, of owner: PersonID, to new: NewCredential
    ) -> Verdict {
        if let rejection = context.denial(.editDevices, on: .person(owner)) {
            return .rejected(rejection)
        }
        guard device(id, of: owner) != nil else { return .rejected(.missing("device")) }
        let credential = credential(new, of: owner, device: id)
        let removals = context.directory.credentials(of: id).map {
            EventBody.credentialRemoved(CredentialRemoval(credential: $0.id))
        }
        return .done([.credentialChanged(credential)] + removals, .credential(credential))
    }

    private func device(_ id: DeviceID, of owner: PersonID) -> Device? {
        context.directory.device(id).flatMap { $0.person == owner ? $0 : nil }
    }

    private func credential(
        _ new: NewCredential, of person: PersonID, device: DeviceID
    ) -> Credential {
        Credential(
            id: new.id, hash: new.hash, kind: .report, person: person, device: device,
            created: context.now)
    }
}
