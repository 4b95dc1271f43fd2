import Dialects
import Directory
import Model
import Testing

@testable import IngestCore

/// What officers see: people in an emergency, and nobody else.
@Suite struct StaffTests {
    private let officer = Principal.person(person(9))

    private func bench() -> Bench {
        var bench = Bench()
        bench.change(.personChanged(Person(id: person(9), name: "Omar", staff: .officer)))
        for number in 1...3 as ClosedRange<UInt64> {
            bench.deliver([observation(at: -60)], from: number)
        }
        return bench
    }

    private func positions(_ bench: inout Bench) -> [MemberPosition]? {
        if case .positions(let list) = bench.positions(of: circle(1), as: officer) {
            list
        } else {
            nil
        }
    }

    @Test func `officers see positions of people in an emergency only`() throws {
        var bench = bench()
        #expect(bench.positions(of: circle(1), as: officer) == .denied(.notAMember))
        guard
            case .emergency(let call)? = bench.call(
                EmergencyCall(countdownSeconds: 0), as: .person(person(1)))
        else {
            Issue.record("the call is accepted")
            return
        }
        bench.applyDerived(
            .emergencyOpened(
                EmergencyChange(
                    emergency: call.emergency, person: person(1), state: .open, trigger: .panic,
                    signal: call.emergency, raised: start, countdownEnds: start)))
        let shown = try #require(positions(&bench))
        #expect(shown.map(\.person) == [person(1)])
        #expect(shown[0].fix != nil)
        #expect(bench.store.stored.emergencies.count == 1)
        guard case .emergency? = bench.read(call.emergency, as: officer) else {
            Issue.record("officers read emergencies")
            return
        }
    }

    @Test func `officers do not cancel, and people who are not staff see nothing`() {
        var bench = bench()
        guard case .emergency(let call)? = bench.call(EmergencyCall(), as: .person(person(1)))
        else {
            Issue.record("the call is accepted")
            return
        }
        #expect(bench.cancel(call.emergency, as: officer) == .denied(.notYours))
        bench.change(.personChanged(Person(id: person(9), name: "Omar")))
        #expect(bench.read(call.emergency, as: officer) == .notFound)
        #expect(bench.cancel(call.emergency, as: officer) == .notFound)
    }
}
