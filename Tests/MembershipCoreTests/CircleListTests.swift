import Directory
import MembershipCore
import Model
import Testing

@Suite struct `Circle lists` {
    private let scene = Scene(circle: true)

    private func version(_ number: Int) -> Int64 {
        scene.core.circleLists.version(of: person(number), in: scene.core.directory)
    }

    private func versions() -> [Int64] { (1...3).map(version) }

    /// People whose version grows by a change, in the next second.
    private func changed(_ principal: Principal, _ change: Change) -> [Int] {
        let before = versions()
        scene.now = scene.now + .seconds(1)
        let answer = scene.ask(principal, change)
        #expect(answer.rejection == nil)
        let after = versions()
        #expect(zip(before, after).allSatisfy { $0 <= $1 })
        #expect(zip(before, after).allSatisfy { $0 == $1 || $1 == scene.now.microseconds })
        return (1...3).filter { before[$0 - 1] != after[$0 - 1] }
    }

    @Test func `grow for all members when the circle changes`() {
        #expect(
            changed(anna, .updateCircle(circle(1), circlePatch { $0.name = "Tan" })) == [1, 2, 3])
        #expect(changed(anna, .updateMember(circle(1), person(2), member(.member))) == [1, 2, 3])
        #expect(
            changed(anna, .createZone(.circle(circle(1)), zone(1), zonePatch("Home"))) == [1, 2, 3])
        #expect(changed(ben, .updatePerson(person(2), personPatch { $0.name = "B" })) == [1, 2, 3])
    }

    @Test func `do not grow by what others do not see`() {
        #expect(changed(ben, .updatePerson(person(2), personPatch { $0.locale = "ms" })) == [])
        #expect(
            changed(
                ben, .createDevice(person(2), device(1), deviceNamed("Pixel"), credential(1))) == []
        )
        #expect(changed(ben, .createZone(.person(person(2)), zone(2), zonePatch("Own"))) == [])
    }

    @Test func `grow for a person who loses a circle, and stay`() {
        #expect(changed(citra, .removeMember(circle(1), person(3))) == [1, 2, 3])
        let lost = version(3)
        #expect(changed(anna, .updateCircle(circle(1), circlePatch { $0.name = "X" })) == [1, 2])
        #expect(version(3) == lost)
        #expect(changed(.operator, .removeCircle(circle(1))) == [1, 2])
        #expect(version(3) == lost)
    }

    @Test func `are equal after loading their rows`() {
        var lists = CircleLists()
        var core = MembershipCore()
        var request: RequestID = 0
        func handle(_ principal: Principal, _ change: Change) {
            request += 1
            var effects: [Effect] = []
            core.handle(
                .command(Command(request: request, principal: principal, change: change)),
                at: Timestamp(seconds: Int64(request)), into: &effects)
            for case .circleList(let row) in effects { lists.load(row) }
        }
        handle(.operator, .createPerson(person(1), personPatch { $0.name = "A" }))
        handle(.operator, .createPerson(person(2), personPatch { $0.name = "B" }))
        handle(anna, .createCircle(circle(1), circlePatch { $0.name = "C" }))
        handle(.operator, .addMember(circle(1), person(2), member(.member)))
        handle(ben, .removeMember(circle(1), person(2)))
        handle(anna, .createCircle(circle(2), circlePatch { $0.name = "D" }))
        handle(anna, .removeCircle(circle(2)))
        for number in [1, 2] {
            let version = lists.version(of: person(number), in: core.directory)
            #expect(version > 0)
            #expect(
                version == core.circleLists.version(of: person(number), in: core.directory))
        }
        #expect(lists.newest == core.circleLists.newest)
    }
}
