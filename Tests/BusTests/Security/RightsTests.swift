import Model
import Testing
import Wire

@testable import Bus

@Suite struct `The table of rights` {
    /// Each stream once, by the service that publishes it.
    private static let served: [(publisher: BusRole, streams: [StreamName])] = [
        (.ingest, [.input(5), .events(5), .sos, .usage]), (.membership, [.directory]),
        (.timer, [.deadlines]), (.notifier, [.deliveries]),
    ]

    /// Readers of each stream, by the design of the bus.
    private static let readers: [StreamName: Set<BusRole>] = [
        .input(5): [.evaluator, .operator], .events(5): [.notifier, .timer, .operator],
        .sos: [.notifier, .timer, .operator],
        .deadlines: [.ingest, .membership, .notifier, .operator],
        .directory: [.ingest, .notifier, .timer, .operator],
        .deliveries: [.ingest, .membership, .timer, .operator], .usage: [.membership, .operator],
    ]

    private static func objection(_ request: Control, _ role: BusRole) -> String? {
        BusRights.objection(to: request, by: role)
    }

    @Test(arguments: BusRole.allCases)
    func `lets a role request what it reads and nothing else`(role: BusRole) throws {
        for (stream, readers) in `The table of rights`.readers {
            let entry = Control.Entry(stream, .unknown)
            let other = Control.Entry(.input(6), .unknown)
            let name = role == .operator ? "archive" : role.rawValue
            let requests: [Control] = [
                .hello(consumer: name, entries: [entry]),
                .replay(consumer: name, from: entry, bytesMax: 1),
                .acknowledge(consumer: name, entries: [entry]),
                .snapshotRequest(consumer: name, stream: stream, snapshot: .zero, first: 0),
            ]
            for request in requests {
                let objection = BusRights.objection(to: request, by: role)
                #expect((objection == nil) == readers.contains(role), "\(request)")
            }
            let both = Control.hello(consumer: name, entries: [entry, other])
            let mayBoth = readers.contains(role) && [.evaluator, .operator].contains(role)
            #expect((BusRights.objection(to: both, by: role) == nil) == mayBoth)
        }
        #expect(BusRights.objection(to: .headsRequest, by: role) == nil)
    }

    @Test func `lets only evaluators lease partitions and propose records`() {
        let member = ID128(high: 1, low: 1)
        let requests: [Control] = [
            .join(member: member, logic: 1...1), .leave(member: member),
            .renew(member: member, logic: 1...1, leases: []),
        ]
        for request in requests {
            let owners = BusRole.allCases.filter {
                BusRights.objection(to: request, by: $0) == nil
            }
            #expect(owners == [.evaluator])
        }
        #expect(BusRights.producers(of: [.events(1), .events(2)]) == [.evaluator])
        #expect(BusRights.producers(of: [.events(1), .sos]).isEmpty)
        #expect(BusRights.producers(of: []).isEmpty)
    }

    @Test func `lets no role acknowledge as another role`() {
        func objection(_ name: String, _ role: BusRole) -> String? {
            let entries = [Control.Entry(.sos, .unknown)]
            return BusRights.objection(
                to: .acknowledge(consumer: name, entries: entries), by: role)
        }
        #expect(objection("notifier", .notifier) == nil)
        #expect(objection("notifier-2", .notifier) == nil)
        #expect(objection("archive", .operator) == nil)
        #expect(objection("notifier", .timer) == "acknowledge as notifier")
        #expect(objection("notifier-2", .operator) == "acknowledge as notifier")
        #expect(objection("timer", .operator) == "acknowledge as timer")
    }

    @Test func `lets no role lower another role's acknowledgement by a hello`() {
        func objection(_ name: String, _ role: BusRole) -> String? {
            let entries = [Control.Entry(.sos, .unknown)]
            return BusRights.objection(to: .hello(consumer: name, entries: entries), by: role)
        }
        #expect(objection("notifier", .notifier) == nil)
        #expect(objection("tail-0a1b2c3d", .operator) == nil)
        #expect(objection("notifier", .timer) == "say hello as notifier")
        #expect(objection("timer", .operator) == "say hello as timer")
    }

    @Test func `opens each PUB to readers of all its streams`() {
        for (_, streams) in `The table of rights`.served {
            for stream in streams {
                #expect(
                    BusRights.readers(of: [stream]) == `The table of rights`.readers[stream],
                    "\(stream)")
            }
        }
        // Streams on one PUB of ingest have the same readers: two sockets are enough.
        #expect(BusRights.readers(of: [.events(5), .sos]) == BusRights.readers(of: [.sos]))
        #expect(BusRights.readers(of: [.events(5), .input(5)]) == [.operator])
        #expect(BusRights.readers(of: []).isEmpty)
    }

    @Test func `opens each ROUTER to roles with valid requests`() {
        let requesters = Dictionary(
            uniqueKeysWithValues: `The table of rights`.served.map {
                ($0.publisher, BusRights.requesters(about: $0.streams))
            })
        #expect(
            requesters == [
                .ingest: [.evaluator, .membership, .timer, .notifier, .operator],
                .membership: [.ingest, .timer, .notifier, .operator],
                .timer: [.ingest, .membership, .notifier, .operator],
                .notifier: [.ingest, .membership, .timer, .operator],
            ])
    }
}
