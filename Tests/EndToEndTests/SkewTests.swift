import Bus
import Model
import Parsing
import Runtime
import Store
import TestSupport
import Testing
import Wire

extension `The suite` {
    /// A notifier of the next release has written into its stream; all others are of this release.
    @Suite struct `Beside a newer notifier` {
        @Test func `applies known records, stops at unknown ones, and loses nothing`()
            async throws
        {
            try await Household.run(zones: [.park]) { home in
                let suite = home.suite
                try await home.phone.report(Zone.outside)
                try await home.phone.report(Zone.park.inside)
                try await home.wait(
                    for: NotificationSummary.all("Anna entered Park", to: "Bob", "Cara"))

                // Events of a known kind with additional fields.
                let more = try await restarted(suite) { try append(to: $0, withMore) }
                for reader in Self.readers {
                    #expect(await eventually { read(suite, reader) >= more }, "\(suite.log)")
                    #expect(try stopped(suite, reader) == [])
                }

                // An event of an unknown kind.
                let unknown = try await restarted(suite, isReadable: false) { bus in
                    try append(to: bus) { record in
                        Record(
                            kind: 60_000, schema: record.schema, id: SecureRandom.id(),
                            payload: record.payload)
                    }
                }
                try await expectStop(suite, at: unknown)

                // Emergencies and crossings do not wait for it.
                let emergency = try await home.button.callForHelp("call 1")
                var expected = NotificationSummary.all("Anna entered Park", to: "Bob", "Cara")
                expected += NotificationSummary.all("SOS Anna: panic button (call 1)", to: "Bob")
                try await home.phone.report(Zone.outside)
                expected += NotificationSummary.all("Anna left Park", to: "Bob", "Cara")
                try await home.expectNotifications(expected)

                // Bob's acknowledgement waits in the stream until the operator skips the record.
                try await home.bob.api.insist(
                    "POST", "/v1/emergencies/\(emergency)/acknowledgement")
                for reader in Self.readers {
                    let skip = try await suite.finish(
                        "streams", "skip", "deliveries", "--service", reader, "--yes")
                    #expect(skip.status == 0, "\(skip.text)")
                }
                let path = "/v1/emergencies/\(emergency)"
                let isApplied = try await eventually {
                    try home.anna.api.call("GET", path)["state"] == "acknowledged"
                }
                #expect(isApplied, "\(suite.log)")
                for reader in Self.readers {
                    #expect(try stopped(suite, reader) == [])
                    let page = try service(suite, reader, "streams")
                    #expect(page["deadLetterCount"] == 1, "the dead letter is kept")
                }
            }
        }

        /// Every consumer of the notifier's stream stops before a record and reports it.
        private func expectStop(_ suite: RunningSuite, at unknown: Int) async throws {
            for reader in Self.readers {
                #expect(await eventually { (try? stopped(suite, reader)) == [unknown] })
                let metrics = try service(suite, reader).send("GET", "/metrics").text
                #expect(!metrics.contains("\njaga_health_problems 0\n"), "\(metrics)")
                let health = try service(suite, reader).send("GET", "/healthz")
                #expect(health.text.contains("deliveries is stopped"), "\(health.text)")
                #expect(read(suite, reader) == unknown - 1)
            }
        }

        /// Consumers of the notifier's stream.
        private static let readers = ["ingest", "timer"]

        /// Stops the suite, writes into the notifier's stream, and restarts it.
        ///
        /// - Parameter isReadable: whether this release can read the new records
        private func restarted<Result>(
            _ suite: RunningSuite, isReadable: Bool = true, _ write: (Bus) throws -> Result
        ) async throws -> Result {
            #expect(await suite.stop() == 0)
            let result = try written(to: suite.home + "/notifier/store.sqlite", write)
            try await suite.start(waits: isReadable)
            return result
        }

        private func written<Result>(
            to store: String, _ write: (Bus) throws -> Result
        ) throws -> Result {
            let database = try Database(path: store, migrations: nil)
            var configuration = Bus.Configuration(name: "notifier")
            configuration.served = [Bus.Served(.deliveries)]
            let network = MemoryNetwork()
            defer { withExtendedLifetime(network) {} }
            let clock = SystemClock()
            let bus = try Bus(
                configuration: configuration, store: SQLiteBusStore(database),
                transport: network.join(configuration), newID: SecureRandom.id,
                clock: { Moment(wall: clock.now, monotonic: clock.monotonic) })
            let result = try write(bus)
            try database.commit()
            bus.committed()
            return result
        }

        /// Appends a modified copy of the newest record.
        ///
        /// - Returns: its sequence
        @discardableResult
        private func append(to bus: Bus, _ change: (Record) throws -> Record) throws -> Int {
            let head = try #require(bus.extent(of: .deliveries)).head.sequence
            let newest = try #require(
                try bus.committedRecords(of: .deliveries, after: head - 1, bytesMax: 1 << 20).last)
            return Int(try bus.append(try change(newest.record), to: .deliveries).sequence)
        }

        /// Copies an event and adds unknown fields everywhere.
        private func withMore(_ record: Record) throws -> Record {
            let id = EventID(SecureRandom.id())
            guard case .object(var members) = try JSON.parse(record.payload) else { return record }
            for index in members.indices {
                if members[index].key == "id" { members[index].value = .string("\(id)") }
                if case .object(var data) = members[index].value {
                    data.append(.init("mood", ["of": "the next release", "degree": 7]))
                    members[index].value = .object(data)
                }
            }
            members.append(.init("jaganext", true))
            return Record(
                kind: record.kind, schema: record.schema, id: id.raw,
                payload: JSON.object(members).serialized())
        }

        private func service(_ suite: RunningSuite, _ name: String) -> PlainHTTP {
            PlainHTTP(port: suite.portBase + (name == "ingest" ? 1 : 4))
        }

        private func service(
            _ suite: RunningSuite, _ name: String, _ what: String
        ) throws -> JSON {
            try suite.http.send("GET", "/v1/\(what)/\(name)", token: suite.operatorToken()).json
        }

        /// Sequences of the notifier's stream at which services have stopped.
        private func stopped(_ suite: RunningSuite, _ name: String) throws -> [Int] {
            (try service(suite, name, "streams")["stopped"]?.array ?? [])
                .compactMap { $0["sequence"]?.int }
        }

        /// The position of a service in the notifier's stream.
        private func read(_ suite: RunningSuite, _ name: String) -> Int {
            let followed = try? service(suite, name, "streams")["followed"]?.array
            return followed?.first { $0["stream"] == "deliveries" }?["applied"]?.int ?? -1
        }
    }
}
