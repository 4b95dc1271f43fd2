import Foundation
import IngestCore
import Model
import Parsing
import Store
import TestSupport
import Testing
import Web
import Wire

@testable import IngestDaemon

@Suite struct ErasureTests {
    private let world: World

    init() throws { world = try World() }

    private func settle() throws {
        while let next = world.service.nextDeadline, next <= world.now { try world.turn {} }
    }

    private func round(afterHours hours: Int) throws {
        world.now = start + .seconds(hours * 3600)
        try world.receive(
            .retentionDue(RetentionRound(at: world.now)), id: 1000 + UInt64(hours), on: .deadlines)
        try settle()
    }

    private func remove(_ number: UInt64) throws {
        let body = EventBody.personRemoved(PersonRemoval(person: person(number)))
        let circle = world.replica.circle(circle(1))
        try world.turn {
            func apply(_ body: EventBody) throws {
                try world.service.directoryWillChange(
                    Event(id: EventID(.zero), time: world.now, body: body))
                world.replica.apply(body)
            }
            if var circle {
                circle.members.removeAll { $0.person == person(number) }
                try apply(.circleChanged(circle))
            }
            try apply(body)
        }
    }

    private func report(_ number: UInt64, _ count: Int = 3) throws {
        let lat = number == 1 ? "3.1234567" : "4.5"
        let reports = (0..<count).map { index in
            #"{"lat":\#(lat),"lon":101.7654321,"time":"\#(start - .seconds(index))"}"#
        }
        try world.send(
            .post, "/v1/reports", #"{"reports":[\#(reports.joined(separator: ","))]}"#,
            token: "phone-\(number)")
    }

    /// Tables that have a row of a person or of their phone.
    private func tablesNaming(_ number: UInt64) throws -> [String] {
        let ids = [person(number).raw, device(number).raw]
        let tables = try world.database.all(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        ) { $0.text(0) }
        return try tables.filter { table in
            var isNamed = false
            let info = try world.database.all("SELECT name FROM pragma_table_info('\(table)')") {
                $0.text(0)
            }
            try world.database.rows("SELECT * FROM \(table)") { row in
                for column in info.indices {
                    switch row.value(column) {
                    case .blob(let bytes):
                        isNamed =
                            isNamed || ids.contains { bytes.contains($0.bytes) }
                    case .text(let text):
                        isNamed =
                            isNamed || text.contains(person(number).description)
                            || text.contains(device(number).description)
                    default: break
                    }
                }
            }
            return isNamed
        }.sorted()
    }

    /// Everything that phones and people leave here.
    private func live(_ number: UInt64) throws {
        try report(number)
        let path = "/v1/people/\(person(number))"
        let answer = try world.send(.post, path + "/journeys", token: "phone-\(number)")
        let journey = try #require(answer.json["id"]?.string)
        world.now = world.now + .seconds(1)
        try world.send(
            .post, "/v1/reports", #"{"lat":3.1234567,"lon":101.7654321,"time":"\#(world.now)"}"#,
            token: "phone-\(number)")
        try world.send(
            .post, path + "/journeys/\(journey)/notes", #"{"text":"Secret note"}"#,
            token: "phone-\(number)")
        try world.send(.post, "/pub", "not JSON at all", token: "phone-\(number)")
        try world.send(
            .post, "/pub", #"{"_type":"card","name":"Mama Marker","tid":"T1"}"#,
            token: "phone-\(number)")
        try world.send(.post, path + "/alarm/disarm", "{}", token: "phone-\(number)")
        try world.send(
            .post, "/v1/emergencies", #"{"note":"help","countdown":10}"#,
            token: "person-\(number)")
        try world.send(.get, "/v1/circles/\(circle(1))/positions", token: "person-2")
    }

    @Test func `all data of a removed person is erased, and none of others`() throws {
        try live(1)
        try live(2)
        let before = try tablesNaming(1)
        #expect(before.count > 8, "\(before)")
        // That Ben looked at Anna stands in her log alone.
        let others = try tablesNaming(2).filter { $0 != "access" }
        try remove(1)
        try settle()
        // What has been said on streams goes with them.
        #expect(try tablesNaming(1) == ["configuration_record", "erasure", "outbox"])
        #expect(try tablesNaming(2) == others)
        #expect(
            try world.send(.get, "/v1/circles/\(circle(1))/positions", token: "person-2")
                .json["features"]?.array?.count == 1)
        try world.restart()
        #expect(try tablesNaming(1) == ["configuration_record", "erasure", "outbox"])
        // What an evaluator decides of the call that went on is nothing to be kept either.
        let call = EmergencyChange(
            emergency: EmergencyID(ID128(high: 9, low: 1)), person: person(1), state: .resolved,
            trigger: .panic, signal: EmergencyID(ID128(high: 9, low: 1)), raised: world.now,
            countdownEnds: world.now)
        try world.receive(.emergencyResolved(call), id: 77, on: .events(Partition.of(person(1))))
        #expect(try world.database.scalar("SELECT count(*) FROM emergency") == .integer(1))
        #expect(try tablesNaming(1) == ["configuration_record", "erasure", "outbox"])
    }

    @Test func `much data is erased in portions, also after a restart`() throws {
        // Those of the last five minutes share rows.
        try report(1, Limits.rowsForgottenPerTurn + 400)
        try report(1)
        try remove(1)
        func count() throws -> Value? { try world.database.scalar("SELECT count(*) FROM report") }
        #expect(try count() != .integer(0))
        try world.restart()
        #expect(try count() == .integer(0))
        #expect(try world.database.scalar("SELECT count(*) FROM device") == .integer(0))
    }

    @Test func `the backlog of a removed person never enters a stream`() throws {
        let old = (0..<600).map { index in
            #"{"lat":3.1,"lon":101.7,"time":"\#(start - .seconds(10_000 + index))"}"#
        }
        try world.turn {
            try world.service.handle(
                world.request(
                    .post, "/v1/reports", #"{"reports":[\#(old.joined(separator: ","))]}"#,
                    token: "phone-1"))
        }
        let before = world.records(.inputReports).count
        try remove(1)
        try settle()
        #expect(world.records(.inputReports).count <= before + 1)
        #expect(try world.database.scalar("SELECT count(*) FROM waiting") == .integer(0))
        try report(2)
        #expect(try world.database.scalar("SELECT count(*) FROM report") == .integer(1))
    }

    @Test func `after pruning no file of the store has the name or a position`() throws {
        try live(1)
        try world.send(
            .post, "/v1/emergencies", #"{"note":"call +60129998877"}"#, token: "person-1")
        try remove(1)
        try settle()
        for hours in [1, 2, 50] { try round(afterHours: hours) }
        let partition = Partition.of(person(1))
        try world.turn {
            for stream in [StreamName.input(partition), .events(partition), .sos] {
                let end = world.bus.position(of: stream)?.sequence ?? 0
                if end > 0 { try world.bus.prune(stream, through: end) }
            }
            try world.database.run("DELETE FROM configuration_record")
            try world.database.run("DELETE FROM idempotent_answer")
            world.database.truncateLogAfterCommit()
        }
        let bytes = world.storeBytes()
        for marker in ["Mama Marker", "Secret note", "+60129998877", "Anna", "3.1234567"] {
            #expect(!bytes.contains(Array(marker.utf8)), "\(marker)")
        }
        // The place as the rows had it: 31234567 in four bytes.
        #expect(!bytes.contains([0x01, 0xDC, 0x9A, 0x07]))
        #expect(try tablesNaming(1) == ["erasure"])
    }

    @Test func `partitions get records until no checkpoint has the person`()
        throws
    {
        try report(1)
        try remove(1)
        try settle()
        let partition = Partition.of(person(1))
        func logics() -> Int {
            world.records.filter {
                $0.stream == .input(partition) && $0.event.kind == .inputLogic
            }.count
        }
        let before = logics()
        try round(afterHours: 1)
        #expect(logics() == before + 1)
        try round(afterHours: 2)
        #expect(logics() == before + 2)
        #expect(
            try world.database.scalar("SELECT count(*) FROM erasure") == .integer(1),
            "no checkpoint was ever kept")
    }
}

extension [UInt8] {
    /// Whether these bytes stand somewhere in it.
    fileprivate func contains(_ part: [UInt8]) -> Bool {
        guard let first = part.first, count >= part.count else { return false }
        return indices.dropLast(part.count - 1).contains { index in
            self[index] == first && self[index..<index + part.count].elementsEqual(part)
        }
    }
}
