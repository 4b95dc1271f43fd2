import Directory
import MembershipCore
import Model
import Testing

@Suite struct MailedZoneTests {
    private let scene = Scene(circle: true)
    private let family = ZoneOwner.circle(circle(1))
    private let mum = "mum@example.org"

    init() { scene.ask(anna, .createZone(family, zone(1), zonePatch("School"))) }

    private func mail(_ principal: Principal = anna, to address: String? = nil) -> Answer {
        scene.ask(principal, .mailZones(family, zone(1), to: address ?? mum))
    }

    private var orders: [CodeOrder] {
        scene.codes.compactMap { if case .mail(let order) = $0 { order } else { nil } }
    }

    @Test func `everybody who can read a zone can mail it in their own name`() {
        #expect(mail(citra) == .mailed)
        #expect(orders.map(\.sender) == ["Citra"])
        #expect(orders.map(\.number) == [mum])
        #expect(scene.published.isEmpty)
        #expect(mail(.operator) == .mailed)
        #expect(orders.map(\.sender) == ["Family"])
    }

    @Test func `a private, removed or foreign zone is not mailed`() {
        let own = ZoneOwner.person(person(3))
        scene.ask(citra, .createZone(own, zone(2), zonePatch("Den")))
        #expect(scene.ask(anna, .mailZones(own, zone(2), to: mum)).denial == .notYours)
        #expect(
            scene.ask(anna, .mailZones(family, zone(2), to: mum)).rejection?.reason == .missing)
        scene.ask(anna, .removeZone(family, zone(1)))
        #expect(mail().rejection != nil)
        #expect(orders.isEmpty)
    }

    @Test func `a set is mailed with all zones unless it is empty`() {
        let floods = ZoneSetID(ID128(high: 7, low: 1))
        scene.ask(.operator, .createSet(floods, name: "Floods"))
        let set = ZoneOwner.set(floods)
        #expect(scene.ask(anna, .mailZones(set, nil, to: mum)).rejection?.reason == .conflict)
        scene.ask(.operator, .createZone(set, zone(5), zonePatch("River")))
        #expect(scene.ask(anna, .mailZones(set, nil, to: mum)) == .mailed)
    }

    @Test func `an address gets at most five mails a day from all senders`() {
        for _ in 0..<Limits.mailsPerAddressMax - 1 { #expect(mail() == .mailed) }
        #expect(mail(ben) == .mailed)
        #expect(mail(citra).rejection?.reason == .tooOften(Limits.codeWindow))
        #expect(mail(.operator).rejection != nil)
        scene.now = scene.now + Limits.codeWindow
        #expect(mail() == .mailed)
    }

    @Test func `a person sends at most twenty mails a day, codes not counted`() {
        for number in 0..<Limits.mailsPerPersonMax {
            #expect(mail(to: "a\(number)@example.org") == .mailed)
        }
        #expect(mail().rejection?.reason == .tooOften(Limits.codeWindow))
        #expect(mail(ben) == .mailed)
        var patch = MessagePatch()
        patch.number = "+15550000199"
        scene.ask(anna, .createMessage(family, message(1), patch, code(1)))
        #expect(
            scene.codes.contains { if case .send = $0 { true } else { false } })
    }
}
