import Model
import Testing
import Wire

@testable import Bus

@Suite struct `The table of rights` {
    /// Each stream once, by the service that keeps it.
    private static let kept: [(keeper: BusRole, streams: [StreamName])] = [
        (.ingest, [.input(5), .events(5), .sos]), (.membership, [.directory]),
        (.timer, [.fired]), (.notifier, [.deliveries]),
    ]

    /// Who reads what, as the design of the bus has it.
    private static let readers: [StreamName: Set<BusRole>] = [
        .input(5): [.evaluator, .operator], .events(5): [.notifier, .timer, .operator],
        .sos: [.notifier, .timer, .operator], .fired: [.ingest, .notifier, .operator],
        .directory: [.ingest, .notifier, .timer, .operator],
        .deliveries: [.ingest, .timer, .operator],
    ]

    private static func objection(_ question: Control, _ role: BusRole) -> String? {
        BusRights.objection(to: question, by: role)
    }

    @Test(arguments: BusRole.allCases)
    func `lets a role ask for what it reads and for nothing else`(role: BusRole) throws {
        for (stream, readers) in `The table of rights`.readers {
            let entry = Control.Entry(stream, .unknown)
            let other = Control.Entry(.input(6), .unknown)
            let name = role == .operator ? "archive" : role.rawValue
            let questions: [Control] = [
                .hello(consumer: name, entries: [entry]),
                .replay(consumer: name, from: entry, bytesMax: 1),
                .acknowledge(consumer: name, entries: [entry]),
                .snapshotWanted(consumer: name, stream: stream, snapshot: .zero, first: 0),
            ]
            for question in questions {
                let objection = BusRights.objection(to: question, by: role)
                #expect((objection == nil) == readers.contains(role), "\(question)")
            }
            let both = Control.hello(consumer: name, entries: [entry, other])
            let mayBoth = readers.contains(role) && [.evaluator, .operator].contains(role)
            #expect((BusRights.objection(to: both, by: role) == nil) == mayBoth)
        }
        #expect(BusRights.objection(to: .headsWanted, by: role) == nil)
    }

    @Test func `lets evaluators alone own partitions and offer outputs`() {
        let member = ID128(high: 1, low: 1)
        let questions: [Control] = [
            .join(member: member, logic: 1...1), .leave(member: member),
            .renew(member: member, logic: 1...1, holdings: []),
        ]
        for question in questions {
            let owners = BusRole.allCases.filter {
                BusRights.objection(to: question, by: $0) == nil
            }
            #expect(owners == [.evaluator])
        }
        #expect(BusRights.computers(of: [.events(1), .events(2)]) == [.evaluator])
        #expect(BusRights.computers(of: [.events(1), .sos]).isEmpty)
        #expect(BusRights.computers(of: []).isEmpty)
    }

    @Test func `lets nobody acknowledge in another role's name`() {
        func objection(_ name: String, _ role: BusRole) -> String? {
            let entries = [Control.Entry(.sos, .unknown)]
            return BusRights.objection(
                to: .acknowledge(consumer: name, entries: entries), by: role)
        }
        #expect(objection("notifier", .notifier) == nil)
        #expect(objection("notifier-2", .notifier) == nil)
        #expect(objection("archive", .operator) == nil)
        #expect(objection("notifier", .timer) == "acknowledge in the name of notifier")
        #expect(objection("notifier-2", .operator) == "acknowledge in the name of notifier")
        #expect(objection("timer", .operator) == "acknowledge in the name of timer")
    }

    @Test func `lets nobody set another role's acknowledgement back by a greeting`() {
        func objection(_ name: String, _ role: BusRole) -> String? {
            let entries = [Control.Entry(.sos, .unknown)]
            return BusRights.objection(to: .hello(consumer: name, entries: entries), by: role)
        }
        #expect(objection("notifier", .notifier) == nil)
        #expect(objection("tail-0a1b2c3d", .operator) == nil)
        #expect(objection("notifier", .timer) == "greet in the name of notifier")
        #expect(objection("timer", .operator) == "greet in the name of timer")
    }

    @Test func `opens each PUB to readers of all that it publishes`() {
        for (_, streams) in `The table of rights`.kept {
            for stream in streams {
                #expect(
                    BusRights.readers(of: [stream]) == `The table of rights`.readers[stream],
                    "\(stream)")
            }
        }
        // What stands on one PUB of ingest has the same readers: it needs no more than two.
        #expect(BusRights.readers(of: [.events(5), .sos]) == BusRights.readers(of: [.sos]))
        #expect(BusRights.readers(of: [.events(5), .input(5)]) == [.operator])
        #expect(BusRights.readers(of: []).isEmpty)
    }

    @Test func `opens each ROUTER to who has something to ask there`() {
        let askers = Dictionary(
            uniqueKeysWithValues: `The table of rights`.kept.map {
                ($0.keeper, BusRights.askers(about: $0.streams))
            })
        #expect(
            askers == [
                .ingest: [.evaluator, .timer, .notifier, .operator],
                .membership: [.ingest, .timer, .notifier, .operator],
                .timer: [.ingest, .notifier, .operator],
                .notifier: [.ingest, .timer, .operator],
            ])
    }
}
