import Model
import Testing
import TimerCore

@Suite struct `An emergency without notification` {
    @Test func `alarms the operator once, fifteen seconds after its countdown`() {
        var line = Timeline()
        line.at(0, .signal(Some.signal(1, at: 0)))
        let steps = line.run(until: 86_400)
        #expect(steps.effects.alarms == [Some.emergency(1)])
        #expect(steps.first?.second == 25)
        #expect(line.core.undelivered == [Some.emergency(1)])
    }

    @Test func `is also detected by evaluators' events`() {
        var line = Timeline()
        line.at(0, .emergency(Some.change(1, .countdown, at: 0)))
        line.at(0, .signal(Some.signal(1, at: 0)))
        line.at(10, .emergency(Some.change(1, .open, at: 0)))
        #expect(
            line.run(until: 1000).seconds { if case .raiseAlarm = $0 { true } else { false } }
                == [25])
    }

    @Test func `opened before its countdown's end alarms fifteen seconds after the opening`() {
        var line = Timeline()
        line.at(0, .signal(Some.signal(1, at: 0, countdown: 60)))
        line.at(5, .emergency(Some.change(1, .open, signal: 2, at: 0)))
        #expect(line.run(until: 1000).first?.second == 20)
    }

    @Test(arguments: [NotificationState.accepted, .delivered])
    func `is settled once a message is accepted`(state: NotificationState) {
        var line = Timeline()
        line.at(0, .signal(Some.signal(1, at: 0)))
        line.at(20, .notification(Some.notification(of: 1, state)))
        #expect(line.run(until: 86_400).effects.alarms.isEmpty)
    }

    @Test(arguments: [NotificationState.queued, .sending, .rejected, .unknown, .expired])
    func `is not settled by a message that nobody accepted`(state: NotificationState) {
        var line = Timeline()
        line.at(0, .signal(Some.signal(1, at: 0)))
        line.at(20, .notification(Some.notification(of: 1, state)))
        line.at(20, .notification(Some.notification(of: nil, .accepted)))
        line.at(20, .notification(Some.notification(of: 7, .accepted, about: Some.ben)))
        #expect(line.run(until: 86_400).effects.alarms == [Some.emergency(1)])
    }

    @Test func `is not settled by the built-in sink unless the operator chose it`() {
        for (kind, alarms) in [(GatewayState.Kind.defaultSink, 1), (.chosenSink, 0)] {
            var line = Timeline()
            let sink = GatewayState(name: "sms", kind: kind, channels: [.sms])
            line.at(0, .reachability(ReachabilityChange(gateways: [sink])))
            line.at(0, .signal(Some.signal(1, at: 0)))
            line.at(12, .notification(Some.notification(of: 1, .sink)))
            #expect(line.run(until: 86_400).effects.alarms.count == alarms)
        }
    }

    @Test func `alarms when the only accepted message fails`() {
        var line = Timeline()
        line.at(0, .signal(Some.signal(1, at: 0)))
        line.at(12, .notification(Some.notification(of: 1, .accepted)))
        line.at(40, .notification(Some.notification(of: 1, .rejected)))
        line.restart(at: 41)
        let steps = line.run(until: 1000)
        #expect(steps.seconds { if case .raiseAlarm = $0 { true } else { false } } == [56])
        // A later delivery ends it.
        line.at(1001, .notification(Some.notification(of: 1, .delivered)))
        #expect(line.core.undelivered.isEmpty)
    }

    @Test func `does not alarm while another message is accepted or a person has responded`() {
        var line = Timeline()
        line.at(0, .signal(Some.signal(1, at: 0)))
        line.at(12, .notification(Some.notification(of: 1, .accepted)))
        line.at(12, .notification(Some.notification(of: 1, .accepted, number: 2)))
        line.at(40, .notification(Some.notification(of: 1, .rejected)))
        line.at(41, .acknowledged(Some.answer(1, at: 41)))
        line.at(42, .notification(Some.notification(of: 1, .rejected, number: 2)))
        #expect(line.run(until: 900).effects.alarms.isEmpty)
        // The escalation resumes: somebody has to be notified again.
        line.at(1000, .escalated(Some.emergency(1)))
        #expect(line.run(until: 86_400).effects.alarms == [Some.emergency(1)])
    }

    @Test func `no longer names an erased person, and stays ended`() {
        var line = Timeline()
        line.at(0, .signal(Some.signal(1, at: 0)))
        line.at(5, .signal(Some.signal(2, at: 5)))
        line.at(20, .notification(Some.notification(of: 1, .accepted)))
        line.at(30, .personRemoved(Some.anna))
        #expect(line.deliveryWatchdogs.count == 2)
        #expect(
            line.deliveryWatchdogs.values.allSatisfy { $0.person == PersonID(.zero) && !$0.isOpen })
        line.restart(at: 40)
        line.at(41, .emergency(Some.change(1, .resolved, at: 41)))
        line.at(41, .signal(Some.signal(2, at: 5)))
        #expect(line.deliveryWatchdogs.values.allSatisfy { $0.person == PersonID(.zero) })
        #expect(line.run(until: 86_400).effects.alarms.isEmpty)
    }

    @Test func `cancelled during its countdown raises no alarm`() {
        var line = Timeline()
        line.at(0, .signal(Some.signal(1, at: 0)))
        let cancel = EmergencyCancel(
            id: EventID(.zero), person: Some.anna, emergency: Some.emergency(1),
            received: Timeline.time(9))
        line.at(9, .signalCancelled(cancel))
        line.at(9, .emergency(Some.change(1, .countdown, at: 0)))
        line.at(10, .emergency(Some.change(1, .cancelled, at: 0)))
        #expect(line.run(until: 86_400).effects.alarms.isEmpty)
    }

    @Test func `cancelled after its countdown counts until an evaluator confirms`() {
        var line = Timeline()
        line.at(0, .signal(Some.signal(1, at: 0)))
        let cancel = EmergencyCancel(
            id: EventID(.zero), person: Some.anna, emergency: Some.emergency(1),
            received: Timeline.time(12))
        line.at(12, .signalCancelled(cancel))
        #expect(line.run(until: 25).effects.alarms.count == 1)
        let effects = line.at(30, .emergency(Some.change(1, .cancelled, at: 0)))
        #expect(effects.contains { if case .endAlarm = $0 { true } else { false } })
        #expect(line.core.undelivered.isEmpty)
    }

    @Test func `ends when somebody acknowledges or resolves it`() {
        let answer = EmergencyAnswer(
            emergency: Some.emergency(1), person: Some.anna, by: Some.ben, at: Timeline.time(11))
        for input in [
            Input.acknowledged(answer), .resolved(answer),
            .emergency(Some.change(1, .acknowledged, at: 0)),
            .emergency(Some.change(1, .resolved, at: 0)),
        ] {
            var line = Timeline()
            line.at(0, .signal(Some.signal(1, at: 0)))
            line.at(11, input)
            #expect(line.run(until: 86_400).effects.alarms.isEmpty)
        }
    }

    @Test func `joined by a further signal raises one alarm, not two`() {
        var line = Timeline()
        line.at(0, .signal(Some.signal(1, at: 0)))
        line.at(4, .signal(Some.signal(2, at: 4)))
        line.at(5, .emergency(Some.change(1, .open, signal: 2, at: 0)))
        #expect(line.run(until: 86_400).effects.alarms == [Some.emergency(1)])
    }

    @Test func `is settled by a message about the emergency that its signal joined`() {
        var line = Timeline()
        line.at(0, .signal(Some.signal(1, at: 0)))
        line.at(4, .signal(Some.signal(2, at: 4)))
        line.at(14, .notification(Some.notification(of: 1, .accepted)))
        line.at(16, .emergency(Some.change(1, .open, signal: 2, at: 0)))
        #expect(line.run(until: 86_400).effects.alarms.isEmpty)
    }

    @Test func `is not settled by a message to the person in danger`() {
        var line = Timeline()
        line.at(0, .signal(Some.signal(1, at: 0)))
        line.at(12, .notification(Some.notification(of: 1, .delivered, to: Some.anna)))
        #expect(line.run(until: 86_400).effects.alarms == [Some.emergency(1)])
    }

    @Test func `is not settled by a message about an earlier one of the same person`() {
        var line = Timeline()
        line.at(0, .signal(Some.signal(1, at: 0)))
        line.at(2, .signal(Some.signal(2, at: 2)))
        line.at(14, .notification(Some.notification(of: 1, .accepted)))
        #expect(line.run(until: 86_400).effects.alarms == [Some.emergency(2)])
    }

    @Test func `a further signal after a notification alarms unless it is notified, too`() {
        for notified in [false, true] {
            var line = Timeline()
            line.at(0, .signal(Some.signal(1, at: 0)))
            line.at(10, .emergency(Some.change(1, .open, at: 0)))
            line.at(12, .notification(Some.notification(of: 1, .accepted)))
            line.at(60, .signal(Some.signal(2, at: 60)))
            line.at(61, .emergency(Some.change(1, .open, signal: 2, at: 0)))
            line.at(65, .notification(Some.notification(of: 1, .accepted, to: Some.anna)))
            if notified { line.at(70, .notification(Some.notification(of: 1, .accepted))) }
            line.restart(at: 71)
            let alarms = line.run(until: 86_400).effects.alarms
            #expect(alarms == (notified ? [] : [Some.emergency(2)]))
        }
    }

    @Test(arguments: [EmergencyState.acknowledged, .resolved, .cancelled])
    func `a further signal ends with the emergency that it joined`(state: EmergencyState) {
        var line = Timeline()
        line.at(0, .signal(Some.signal(1, at: 0, countdown: 0)))
        line.at(1, .notification(Some.notification(of: 1, .accepted)))
        line.at(5, .signal(Some.signal(2, at: 5)))
        line.at(5, .emergency(Some.change(1, .open, signal: 2, at: 0)))
        line.at(9, .emergency(Some.change(1, state, at: 0)))
        #expect(line.run(until: 86_400).effects.alarms.isEmpty)
    }

    @Test(arguments: [7, 5])
    func `cancelled past an evaluator that opened it still alarms`(opened: Int) {
        var line = Timeline()
        line.at(0, .signal(Some.signal(1, at: 0)))
        line.at(4, .signal(Some.signal(2, at: 4)))
        let opening = Input.emergency(Some.change(1, .open, signal: 2, at: 0))
        if opened < 6 { line.at(opened, opening) }
        let cancel = EmergencyCancel(
            id: EventID(.zero), person: Some.anna, emergency: Some.emergency(1),
            received: Timeline.time(5))
        line.at(6, .signalCancelled(cancel))
        if opened > 6 { line.at(opened, opening) }
        #expect(line.run(until: 86_400).effects.alarms == [Some.emergency(1)])
        line.at(86_401, .emergency(Some.change(1, .resolved, at: 0)))
        #expect(line.core.undelivered.isEmpty)
    }

    @Test(arguments: [false, true])
    func `of a stuck button counts once, however often it is pressed`(isJoined: Bool) {
        var line = Timeline()
        line.at(0, .signal(Some.signal(1, at: 0)))
        if isJoined { line.at(10, .emergency(Some.change(1, .open, at: 0))) }
        for press in 2...6 {
            let second = 30 * press
            _ = line.run(until: second)
            line.at(second, .signal(Some.signal(UInt64(press), at: second)))
            if isJoined {
                line.at(second, .emergency(Some.change(1, .open, signal: UInt64(press), at: 0)))
            }
        }
        line.at(200, .signal(Some.signal(9, by: Some.ben, at: 200)))
        _ = line.run(until: 1000)
        #expect(line.core.undelivered == [Some.emergency(1), Some.emergency(9)])
        line.restart(at: 1001)
        #expect(line.core.undelivered == [Some.emergency(1), Some.emergency(9)])
        guard isJoined else { return }
        line.at(1002, .notification(Some.notification(of: 1, .accepted)))
        #expect(line.core.undelivered == [Some.emergency(9)])
    }

    @Test func `stays notified when older events of another stream arrive later`() {
        var line = Timeline()
        line.at(0, .notification(Some.notification(of: 1, .accepted)))
        line.at(1, .signal(Some.signal(1, at: 0)))
        line.at(1, .emergency(Some.change(1, .open, at: 0)))
        line.at(2, .emergency(Some.change(2, .resolved, at: 0)))
        line.at(2, .signal(Some.signal(2, at: 0)))
        #expect(line.run(until: 86_400).effects.alarms.isEmpty)
    }

    @Test func `received late gets its full time, even after a restart`() {
        var line = Timeline()
        line.at(0, .signal(Some.signal(1, at: -5000)))
        line.restart(at: 500)
        #expect(line.run(until: 514).effects.alarms.isEmpty)
        #expect(line.run(until: 515).effects.alarms == [Some.emergency(1)])
    }

    @Test func `can result from an expired watch`() {
        var line = Timeline(graceSeconds: 60)
        line.at(0, Some.start(1, seconds: 600))
        let steps = line.run(until: 2000)
        #expect(steps.effects.alarms == steps.effects.expiries.map(\.id))
        #expect(steps.seconds { if case .raiseAlarm = $0 { true } else { false } } == [675])
    }

    @Test func `calls the operator until the call is accepted`() {
        var line = Timeline(callsAlarm: true)
        line.at(0, .signal(Some.signal(1, at: 0)))
        #expect(line.run(until: 25).effects.calls == [Some.emergency(1)])
        line.at(26, .alarmCalled(Some.emergency(1), accepted: false, jitter: 0))
        let second = line.run(until: 60)
        #expect(second.effects.calls == [Some.emergency(1)] && second.effects.alarms.isEmpty)
        line.at(60, .alarmCalled(Some.emergency(1), accepted: true, jitter: 0))
        #expect(line.run(until: 86_400).isEmpty)
        line.restart(at: 90_000)
        #expect(line.run(until: 180_000).isEmpty)
    }

    @Test func `calls again after a restart if the answer got lost`() {
        var line = Timeline(callsAlarm: true)
        line.at(0, .signal(Some.signal(1, at: 0)))
        _ = line.run(until: 25)
        line.restart(at: 30)
        let steps = line.run(until: 30)
        #expect(steps.effects.calls == [Some.emergency(1)] && steps.effects.alarms.isEmpty)
    }

    @Test func `stops the calls once somebody is notified`() {
        var line = Timeline(callsAlarm: true)
        line.at(0, .signal(Some.signal(1, at: 0)))
        _ = line.run(until: 25)
        line.at(26, .alarmCalled(Some.emergency(1), accepted: false, jitter: 0))
        line.at(27, .notification(Some.notification(of: 1, .accepted)))
        #expect(line.run(until: 86_400).effects.calls.isEmpty)
        #expect(line.core.undelivered.isEmpty)
    }

    @Test func `is deleted after a week`() {
        var line = Timeline()
        line.at(0, .signal(Some.signal(1, at: 0)))
        line.at(20, .notification(Some.notification(of: 1, .accepted)))
        #expect(line.deliveryWatchdogs.count == 1)
        _ = line.run(until: 8 * 86_400)
        #expect(line.deliveryWatchdogs.isEmpty && line.core.nextDeadline == nil)
    }
}
