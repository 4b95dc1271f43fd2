import Dialects
import Model
import Testing

@testable import IngestCore

@Suite struct AlarmTests {
    private let anna = Principal.device(device(1), of: person(1))

    private func change(
        _ number: UInt64 = 1, rings: Int = 1, priority: Int = 100, isAudible: Bool = true,
        end: AlarmEnd? = nil
    ) -> AlarmChange {
        AlarmChange(
            alarm: AlarmID(ID128(high: 7, low: number)), person: person(1), zone: zone(number),
            zoneName: "Z\(number)", category: "", priority: priority, circle: circle(1),
            vibrates: true, sound: "", presence: .inside, rings: rings, isAudible: isAudible,
            end: end,
            fix: Fix(time: start, position: Coordinate(latitudeE7: 1, longitudeE7: 2)))
    }

    private func view(_ answer: Answer?) -> AlarmView? {
        if case .alarm(let view) = answer { view } else { nil }
    }

    private func rings(_ bench: inout Bench, from number: UInt64 = 1, of owner: UInt64 = 1)
        -> [String]
    {
        let seconds = (bench.now - start).microseconds / 1_000_000
        guard
            case .reports(let answer) = bench.deliver(
                [observation(at: seconds)], from: number, of: owner, requestsFriends: true)
        else { return [] }
        bench.wait(1)
        return answer.rings.map(\.zoneName)
    }

    @Test func `alarms are armed by default; each change is recorded once`() throws {
        var bench = Bench()
        #expect(view(bench.readAlarm(of: 1, as: anna))?.isArmed == true)
        bench.alarm(.arm, of: 1, as: anna)
        #expect(bench.bodies(.inputArming).isEmpty)
        #expect(view(bench.alarm(.disarm, of: 1, as: anna))?.isArmed == false)
        bench.alarm(.disarm, of: 1, as: anna)
        bench.restart()
        #expect(view(bench.readAlarm(of: 1, as: anna))?.isArmed == false)
        #expect(view(bench.alarm(.arm, of: 1, as: anna))?.isArmed == true)
        let arming = bench.bodies(.inputArming).compactMap { body in
            if case .inputArming(let arming) = body { arming.armed } else { nil }
        }
        #expect(arming == [false, true])
    }

    @Test func `only the person arms, answers and reads their alarms`() {
        var bench = Bench()
        for other in [Principal.person(person(3)), .device(device(2), of: person(2))] {
            #expect(bench.alarm(.close, of: 1, as: other) == .denied(.notYours))
            #expect(bench.readAlarm(of: 1, as: other) == .denied(.notYours))
        }
        #expect(bench.alarm(.disarm, of: 1, as: .operator) == .denied(.personOnly))
        #expect(bench.bodies(.inputAlarmAnswer).isEmpty && bench.bodies(.inputArming).isEmpty)
    }

    @Test func `active alarms are shown until they end, most urgent first`() throws {
        var bench = Bench()
        bench.applyDerived(.alarmStarted(change(1)))
        bench.applyDerived(.alarmStarted(change(2, priority: 5)))
        bench.wait(60)
        bench.applyDerived(.alarmRepeated(change(1, rings: 2)))
        bench.restart()
        let alarms = try #require(view(bench.readAlarm(of: 1, as: anna))?.alarms)
        #expect(alarms.map(\.change.zone) == [zone(2), zone(1)])
        #expect(alarms[1].started == start && alarms[1].rang == start + .seconds(60))
        bench.applyDerived(.alarmEnded(change(1, rings: 2, end: .exit)))
        bench.applyDerived(.alarmEnded(change(1, rings: 2, end: .exit)))
        #expect(view(bench.readAlarm(of: 1, as: anna))?.alarms.map(\.change.zone) == [zone(2)])
    }

    @Test func `the initial flag belongs to the alarm, not to its last ring`() throws {
        var bench = Bench()
        var start = change(1)
        start.initial = true
        bench.applyDerived(.alarmStarted(start))
        bench.applyDerived(.alarmRepeated(change(1, rings: 2)))
        let alarm = try #require(view(bench.readAlarm(of: 1, as: anna))?.alarms.first)
        #expect(alarm.change.initial && alarm.change.rings == 2)
    }

    @Test func `an answer applies to a zone or to all, until the next ring`() {
        var bench = Bench()
        bench.applyDerived(.alarmStarted(change(1)))
        bench.applyDerived(.alarmStarted(change(2)))
        let first = view(bench.alarm(.close, of: 1, zone: zone(1), as: anna))
        #expect(first?.alarms.map(\.answer) == [.close, nil])
        let all = view(bench.alarm(.sleep, of: 1, as: anna))
        #expect(all?.alarms.map(\.answer) == [.sleep, .sleep])
        bench.applyDerived(.alarmRepeated(change(1, rings: 2)))
        #expect(view(bench.readAlarm(of: 1, as: anna))?.alarms.map(\.answer) == [nil, .sleep])
        let answers = bench.bodies(.inputAlarmAnswer).compactMap { body -> AlarmAnswer? in
            if case .inputAlarmAnswer(let answer) = body { answer } else { nil }
        }
        #expect(
            answers.map(\.action) == [.close, .sleep] && answers.map(\.zone) == [zone(1), nil])
    }

    @Test func `each phone gets each ring once, also after a restart`() {
        var bench = Bench()
        #expect(rings(&bench).isEmpty)
        bench.applyDerived(.alarmStarted(change(1)))
        #expect(rings(&bench) == ["Z1"])
        bench.restart()
        #expect(rings(&bench).isEmpty)
        bench.change(
            .deviceChanged(Device(id: device(9), person: person(1), name: "old phone")))
        #expect(rings(&bench, from: 9) == ["Z1"])
        bench.applyDerived(.alarmRepeated(change(1, rings: 2)))
        #expect(rings(&bench) == ["Z1"] && rings(&bench, from: 9) == ["Z1"])
        #expect(rings(&bench, from: 2, of: 2).isEmpty)
    }

    @Test func `an answered or inaudible ring is not sent`() {
        var bench = Bench()
        bench.applyDerived(.alarmStarted(change(1)))
        bench.applyDerived(.alarmStarted(change(2, isAudible: false)))
        bench.alarm(.close, of: 1, as: anna)
        #expect(rings(&bench).isEmpty)
        bench.applyDerived(.alarmRepeated(change(1, rings: 2)))
        #expect(rings(&bench) == ["Z1"])
    }

    @Test func `a removed person leaves nothing`() {
        var bench = Bench()
        bench.applyDerived(.alarmStarted(change(1)))
        bench.alarm(.disarm, of: 1, as: anna)
        bench.change(.personRemoved(PersonRemoval(person: person(1))))
        #expect(bench.store.alarms.isEmpty && bench.store.disarmed.isEmpty)
    }
}
