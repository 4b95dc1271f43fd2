import Directory
import Model
import Testing

@testable import NotifierCore

struct SignalsTests {
    private var turn = Directory.Turn<Effect>(now: World.start, directory: Replica())
    private var signals = Signals([], at: World.start)
    private let signal = Town.signal(countdown: .seconds(10))

    @Test mutating func `an answer cancels the fallback`() {
        signals.receive(signal, &turn)
        #expect(signals.isWaiting(signal.id))
        #expect(signals.deadlines.nextDue == World.start + .seconds(18))
        signals.markAnswered(signal.id, &turn)
        signals.markAnswered(signal.id, as: .cancelled, &turn)
        #expect(signals[signal.id]?.state == .answered)
        #expect(signals.popOverdue(at: .distantFuture).isEmpty)
    }

    @Test mutating func `an answer may come before its signal`() {
        signals.markAnswered(signal.id, &turn)
        signals.receive(signal, &turn)
        #expect(!signals.isWaiting(signal.id) && signals.deadlines.nextDue == nil)
    }

    @Test mutating func `a position may come before its signal`() {
        var bare = signal
        bare.fix = nil
        signals.locate(
            EmergencyPlace(
                emergency: signal.id, person: signal.person, fix: Town.fix(at: World.start)), &turn)
        signals.receive(bare, &turn)
        #expect(signals[signal.id]?.signal?.fix == Town.fix(at: World.start))
    }
}
