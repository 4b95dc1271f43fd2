import Model
import Testing

@testable import EvaluatorCore

@Suite struct FixHistoryTests {
    private let rules = EvaluatorRules()

    /// A fix of the phone, `second` seconds after the start and `north` metres north of the centre.
    private func fix(
        _ second: Int64, north: Double, device: DeviceID = World.phone
    ) -> EvaluatedFix {
        var position = World.middle
        position.latitudeE7 += Int32(north / 0.0110574)
        let fix = Fix(
            time: Timestamp(seconds: 1_760_000_000 + second), position: position,
            accuracyCentimetres: 1000)
        return EvaluatedFix(
            fix: fix, device: device, report: ReportID(ID128(high: 8, low: UInt64(second))))
    }

    private func history(_ fixes: EvaluatedFix...) -> FixHistory {
        var history = FixHistory()
        history.chosenDevice = World.phone
        for fix in fixes {
            history.trust(fix, isFirst: history.trusted == nil, rules)
        }
        return history
    }

    @Test func `a fix follows, repeats or contradicts the trusted one`() {
        let home = fix(60, north: 0)
        #expect(history().assess(home, rules) == .first)
        let known = history(home)
        #expect(known.assess(fix(120, north: 90), rules) == .follows(home))
        #expect(known.assess(fix(60, north: 0), rules) == .repeats(home, canFollow: true))
        #expect(known.assess(fix(59, north: 0), rules) == .outdated)
        #expect(known.assess(fix(70, north: 90_000), rules) == .contradicts)
    }

    @Test func `a second fix far away confirms the suspect one, one at home does not`() {
        var known = history(fix(60, north: 0))
        let away = fix(70, north: 90_000)
        known.suspect = SuspectFix(fix: away, since: away.fix.time)
        #expect(known.assess(fix(130, north: 90_100), rules) == .confirms(suspect: away))
        #expect(known.assess(fix(130, north: 50), rules) == .follows(fix(60, north: 0)))
        #expect(known.assess(away, rules) == .repeats(fix(60, north: 0), canFollow: false))
    }

    @Test func `the first fix of another primary device follows nothing`() {
        var known = history(fix(60, north: 0))
        known.chosenDevice = World.tablet
        #expect(known.assess(fix(120, north: 0, device: World.tablet), rules) == .first)
    }

    @Test func `trusting a fix keeps the one before it and the usual interval`() {
        let known = history(fix(0, north: 0), fix(300, north: 50))
        #expect(known.previous == fix(0, north: 0).fix)
        #expect(known.usualInterval == 300)
        #expect(known.isLateAnswer(fix(300 + 1000, north: 50), rules))
        #expect(!known.isLateAnswer(fix(300 + 300, north: 50), rules))
    }
}
