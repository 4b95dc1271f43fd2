import Directory
import Hosting
import IngestCore
import JourneysCore
import JourneysDaemon
import Model
import Runtime
import Store
import Web
import Wire

/// Passes inputs to ``Core`` and performs its effects.
final class CoreRunner {
    let host: any IngestHost
    let database: Database
    let writer: Writer
    let ownership: Ownership
    let replies: Replies
    let keys: DeviceKeys
    let topics: TopicTable
    let brokerSecrets: BrokerSecrets
    let journeys: JourneyService
    let deferredCalls: DeferredCalls
    private(set) var core = Core(Core.Stored(), in: Replica())
    /// People who are being erased.
    var erasures: Erasures
    /// Calls for help and cancellations of this turn, logged after COMMIT.
    private var raised: [Event] = []
    /// Reused for every input.
    private var effects: [Effect] = []

    init(
        host: any IngestHost, database: Database, ownership: Ownership, replies: Replies,
        keys: DeviceKeys, topics: TopicTable, brokerSecrets: BrokerSecrets
    ) {
        self.host = host
        self.database = database
        self.ownership = ownership
        self.replies = replies
        self.keys = keys
        self.topics = topics
        self.brokerSecrets = brokerSecrets
        journeys = JourneyService(host: host, database: database)
        deferredCalls = DeferredCalls(database: database)
        writer = Writer(database: database)
        erasures = Erasures(database: database)
    }

    var counts: Counts { replies.counts }

    /// Rebuilds the core from the store, at start and after a rollback.
    func load() throws {
        raised.removeAll()
        replies.pending.removeAll()
        try topics.load()
        try brokerSecrets.load()
        try deferredCalls.load()
        journeys.reload()
        try erasures.load()
        core = Core(try writer.load(), in: host.replica)
        let closed = try keys.load()
        if closed > 0 { host.log.warning("device keys cannot be opened", ["keys": closed]) }
    }

    /// Passes one input to the core and performs its effects.
    func handle(_ input: Input) throws {
        // The storage is taken out and put back, so that it has one owner and is not copied.
        var storage: [Effect] = []
        swap(&storage, &effects)
        var turn = Turn<Effect>(now: host.now, directory: host.replica, effects: consume storage)
        core.handle(input, &turn)
        for effect in turn.effects { try perform(effect) }
        turn.effects.removeAll(keepingCapacity: true)
        swap(&turn.effects, &effects)
    }

    /// Continues with a newer version of the logic; nil = the version stays.
    func raiseLogic(to version: UInt16?) throws {
        guard let version else { return }
        host.log.info("logic version changed", ["logic": version])
        try handle(.logic(version))
        try ownership.logicIs(core.sequencer.logic)
    }

    private func perform(_ effect: Effect) throws {
        switch effect {
        case .append(let event, let partition): try append(event, to: partition)
        case .raise(let event):
            try host.append(try EventCodec.encode(event), to: .sos)
            raised.append(event)
        case .answer(let request, let answer): try replies.reply(to: request, answer)
        case .journeys(let effect): try journeys.perform(effect, for: self)
        case .erase(let person): try erasures.begin(person, at: host.now)
        case .emergency(.save(let row)) where erasures.isGone(row.person): break
        case .device(let effect):
            if case .forgetDevice(let device) = effect {
                keys.forget(device)
                topics.forget(device)
                try brokerSecrets.forget(device)
            }
            try writer.deviceStatus.write(effect)
        case .contact(let effect):
            try writer.contactStates.write(effect)
            if case .saveHold(let since) = effect { logHold(since: since) }
        case .removeApplied(let time):
            try writer.removeApplied(before: time)
            try replies.stored.prune(at: host.now, limit: .max)
            try deferredCalls.forget(raisedBefore: host.now - .seconds(Limits.deferredCallSeconds))
        case .intake(let effect): try writer.intake.write(effect)
        case .quarantine(let effect): try writer.quarantine.write(effect)
        case .deviceLog(let row): try writer.deviceLog.save(row)
        case .access(let row): try writer.access.save(row)
        case .emergency(let effect): try writer.emergencies.write(effect)
        case .followedPosition(.open(let opening)):
            let trail = try writer.followedPositions.trail(of: opening, from: writer.intake.reports)
            try host.append(try EventCodec.encode(opening.event(trail: trail)), to: .sos)
        case .followedPosition(let effect): try writer.followedPositions.write(effect)
        case .alarm(let effect): try writer.alarms.write(effect)
        case .policy(let effect): try writer.policies.write(effect)
        case .decision(let effect): try writer.decisions.write(effect)
        case .sequencing(let effect): try writer.sequencing.write(effect)
        case .configuration(let effect): try writer.sequencing.write(effect)
        }
    }

    private func append(_ event: Event, to partition: Partition) throws {
        let record = try EventCodec.encode(event)
        let position = try host.append(record, to: .input(partition))
        ownership.progress.append(event.body, to: partition, at: host.now)
        host.log.debug(
            "record appended",
            [
                "stream": StreamName.input(partition).text, "event": event.id,
                "trace": event.trace,
            ])
        try ownership.checkpoints.configuration.record(
            event.body, record, at: position.sequence, in: partition)
    }

    /// Reports the start and end of a contact-loss hold to the operator.
    private func logHold(since: Timestamp?) {
        guard let since else {
            return host.log.info("contact-loss hold ended")
        }
        let states = core.contactStates
        host.log.error(
            "intake outage suspected",
            ["since": since, "silent": states.outOfContactCount, "devices": states.expectedCount])
    }

    /// Logs the emergencies of the committed turn, one line each, without names or positions.
    func committed() {
        // Not earlier: a request that is answered 503 raised nothing.
        for event in raised { log(event) }
        raised.removeAll(keepingCapacity: true)
    }

    private func log(_ event: Event) {
        switch event.body {
        case .sosRaised(let signal):
            counts.emergencies += 1
            host.log.info(
                "emergency raised",
                [
                    "emergency": signal.id, "trigger": signal.trigger.rawValue,
                    "trace": signal.trace,
                ])
        case .sosCancelled(let cancel):
            host.log.info(
                "emergency cancelled", ["emergency": cancel.emergency, "trace": cancel.trace])
        default: break
        }
    }
}

extension CoreRunner: JourneysOwner {
    func handleJourneys(_ input: Journeys.Input) throws { try handle(.journeys(input)) }

    func isRepeated(_ request: Request, by principal: Principal) throws -> Bool {
        try replies.isRepeated(request, by: principal, status: 200)
    }

    func respond(to request: UInt64, _ response: Response) throws {
        try replies.reply(to: request, response)
    }

    func recordAccess(
        by principal: Principal, to person: PersonID, as kind: AccessKind, reason: String?
    ) throws {
        let isHidden = core.emergencies.signals.hidesLook(
            at: person, by: principal.person, as: kind, in: host.replica, at: host.now)
        if isHidden { return }
        try writer.access.record(person, by: principal, as: kind, reason: reason, at: host.now)
    }
}
