import Directory
import MembershipCore
import Model
import Testing

@Suite struct DeviceTests {
    private func withDevice() -> Scene {
        let scene = Scene()
        scene.ask(anna, .createDevice(person(1), device(1), deviceNamed("Phone"), credential(1)))
        return scene
    }

    @Test func `a new device authenticates as its person by its credential`() {
        let scene = withDevice()
        #expect(
            scene.core.directory.principal(tokenHash: "h1", at: .zero)
                == .device(device(1), of: person(1)))
        #expect(scene.published.map(\.kind) == [.deviceChanged, .credentialChanged])
    }

    @Test func `a device may name itself`() {
        let scene = withDevice()
        let itself = Principal.device(device(1), of: person(1))
        let answer = scene.ask(
            itself, ifVersion: 1, .updateDevice(person(1), device(1), deviceNamed("Pixel")))
        #expect(answer.device?.name == "Pixel")
        #expect(answer.device?.version == 2)
    }

    @Test func `a device under the wrong person is not found`() {
        let scene = withDevice()
        let changes: [Change] = [
            .updateDevice(person(2), device(1), deviceNamed("X")),
            .removeDevice(person(2), device(1)),
            .rotateCredential(person(2), device(1), credential(2)),
            .removeCredential(person(2), credential(1).id),
        ]
        for change in changes {
            #expect(scene.ask(.operator, change).rejection?.reason == .missing)
        }
    }

    @Test func `only the person and the operator change devices`() {
        let scene = withDevice()
        let changes: [Change] = [
            .createDevice(person(1), device(2), deviceNamed("X"), credential(2)),
            .updateDevice(person(1), device(1), deviceNamed("X")),
            .removeDevice(person(1), device(1)),
            .rotateCredential(person(1), device(1), credential(2)),
            .createCredential(person(1), credential(2), CredentialTerms()),
            .removeCredential(person(1), credential(1).id),
        ]
        for change in changes { #expect(scene.ask(ben, change).denial == .notYours) }
        #expect(scene.ask(.operator, changes[3]).rejection == nil)
        #expect(scene.ask(.operator, changes[4]).denial == .personOnly)
    }

    @Test func `a rotated credential replaces the old one at once`() {
        let scene = withDevice()
        scene.ask(anna, .rotateCredential(person(1), device(1), credential(2)))
        #expect(scene.core.directory.principal(tokenHash: "h1", at: .zero) == nil)
        #expect(
            scene.core.directory.principal(tokenHash: "h2", at: .zero)
                == .device(device(1), of: person(1)))
    }

    @Test func `a removed device is no longer primary`() {
        let scene = withDevice()
        scene.ask(
            anna, .updatePerson(person(1), personPatch { $0.primaryDevice = .some(device(1)) }))
        #expect(scene.ask(anna, .removeDevice(person(1), device(1))) == .gone)
        #expect(scene.core.directory.person(person(1))?.primaryDevice == nil)
        #expect(scene.core.directory.person(person(1))?.version == 3)
        #expect(
            scene.published.map(\.kind) == [.personChanged, .credentialRemoved, .deviceRemoved])
    }

    @Test func `devices and credentials are limited`() {
        let scene = Scene()
        for number in 1...Limits.devicesPerPersonMax {
            let change = Change.createDevice(
                person(1), device(number), deviceNamed("D"), credential(number))
            #expect(scene.ask(anna, change).rejection == nil)
        }
        let change = Change.createDevice(person(1), device(99), deviceNamed("D"), credential(99))
        #expect(scene.ask(anna, change).rejection?.reason == .conflict)
        for number in 1...Limits.credentialsPerPersonMax {
            let change = Change.createCredential(
                person(1), credential(100 + number), CredentialTerms())
            #expect(scene.ask(anna, change).rejection == nil)
        }
        let more = Change.createCredential(person(1), credential(200), CredentialTerms())
        #expect(scene.ask(anna, more).rejection?.reason == .conflict)
    }

    @Test func `the operator has one token, the latest`() {
        let scene = Scene()
        var effects: [Effect] = []
        scene.core.handle(.operatorToken(credential(1)), at: scene.now, into: &effects)
        #expect(effects.count == 1)
        #expect(scene.core.directory.principal(tokenHash: "h1", at: .zero) == .operator)
        #expect(scene.ask(anna, .rotateOperatorToken(credential(2))).denial == .operatorOnly)
        scene.ask(.operator, .rotateOperatorToken(credential(2)))
        #expect(scene.core.directory.principal(tokenHash: "h1", at: .zero) == nil)
        #expect(scene.core.directory.principal(tokenHash: "h2", at: .zero) == .operator)
        effects = []
        scene.core.handle(.operatorToken(credential(2)), at: scene.now, into: &effects)
        #expect(effects.isEmpty)
        scene.core.handle(.operatorToken(credential(3)), at: scene.now, into: &effects)
        #expect(scene.core.directory.operatorCredentials.map(\.hash) == ["h3"])
    }

    @Test func `there is one monitoring token, which acts for no person`() {
        let scene = Scene()
        #expect(scene.ask(anna, .rotateMonitorToken(credential(1))).denial == .operatorOnly)
        #expect(scene.ask(anna, .removeMonitorToken).denial == .operatorOnly)
        #expect(scene.ask(.operator, .removeMonitorToken).rejection?.reason == .missing)
        scene.ask(.operator, .rotateMonitorToken(credential(1)))
        scene.ask(.operator, .rotateMonitorToken(credential(2)))
        let directory = scene.core.directory
        #expect(directory.monitorCredentials.map(\.hash) == ["h2"])
        #expect(directory.principal(tokenHash: "h2", at: .zero) == nil)
        #expect(directory.operatorCredentials.isEmpty)
        var effects: [Effect] = []
        scene.core.handle(.operatorToken(credential(3)), at: scene.now, into: &effects)
        #expect(scene.core.directory.monitorCredentials.count == 1, "it is none of the operator's")
        scene.ask(.operator, .removeMonitorToken)
        #expect(scene.core.directory.monitorCredentials.isEmpty)
    }
}
