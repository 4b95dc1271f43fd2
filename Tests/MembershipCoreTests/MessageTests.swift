import Directory
import MembershipCore
import Model
import Testing

func code(_ number: Int) -> CodeDigest { CodeDigest("digest \(number)") }
func message(_ number: Int) -> MessageID { MessageID(ID128(high: 8, low: UInt64(number))) }

@Suite struct MessageTests {
    private let scene = Scene(circle: true)
    private let family = ZoneOwner.circle(circle(1))

    private func patch(_ number: String?, _ line: String? = nil) -> MessagePatch {
        var patch = MessagePatch()
        patch.number = number
        patch.line = line
        return patch
    }

    private func ask(_ principal: Principal, _ change: Change) -> ZoneMessage? {
        guard case .message(let message) = scene.ask(principal, change) else { return nil }
        return message
    }

    @Test func `messages are edited by those who edit zones`() {
        let create = Change.createMessage(family, message(1), patch("+15550000199"), code(1))
        #expect(scene.ask(citra, create).denial == .roleTooLow)
        #expect(ask(ben, create)?.mode == .draft)
        let own = Change.createMessage(
            .person(person(3)), message(2), patch("+15550000199"), code(1))
        #expect(scene.ask(anna, own).denial == .notYours)
        #expect(ask(citra, own)?.owner == .person(person(3)))
        let none = Change.createMessage(family, message(3), patch(nil), code(1))
        #expect(scene.ask(anna, none).rejection?.field == "number")
        let stale = Change.updateMessage(family, message(1), patch(nil, "Call me"), code(1))
        #expect(scene.ask(anna, ifVersion: 5, stale).rejection?.reason == .outdated)
    }

    @Test func `a new number is unconfirmed until the operator confirms it`() {
        let create = Change.createMessage(family, message(1), patch("+15550000199"), code(1))
        #expect(ask(anna, create)?.confirmed == nil)
        #expect(scene.ask(anna, .confirmMessage(family, message(1))).denial == .operatorOnly)
        let confirmed = ask(.operator, .confirmMessage(family, message(1)))
        #expect(confirmed?.confirmed == scene.now)
        #expect(confirmed?.version == 2)
        #expect(
            ask(anna, .updateMessage(family, message(1), patch(nil, "Hi"), code(1)))?.confirmed
                != nil)
        let other = ask(anna, .updateMessage(family, message(1), patch("+15550000188"), code(1)))
        #expect(other?.confirmed == nil)
        #expect(other?.version == 4)
    }

    @Test func `a zone sends only messages of its owner that exist`() {
        for number in 1...2 {
            scene.ask(anna, .createMessage(family, message(number), patch("+15550000199"), code(1)))
        }
        let own = ZoneOwner.person(person(3))
        scene.ask(citra, .createMessage(own, message(3), patch("+15550000199"), code(1)))
        let foreign = zonePatch("Z") { $0.messages = [message(1), message(3)] }
        #expect(
            scene.ask(anna, .createZone(family, zone(1), foreign)).rejection?.field
                == "properties.messages")
        let both = zonePatch("Z") { $0.messages = [message(1), message(2)] }
        scene.ask(anna, .createZone(family, zone(1), both))
        #expect(scene.ask(anna, .removeMessage(family, message(1))).circle == scene.family)
        #expect(scene.core.directory.zone(zone(1))?.messages == [message(2)])
        #expect(scene.core.directory.zone(zone(1))?.version == 2)
        #expect(scene.core.directory.message(message(1)) == nil)
    }

    @Test func `the number of messages is limited`() {
        for number in 1...Limits.messagesPerOwnerMax {
            let create = Change.createMessage(
                family, message(number), patch("+15550000199"), code(1))
            #expect(ask(anna, create) != nil)
        }
        let last = Change.createMessage(family, message(999), patch("+15550000199"), code(1))
        #expect(scene.ask(anna, last).rejection?.reason == .conflict)
    }
}
