import Dialects
import Directory
import Hosting
import IngestCore
import Model
import Parsing
import Runtime
import Store
import Web
import Wire

/// The thin layer around ``Core``: requests and records become inputs, effects become rows, records
/// and answers.
final class IngestService: Service {
    let outside: any Surroundings
    let database: Database
    let writer: Writer
    let firstAnswers: FirstAnswers
    let sosWord: String
    var core = Core(Core.Stored(), in: Replica())
    var counts = Counts()
    /// Requests whose answer has a form or is kept: taken when the core answers.
    var pending: [UInt64: Pending] = [:]
    /// Used again for every input.
    private var effects: [Effect] = []

    /// How a request is to be answered.
    struct Pending {
        var isOwnTracks = false
        /// Status of success.
        var status = 200
        /// Where the answer is kept for a repeated request.
        var key: ID128?
        /// Fields of the request that were of no use.
        var ignored: [String] = []
    }

    init(outside: any Surroundings, database: Database, sosWord: String) {
        self.outside = outside
        self.database = database
        self.sosWord = sosWord
        writer = Writer(database: database)
        firstAnswers = FirstAnswers(database: database)
    }

    // MARK: Service

    func start() throws { try reload() }

    func reload() throws {
        pending.removeAll()
        core = Core(try StoredState(database: database).load(), in: outside.replica)
    }

    func directoryWillChange(_ event: Event) throws {
        try take(.directoryChanging(event.body))
    }

    func apply(_ event: Event, from stream: StreamName, at position: Position) throws {
        switch stream {
        case .events: try take(.computed(event))
        case .fired, .deliveries: try applyOnce(event, from: stream)
        case .directory, .input, .sos: break
        }
    }

    func replace(_ stream: StreamName, with events: [Event]) throws {
        guard stream == .fired || stream == .deliveries else { return }
        for event in events { try applyOnce(event, from: stream) }
    }

    /// Only what leads to a record of `in/p` has to be remembered; the rest may be heard twice.
    private func applyOnce(_ event: Event, from stream: StreamName) throws {
        switch event.kind {
        case .clockFired, .watchExpired, .acknowledgementGiven, .resolutionGiven, .ladderAdopted:
            guard try writer.isFirst(event.id, at: outside.now) else { return }
        case .notificationChanged: break
        default: return
        }
        try take(stream == .fired ? .fired(event) : .delivered(event))
    }

    func tick() throws { try take(.turnEnd) }

    var nextDeadline: Timestamp? { core.hasWork ? outside.now : nil }

    var troubles: [String] {
        core.waitingCount >= Limits.waitingReports
            ? ["the backlog is full: old reports are refused until it shrinks"] : []
    }

    var statusDetails: JSON {
        [
            "devices": .integer(Int64(core.deviceCount)),
            "waiting": .integer(Int64(core.waitingCount)),
            "activeEmergencies": .integer(Int64(core.activeEmergencyCount)),
        ]
    }

    func writeMetrics(_ metrics: Metrics) { counts.write(to: metrics, core: core) }

    // MARK: Inputs and effects

    /// Gives the core one input and does what it says.
    func take(_ input: Input) throws {
        effects.removeAll(keepingCapacity: true)
        core.handle(input, in: outside.replica, at: outside.now, into: &effects)
        for effect in effects { try perform(effect) }
    }

    private func perform(_ effect: Effect) throws {
        switch effect {
        case .append(let event, let partition):
            try outside.publish(event, on: .input(partition))
        case .raise(let event):
            try outside.publish(event, on: .sos)
            tell(event)
        case .answer(let request, let answer): try reply(to: request, answer)
        case .forgetApplied:
            try writer.write(effect)
            try firstAnswers.forget(at: outside.now)
        default: try writer.write(effect)
        }
    }

    /// Emergencies are rare and matter: one line each, by id alone.
    private func tell(_ event: Event) {
        switch event.body {
        case .sosRaised(let signal):
            counts.emergencies += 1
            outside.log.info(
                "emergency raised",
                [
                    "emergency": signal.id, "trigger": signal.trigger.rawValue,
                    "trace": signal.trace,
                ])
        case .sosCancelled(let cancel):
            outside.log.info(
                "emergency taken back", ["emergency": cancel.emergency, "trace": cancel.trace])
        default: break
        }
    }

    private func reply(to request: UInt64, _ answer: Answer) throws {
        let form = pending.removeValue(forKey: request) ?? Pending()
        counts.count(answer)
        if form.isOwnTracks { return outside.answer(request, Answers.ownTracks(answer)) }
        let response = Answers.response(to: answer, status: form.status, ignored: form.ignored)
        if let key = form.key { try firstAnswers.keep(response, to: key, at: outside.now) }
        outside.answer(request, response)
    }
}
