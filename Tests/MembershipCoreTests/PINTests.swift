import Directory
import MembershipCore
import Model
import Testing

@Suite struct `Setting PINs` {
    private let scene = Scene(circle: true)

    private func patch(
        _ target: PINPatch.Target, _ digits: String?, current: String?
    ) -> PINPatch {
        // Other bytes each time, as in the daemon.
        let seed = UInt8(truncatingIfNeeded: scene.request)
        let random = (0..<PINPatch.randomBytes).map { UInt8(truncatingIfNeeded: $0) ^ seed }
        return PINPatch(target, digits: digits, current: current, random: random)
    }

    @discardableResult
    private func set(
        _ digits: String?, current: String? = nil, _ target: PINPatch.Target = .pin,
        by principal: Principal = anna
    ) -> Answer {
        scene.ask(principal, .setPIN(person(1), patch(target, digits, current: current)))
    }

    private func check(_ digits: String?) -> PINVerdict {
        var checks = PINChecks()
        return checks.check(digits, of: person(1), in: scene.core.directory, at: scene.now)
    }

    private func detail(_ answer: Answer) -> String? { answer.rejection?.detail }

    @Test func `a PIN is set, changed by the old one, and removed`() {
        let version = scene.core.directory.person(person(1))
        #expect(set("4711") == .pin(isSet: true))
        #expect(check("4711") == .right && check("0000") == .wrong)
        #expect(detail(set("1234")) == "the PIN is needed")
        #expect(detail(set("1234", current: "0000")) == "the PIN is wrong")
        #expect(set("1234", current: "4711") == .pin(isSet: true))
        #expect(check("1234") == .right && check("4711") == .wrong)
        #expect(set(nil, current: "1234") == .pin(isSet: false))
        #expect(check(nil) == .right)
        #expect(scene.published == [.pinChanged(PersonPIN(person: person(1)))])
        #expect(scene.core.directory.person(person(1)) == version, "nothing else changes")
    }

    @Test(arguments: [
        Principal.operator, .person(person(2)), .device(device(1), of: person(1)),
    ])
    func `only the person sets it, and not with a phone's credential`(principal: Principal) {
        #expect(set("4711", by: principal).rejection != nil)
        #expect(scene.published.isEmpty && scene.core.directory.pin(of: person(1)) == nil)
    }

    @Test func `others cannot use up the tries`() {
        set("4711")
        for _ in 0..<5 { set("1", current: "0000", by: ben) }
        #expect(set("1234", current: "4711") == .pin(isSet: true))
    }

    @Test func `guessing is slow after five wrong ones`() {
        set("4711")
        for _ in 0..<5 { set("1234", current: "0000") }
        guard case .tooOften? = set("1234", current: "4711").rejection?.reason else {
            Issue.record("was compared")
            return
        }
        scene.now = scene.now + .seconds(PINChecks.pauseSeconds)
        #expect(set("1234", current: "4711") == .pin(isSet: true))
    }

    @Test func `a duress PIN needs a PIN, and differs from it`() {
        #expect(detail(set("0815", .duressPIN)) == "set a PIN first")
        set("4711")
        #expect(detail(set("4711", current: "4711", .duressPIN)) == "must differ from the PIN")
        #expect(set("0815", current: "4711", .duressPIN) == .pin(isSet: true))
        #expect(check("0815") == .duress && check("4711") == .right)
        #expect(set("5555", current: "4711") == .pin(isSet: true))
        #expect(check("0815") == .duress && check("5555") == .right, "it stays")
        set("0815", current: "5555")
        #expect(check("0815") == .right, "of equal digits the PIN counts")
        set("0816", current: "0815")
        #expect(check("0815") == .wrong, "the duress PIN with these digits is gone")
    }

    @Test func `records show nowhere whether a duress PIN is set`() throws {
        set("4711")
        let without = try #require(scene.core.directory.pin(of: person(1)))
        set("0815", current: "4711", .duressPIN)
        let with = try #require(scene.core.directory.pin(of: person(1)))
        set(nil, current: "4711", .duressPIN)
        let removed = try #require(scene.core.directory.pin(of: person(1)))
        #expect(check("0815") == .wrong)
        for pin in [without, with, removed] {
            #expect(
                pin.hashes.count == PersonPIN.slots && Set(pin.hashes).count == pin.hashes.count)
            #expect(pin.hashes.allSatisfy { $0.utf8.count == 64 } && pin.isShown)
        }
    }

    /// The same answers to anybody who holds the phone: with the PIN in a world where that is all
    /// they know, and with the duress PIN in the other.
    @Test func `a person who knows only the duress PIN sees it work like the PIN`() {
        func answers(knowing known: String) -> [Answer] {
            [
                set("2222", current: known), set("3333", current: known),
                set("3333", current: "2222", .duressPIN), set("4444", current: "3333"),
                set("6666", current: "2222"), set(nil, current: "0001"),
                set(nil, current: "6666"), set(nil), set("7777"),
                set("8888", current: "7777", .duressPIN), set(nil, current: "7777"),
            ]
        }
        set("4711")
        let expected = answers(knowing: "4711")
        let other = `Setting PINs`()
        other.set("4711")
        other.set("0815", current: "4711", .duressPIN)
        let got = [
            other.set("2222", current: "0815"), other.set("3333", current: "0815"),
            other.set("3333", current: "2222", .duressPIN), other.set("4444", current: "3333"),
            other.set("6666", current: "2222"), other.set(nil, current: "0001"),
            other.set(nil, current: "6666"), other.set(nil), other.set("7777"),
            other.set("8888", current: "7777", .duressPIN), other.set(nil, current: "7777"),
        ]
        #expect(got == expected)
        #expect(other.check("4711") == .right, "the person's own PIN still ends an emergency")
        #expect(other.check(nil) == .duress, "what needs no PIN is done under duress")
    }
}
