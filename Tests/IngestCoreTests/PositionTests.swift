import Dialects
import Directory
import Model
import Testing

@testable import IngestCore

@Suite struct PositionTests {
    private let ben = Principal.device(device(2), of: person(2))

    private func positions(
        _ bench: inout Bench, as principal: Principal, circle number: UInt64 = 1
    ) -> [UInt64: MemberPosition] {
        guard case .positions(let list) = bench.positions(of: circle(number), as: principal)
        else { return [:] }
        return Dictionary(uniqueKeysWithValues: list.map { ($0.person.raw.low, $0) })
    }

    /// Everybody but Eve has reported.
    private func reporting() -> Bench {
        var bench = Bench()
        for number in 1...4 {
            bench.deliver([observation(at: -60, battery: UInt8(number))], from: UInt64(number))
        }
        return bench
    }

    private func friends(_ bench: inout Bench, of number: UInt64) -> [OwnTracks.Friend] {
        guard
            case .reports(let answer) = bench.deliver([], from: number, requestsFriends: true)
        else { return [] }
        return answer.friends
    }

    @Test func `a member's last position has place, time, accuracy and age`() throws {
        var bench = reporting()
        bench.deliver([observation(at: -30, lat: 5, battery: 40, speed: 60)])
        let anna = try #require(positions(&bench, as: ben)[1])
        #expect(anna.name == "Anna" && anna.state == .fresh)
        #expect(anna.fix?.position.latitudeE7 == 5 && anna.ageSeconds == 30)
        #expect(anna.battery == 40 && anna.isMoving == true)
        bench.wait(Int(Limits.freshSeconds) - 30)
        #expect(positions(&bench, as: ben)[1]?.state == .fresh)
        bench.wait(1)
        #expect(positions(&bench, as: ben)[1]?.state == .stale)
        bench.deliver([observation(at: Limits.freshSeconds, speed: 59)])
        #expect(positions(&bench, as: ben)[1]?.isMoving == false)
    }

    @Test(
        arguments: [
            // 10⁻⁷ degrees of latitude are 1.1 cm; 50 m are assumed where nobody says how exact.
            (60, 6_000, Bool?.some(true)), (60, 3_000, false), (60, 0, false), (600, 100_000, true),
            (601, 100_000, nil), (10, 4_000, nil),
        ] as [(Int64, Int32, Bool?)])
    func `without a speed the two newest fixes tell movement`(
        seconds: Int64, way: Int32, isMoving: Bool?
    ) {
        var bench = Bench()
        bench.deliver([observation(at: -700, lat: 0)])
        #expect(positions(&bench, as: ben)[1]?.isMoving == nil)
        bench.deliver([observation(at: -700 + seconds, lat: way)])
        #expect(positions(&bench, as: ben)[1]?.isMoving == isMoving)
    }

    @Test func `short distances and late fixes do not change movement`() {
        var bench = Bench()
        bench.deliver([observation(at: -100, lat: 0), observation(at: -40, lat: 9_000)])
        bench.deliver([observation(at: -30, lat: 10_500)])
        #expect(positions(&bench, as: ben)[1]?.isMoving == true)
        bench.deliver([observation(at: -50, lat: 10_500)])
        #expect(positions(&bench, as: ben)[1]?.isMoving == true)
        bench.deliver([observation(at: -20, lat: 10_500)])
        #expect(positions(&bench, as: ben)[1]?.isMoving == false)
        bench.deliver([observation(at: -10, lat: 10_500, speed: 140)])
        #expect(positions(&bench, as: ben)[1]?.isMoving == true)
    }

    @Test func `a friend's altitude accuracy is that of the newest fix`() {
        var bench = reporting()
        var exact = observation(at: -20)
        exact.altitudeAccuracyMetres = 4
        bench.deliver([exact], from: 1)
        #expect(friends(&bench, of: 2).map(\.altitudeAccuracyMetres) == [0, 4, 0])
        bench.deliver([observation(at: -10)], from: 1)
        #expect(friends(&bench, of: 2).map(\.altitudeAccuracyMetres) == [0, 0, 0])
    }

    @Test func `a member without reports is unknown, an invited one is omitted`() {
        var bench = Bench()
        bench.change(aCircle(1, [member(1), member(2), member(3, invited: true)]))
        let shown = positions(&bench, as: ben)
        #expect(shown.keys.sorted() == [1, 2])
        #expect(shown[1]?.state == .unknown && shown[1]?.fix == nil)
    }

    @Test func `a pause is shown as paused, and off as hidden`() {
        var bench = reporting()
        let end = start + .seconds(60)
        bench.change(
            aCircle(
                1, [member(1, sharing: .pausedUntil(end)), member(2), member(3, sharing: .off)]))
        let shown = positions(&bench, as: ben)
        #expect(shown[1]?.state == .paused && shown[1]?.pausedUntil == end)
        #expect(shown[3]?.state == .hidden)
        for number in [1, 3] as [UInt64] {
            #expect(shown[number]?.fix == nil && shown[number]?.battery == nil)
            #expect(shown[number]?.ageSeconds == nil)
        }
        #expect(friends(&bench, of: 2).map(\.name) == ["Ben"])
        bench.wait(60)
        #expect(positions(&bench, as: ben)[1]?.state == .fresh)
    }

    @Test func `precision zone hides the position from others only`() {
        var bench = reporting()
        bench.change(aCircle(1, [member(1, precision: .zone), member(2, precision: .zone)]))
        let shown = positions(&bench, as: ben)
        #expect(shown[1]?.fix == nil && shown[1]?.state == .fresh && shown[1]?.precision == .zone)
        #expect(shown[2]?.fix != nil)
        let friends = friends(&bench, of: 2)
        #expect(friends.map(\.name) == ["Ben", "Anna"])
        #expect(friends.map { $0.fix != nil } == [true, false])
        #expect(friends[1].battery == nil)
    }

    @Test func `a circle's setting hides positions from plain members`() {
        var bench = reporting()
        bench.change(
            aCircle(1, [member(1), member(2), member(3, .guardian)], seePositions: false))
        #expect(positions(&bench, as: ben)[1]?.state == .hidden)
        #expect(positions(&bench, as: ben)[2]?.state == .fresh)
        #expect(positions(&bench, as: .person(person(3)))[1]?.state == .fresh)
        #expect(friends(&bench, of: 2).map(\.name) == ["Ben"])
    }

    @Test func `strangers see nothing, the operator is logged`() {
        var bench = reporting()
        #expect(
            bench.positions(of: circle(1), as: .person(person(5))) == .denied(.notAMember))
        #expect(bench.positions(of: circle(9), as: ben) == .denied(.notAMember))
        bench.access = []
        #expect(positions(&bench, as: .operator)[1]?.fix != nil)
        #expect(Set(bench.access.map(\.person)) == [person(1), person(2), person(3)])
        #expect(bench.access.allSatisfy { $0.viewer == nil })
    }

    @Test func `accesses are counted per viewer, hour and kind, except for oneself`() {
        var bench = reporting()
        bench.now = Timestamp(seconds: 500_000 * 3600)
        func count(_ number: UInt64, hour: Int64, as kind: AccessKind) -> Int {
            bench.access.filter {
                $0.person == person(number) && $0.viewer == person(2) && $0.hour == hour
                    && $0.kind == kind
            }.map(\.count).reduce(0, +)
        }
        bench.access = []
        for _ in 0..<5 { _ = positions(&bench, as: ben) }
        #expect(count(1, hour: 500_000, as: .positions) == 4, "5 is no power of two")
        #expect(bench.access.count == 6, "two people, written at 1, 2 and 4")
        #expect(!bench.access.contains { $0.person == $0.viewer })
        bench.wait(3600)
        _ = positions(&bench, as: ben)
        #expect(count(1, hour: 500_000, as: .positions) == 5, "exact once the hour is over")
        #expect(count(1, hour: 500_001, as: .positions) == 1)
        for _ in 0..<2 { _ = friends(&bench, of: 2) }
        #expect(count(1, hour: 500_001, as: .map) == 2)
        bench.wait(7200)
        _ = positions(&bench, as: ben)
        #expect(count(3, hour: 500_001, as: .positions) == 1)
    }

    @Test func `friends are the person and all who share, each once`() {
        var bench = reporting()
        bench.change(aCircle(2, [member(4, .admin), member(1), member(2), member(5)]))
        let friends = friends(&bench, of: 1)
        #expect(friends.map(\.name) == ["Anna", "Ben", "Cho", "Dan", "Eve"])
        #expect(friends.map { $0.fix != nil } == [true, true, true, true, false])
        #expect(Set(friends.map(\.trackerID)).count == 5)
    }

    @Test func `equal tracker ids of two circles become unique and stay stable`() {
        var bench = reporting()
        bench.change(aCircle(2, [member(4, .admin, tracker: "P2"), member(1, tracker: "P3")]))
        let first = friends(&bench, of: 1)
        #expect(Set(first.map(\.trackerID)).count == 4)
        #expect(first.allSatisfy { $0.trackerID.count == 2 })
        #expect(friends(&bench, of: 1).map(\.trackerID) == first.map(\.trackerID))
    }

    @Test(arguments: [
        ("Anna", "AN"), ("Anna Berg", "AB"), ("  ", "  "), ("X", "X"), ("östen åberg", "ÖÅ"),
    ])
    func `a person without a circle has their initials`(name: String, initials: String) {
        #expect(TrackerIDs.initials(of: name) == initials)
    }

    @Test func `an own call shows the position to its recipients until its end`() {
        var bench = reporting()
        bench.change(aCircle(1, [member(1, sharing: .off), member(2), member(3, .guardian)]))
        guard
            case .emergency(let view) = bench.call(
                EmergencyCall(), as: .device(device(1), of: person(1)))
        else {
            Issue.record("a panic is answered")
            return
        }
        func emergency(_ state: EmergencyState) -> EventBody {
            .emergencyOpened(
                EmergencyChange(
                    emergency: view.id, person: person(1), state: state, trigger: .panic,
                    signal: view.id, raised: start, countdownEnds: start))
        }
        func receive(_ body: EventBody, _ input: (Event) -> Input) {
            bench.handle(input(Event(id: EventID(.zero), time: start, body: body)))
        }
        receive(emergency(.open), Input.derived)
        #expect(positions(&bench, as: ben)[1]?.state == .hidden)
        receive(
            .notificationChanged(
                NotificationChanged(
                    notification: NotificationID(.zero), emergency: view.id, person: person(1),
                    recipient: person(2), channel: .sms, state: .accepted, gateway: "g",
                    answer: "")), Input.deliveries)
        #expect(positions(&bench, as: ben)[1]?.fix != nil)
        #expect(friends(&bench, of: 2).map(\.name) == ["Ben", "Anna", "Cho"])
        #expect(positions(&bench, as: .person(person(3)))[1]?.fix == nil)
        receive(emergency(.resolved), Input.derived)
        #expect(positions(&bench, as: ben)[1]?.fix == nil)
    }
}
