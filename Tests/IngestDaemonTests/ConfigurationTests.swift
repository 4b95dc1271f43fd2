import Bus
import Directory
import Hashing
import Model
import Store
import TestSupport
import Testing
import Wire

@testable import IngestCore
@testable import IngestDaemon

/// The configuration of a partition as a reader of its log from the first record has it.
private struct Replayed: Equatable {
    var circles: [CircleID: Record] = [:]
    var people: [PersonID: Record] = [:]
    var sets: [ZoneSetID: [Int: Record]] = [:]

    var count: Int { circles.count + people.count + sets.values.reduce(0) { $0 + $1.count } }

    init(_ records: some Sequence<Record>) throws {
        for record in records {
            switch try EventCodec.decode(record).body {
            case .inputCircle(let configured):
                circles[configured.circle] = record
            case .inputCircleRemoved(let removal): circles[removal.circle] = nil
            case .inputPerson(let configured):
                people[configured.person] = record
            case .inputPersonRemoved(let removal): people[removal.person] = nil
            case .inputSet(let page): sets[page.set, default: [:]][page.page] = record
            case .inputSetRemoved(let removal): sets[removal.set] = nil
            default: break
            }
        }
    }
}

@Suite struct ConfigurationTests {
    private func log(_ world: World, _ partition: Partition, to sequence: UInt64) throws -> [Record]
    {
        var records: [Record] = []
        while UInt64(records.count) < sequence {
            records += try SQLiteBusStore(world.database).records(
                of: .input(partition), after: UInt64(records.count), through: sequence,
                bytesMax: 1 << 20
            ).map(\.record)
        }
        return records
    }

    /// Changes the directory as its writer would.
    private func change(_ world: World, _ body: EventBody) throws {
        let event = Event(id: EventID(.zero), time: world.now, body: body)
        try world.turn {
            try world.service.directoryWillChange(event)
            world.replica.apply(body)
        }
        while world.service.nextDeadline != nil { try world.turn {} }
    }

    private func randomChange(_ random: inout SeededGenerator, step: Int64) -> EventBody {
        let number = UInt64.random(in: 1...3, using: &random)
        let center = Coordinate(latitudeE7: 30_000_000, longitudeE7: 1_010_000_000)
        func zone(of owner: ZoneOwner) -> EventBody {
            .zoneChanged(
                Zone(
                    id: ZoneID(ID128(high: 5 | number << 48, low: number)), owner: owner,
                    name: "Z",
                    shape: .circle(center: center, radiusCentimetres: 10_000),
                    prepared: PreparedGeometry(
                        origin: center, coefficients: [1], radiusCentimetres: 10_000, polygons: [],
                        inradiusCentimetres: 10_000, reachCentimetres: 10_000), version: step))
        }
        let set = ZoneSetID(ID128(high: 6, low: number % 2))
        switch Int.random(in: 0..<10, using: &random) {
        case 6: return .setChanged(ZoneSet(id: set, name: "S\(step)"))
        case 7: return .setRemoved(SetRemoval(set: set))
        case 8: return zone(of: .set(set))
        case 9:
            return .zoneRemoved(
                ZoneRemoval(zone: ZoneID(ID128(high: 5 | number << 48, low: number))))
        case 0: return zone(of: .circle(circle(number)))
        case 1: return zone(of: .person(person(number)))
        case 2: return .personRemoved(PersonRemoval(person: person(number)))
        case 3: return .personChanged(Person(id: person(number), name: "P\(step)"))
        default:
            let members = (1...3).filter { _ in Bool.random(using: &random) }.map {
                Membership(
                    person: person($0), role: .member, joined: start, trackerID: "T\($0)")
            }
            let isSubscribed = Bool.random(using: &random)
            return .circleChanged(
                Circle(
                    id: circle(number), name: "C", members: members,
                    sets: isSubscribed ? [set] : []))
        }
    }

    @Test(arguments: 1...8)
    func `a snapshot has the configuration as of its checkpoint`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let world = try World()
        let evaluator = Evaluator(1, in: world)
        var checked = 0
        for step in 0..<60 {
            world.now = world.now + .seconds(1)
            try change(world, randomChange(&random, step: Int64(step)))
            let partition = World.partitions.randomElement(using: &random) ?? World.partitions[0]
            switch Int.random(in: 0..<8, using: &random) {
            case 0: try world.restart()
            case 1...3: _ = try evaluator.send(world.checkpoint(of: partition))
            default: break
            }
            let (snapshot, position) = try world.snapshot(partition)
            guard let snapshot, let position else { continue }
            let found = try Replayed(snapshot.configuration)
            let wanted = try Replayed(log(world, partition, to: position.sequence))
            #expect(found == wanted)
            #expect(snapshot.configuration.count == found.count)
            let order: [EventKind] = [.inputCircle, .inputSet, .inputPerson]
            let places = snapshot.configuration.map { record in
                order.firstIndex { $0.rawValue == record.kind } ?? -1
            }
            #expect(places == places.sorted(), "circles and sets before people")
            checked += 1
        }
        #expect(checked > 0)
    }

    @Test func `versions that no checkpoint needs are deleted`() throws {
        let world = try World()
        let evaluator = Evaluator(1, in: world)
        let partition = Partition.of(person(1))
        func versions() throws -> Value? {
            try world.database.scalar(
                "SELECT count(*) FROM configuration_record WHERE partition = ?",
                .integer(partition.number))
        }
        let before = try versions()
        for round in 0..<4 {
            for step in 0..<10 as Range<Int64> {
                let center = Coordinate(latitudeE7: 30_000_000, longitudeE7: 1_010_000_000)
                try change(
                    world,
                    .zoneChanged(
                        Zone(
                            id: ZoneID(ID128(high: 5, low: 1)), owner: .circle(circle(1)),
                            name: "Z", shape: .circle(center: center, radiusCentimetres: 10_000),
                            prepared: PreparedGeometry(
                                origin: center, coefficients: [1], radiusCentimetres: 10_000,
                                polygons: [], inradiusCentimetres: 10_000,
                                reachCentimetres: 10_000), version: Int64(round) * 10 + step)))
                world.now = world.now + .seconds(1)
            }
            #expect(try evaluator.send(world.checkpoint(of: partition)) == .stored)
        }
        guard case .integer(let first) = before, case .integer(let last) = try versions() else {
            Issue.record("a count is a number")
            return
        }
        #expect(last == first + 10, "those between the two checkpoints kept")
    }

    @Test func `an older store knows its distributed configuration`() throws {
        let world = try World()
        try change(world, .personRemoved(PersonRemoval(person: person(2))))
        let read =
            "SELECT partition, part, subject, sequence, kind, id, payload FROM configuration_record"
        func rows() throws -> [[Value]] {
            try world.database.all(read + " ORDER BY partition, sequence") { row in
                (0..<7).map { row.value($0) }
            }
        }
        let before = try rows()
        #expect(before.count > 6)
        try world.database.execute(
            """
            DROP TABLE quarantine_size; DROP TRIGGER quarantine_added;
            DROP TRIGGER quarantine_removed; DROP TABLE device_topic;
            DROP TABLE broker_secret;
            DROP TABLE deferred_call; ALTER TABLE emergency DROP COLUMN joined_calls;
            ALTER TABLE emergency DROP COLUMN last_joined;
            ALTER TABLE emergency DROP COLUMN under_duress;
            ALTER TABLE emergency DROP COLUMN raised_by; DROP TABLE followed;
            DROP TABLE live_view;
            DROP TABLE tagged; DROP TABLE retention; DROP TABLE erasure;
            DROP INDEX access_by_hour;
            DROP INDEX quarantine_by_time; DROP INDEX device_by_person;
            DROP TABLE configuration_record; DROP TABLE checkpoint; DROP TABLE configured_set;
            DROP TABLE configured_page; DROP TABLE disarmed; DROP TABLE alarm; DROP TABLE policy;
            DROP TABLE watching; DROP TABLE decision;
            DROP TABLE condition; DROP TABLE card; DROP TABLE suggestion; DROP TABLE locating;
            DROP TABLE device_key; ALTER TABLE access DROP COLUMN asked;
            DROP TABLE contact_expectation; DROP TABLE contact_state; DROP TABLE contact_loss_hold;
            DROP TABLE journey; DROP TABLE journey_fix; DROP TABLE journey_sight;
            DROP TABLE journey_gone; DROP TABLE journey_note; DROP TABLE journey_photo;
            DROP TABLE report; DROP TABLE waiting; DROP TABLE skewed;
            CREATE TABLE report (number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE,
                device INTEGER NOT NULL, time INTEGER NOT NULL, latitude INTEGER NOT NULL,
                longitude INTEGER NOT NULL, accuracy INTEGER NOT NULL, altitude INTEGER,
                speed INTEGER, course INTEGER, trigger INTEGER NOT NULL, battery INTEGER,
                charging INTEGER, marks INTEGER NOT NULL, received INTEGER NOT NULL) STRICT;
            CREATE TABLE waiting (number INTEGER PRIMARY KEY, report BLOB NOT NULL,
                trace TEXT NOT NULL) STRICT;
            CREATE TABLE answered (key BLOB PRIMARY KEY, status INTEGER NOT NULL,
                body BLOB NOT NULL, time INTEGER NOT NULL) STRICT, WITHOUT ROWID;
            ALTER TABLE sequence DROP COLUMN logic;
            ALTER TABLE quarantine DROP COLUMN client;
            ALTER TABLE quarantine DROP COLUMN retried;
            ALTER TABLE emergency DROP COLUMN ended_circles;
            DROP TABLE device_log; ALTER TABLE device DROP COLUMN client;
            DELETE FROM migration WHERE component = '' AND number > 1;
            """)
        try world.restart()
        #expect(try rows() == before)
        #expect(world.service.runner.core.sequencer.logic == Limits.logicVersion)
    }
}
