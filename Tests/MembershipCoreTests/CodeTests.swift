import Directory
import MembershipCore
import Model
import Testing

@Suite struct CodeTests {
    private let scene = Scene(circle: true)
    private let family = ZoneOwner.circle(circle(1))
    private let stranger = "+15550000199"

    private func patch(_ number: String?, _ line: String? = nil) -> MessagePatch {
        var patch = MessagePatch()
        patch.number = number
        patch.line = line
        return patch
    }

    @discardableResult
    private func make(
        _ number: Int, _ phone: String? = nil, by principal: Principal = anna,
        for owner: ZoneOwner? = nil, _ digest: Int = 1
    ) -> ZoneMessage? {
        let change = Change.createMessage(
            owner ?? family, message(number), patch(phone ?? stranger), code(digest))
        guard case .message(let made) = scene.ask(principal, change) else { return nil }
        return made
    }

    private func enter(
        _ digest: Int, for number: Int = 1, by principal: Principal = anna
    ) -> Answer {
        scene.ask(principal, .enterCode(family, message(number), code(digest)))
    }

    private func confirmed(_ answer: Answer) -> Timestamp? {
        if case .message(let message) = answer { message.confirmed } else { nil }
    }

    private var sent: [CodeOrder] {
        scene.codes.compactMap { if case .send(let order) = $0 { order } else { nil } }
    }

    @Test func `a new number gets a code in the name of the sender`() {
        #expect(make(1)?.confirmed == nil)
        #expect(sent.map(\.number) == [stranger])
        #expect(sent.first?.sender == "Anna")
        #expect(sent.first?.expires == scene.now + Limits.codeAgeMax)
        make(2, "+15550000188", by: .operator)
        #expect(sent.first?.sender == "Family")
    }

    @Test func `the right code confirms the number for this owner only`() {
        make(1)
        make(2)
        make(3, by: citra, for: .person(person(3)))
        #expect(enter(1, by: citra).denial == .roleTooLow)
        #expect(confirmed(enter(1)) == scene.now)
        #expect(scene.core.directory.message(message(2))?.confirmed == scene.now)
        #expect(scene.core.directory.message(message(2))?.version == 2)
        #expect(scene.core.directory.message(message(3))?.confirmed == nil)
        #expect(make(4)?.confirmed == scene.now, "it agreed already")
        #expect(sent.isEmpty)
        #expect(enter(7) == enter(1), "nothing is asked any more")
    }

    @Test func `a member's contact point does not confirm a number`() {
        scene.ask(
            ben, .updatePerson(person(2), personPatch { $0.contacts = [contact(1, stranger)] }))
        #expect(make(1)?.confirmed == nil)
        #expect(sent.count == 1)
    }

    @Test func `after five wrong codes the right one is rejected`() {
        make(1)
        for left in stride(from: Limits.codeTriesMax - 1, through: 0, by: -1) {
            let rejection = enter(9).rejection
            #expect(rejection?.reason == .invalid)
            #expect(rejection?.field == "code")
            #expect((rejection?.hint == "\(left) attempts left") == (left > 0))
        }
        #expect(enter(1).rejection?.reason == .conflict)
        scene.ask(anna, .sendCode(family, message(1), code(2)))
        #expect(sent.count == 1)
        #expect(enter(1).rejection?.reason == .invalid, "it is the code of before")
        #expect(confirmed(enter(2)) != nil)
    }

    @Test func `a code is valid for 30 minutes`() {
        make(1)
        let made = scene.now
        scene.now = made + Limits.codeAgeMax - .milliseconds(1)
        #expect(enter(9).rejection?.reason == .invalid)
        scene.now = made + Limits.codeAgeMax
        let rejection = enter(1).rejection
        #expect(rejection?.reason == .conflict)
        #expect(rejection?.detail.contains("expired") == true)
    }

    @Test func `a changed number gets another code, and the old code is void`() {
        make(1)
        scene.ask(
            anna, .updateMessage(family, message(1), patch("+15550000188"), code(2)))
        #expect(sent.map(\.number) == ["+15550000188"])
        #expect(enter(1).rejection?.reason == .invalid)
        #expect(confirmed(enter(2)) != nil)
        scene.ask(anna, .updateMessage(family, message(1), patch(nil, "Hi"), code(3)))
        #expect(scene.codes.isEmpty)
    }

    @Test func `a number gets at most three codes a day from all senders`() {
        make(1)
        scene.now = scene.now + .seconds(3600)
        make(2, by: citra, for: .person(person(3)))
        scene.ask(anna, .sendCode(family, message(1), code(2)))
        #expect(sent.count == 1)
        let rejection = scene.ask(anna, .sendCode(family, message(1), code(3))).rejection
        #expect(rejection?.reason == .tooOften(.seconds(23 * 3600)))
        #expect(make(3) != nil, "it is there without a code")
        #expect(scene.codes.isEmpty)
        let none = scene.ask(anna, .enterCode(family, message(3), code(1))).rejection
        #expect(none?.reason == .conflict)
        scene.now = scene.now + .seconds(23 * 3600)
        scene.ask(anna, .sendCode(family, message(3), code(4)))
        #expect(sent.count == 1)
    }

    @Test func `a person sends at most ten codes a day, the operator any number`() {
        for number in 0..<Limits.codesPerPersonMax {
            make(number, "+1555000020\(number)")
            #expect(sent.count == 1)
        }
        make(20, "+15550000300")
        #expect(sent.isEmpty)
        make(21, "+15550000301", by: ben)
        #expect(sent.count == 1)
        for number in 30...50 {
            make(number, "+155500004\(number)", by: .operator)
            #expect(sent.count == 1)
        }
    }

    @Test func `codes and rate limits survive a restart`() {
        make(1)
        var pending: [PendingCode] = []
        var requests: [CodeRequest] = []
        for change in scene.codes {
            switch change {
            case .save(let code): pending.append(code)
            case .requested(let request): requests += [request, request, request]
            case .remove, .send, .mail: break
            }
        }
        scene.core = MembershipCore(
            directory: scene.core.directory, codes: Codes(pending: pending, requests: requests))
        #expect(
            scene.ask(anna, .sendCode(family, message(1), code(2))).rejection?.reason
                == .tooOften(Limits.codeWindow))
        #expect(confirmed(enter(1)) != nil)
        #expect(scene.codes == [.remove(.message(message(1)))])
    }

    @Test func `a confirmed number gets no further code`() {
        make(1)
        scene.ask(.operator, .confirmMessage(family, message(1)))
        #expect(scene.codes == [.remove(.message(message(1)))])
        let again = scene.ask(anna, .sendCode(family, message(1), code(2)))
        #expect(again.rejection?.reason == .conflict)
    }
}
