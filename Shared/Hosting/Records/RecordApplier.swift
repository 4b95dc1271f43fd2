import Bus
import Model
import Runtime
import Store
import Wire

/// Applies the records of consumed streams, and retries or dead-letters those that fail.
final class RecordApplier {
    /// The record that is being applied.
    private struct Applying {
        var stream: StreamName
        var position: Position
        /// Whether the transaction contains nothing else.
        var isAlone: Bool
        var criticality: DeadLetterPolicy.Criticality
    }

    private let context: HostContext
    private let deadLettered: Counter
    let deadLetters: DeadLetterStore
    /// Decides what happens to records that cannot be applied.
    private var policy = DeadLetterPolicy()
    /// Dead letters that emergencies depend on; they are retried forever.
    private(set) var required = RequiredRecords()
    /// Whether this turn changed the table of dead letters.
    private var isDeadLetterChanged = false
    private var applying: Applying?

    init(_ context: HostContext) {
        self.context = context
        deadLetters = DeadLetterStore(database: context.database)
        deadLettered = context.metrics.counter(
            "jaga_dead_letters_total", "Records that could not be applied and were dead-lettered.")
    }

    /// When a failed record is retried next; nil if there is none.
    var nextDue: Timestamp? { [policy.nextDue, required.nextDue].compactMap(\.self).min() }

    // MARK: Applying

    /// Applies the records that have arrived.
    func receive(limit: Int, isAlone: Bool) throws {
        applying = nil
        try context.bus.receive(limit: limit) { stream, position, record in
            try applyRecord(record, of: stream, at: position, isAlone: isAlone)
        }
    }

    /// Applies one record that failed before, if it is due.
    private func receiveSuspects() throws {
        applying = nil
        try context.bus.receive(limit: 1) { stream, position, record in
            guard policy.suspects[stream] != nil else { throw StreamPause(for: .zero) }
            try applyRecord(record, of: stream, at: position, isAlone: true)
        }
    }

    private func applyRecord(
        _ record: Record, of stream: StreamName, at position: Position, isAlone: Bool
    ) throws {
        switch policy.decide(stream, position, isAlone: isAlone, now: context.now) {
        case .apply: break
        case .wait(let duration): throw StreamPause(for: duration)
        case .deadLetter(let reason, let isRequired):
            return try deadLetter(
                record, of: stream, at: position, isRequired: isRequired, because: reason)
        case .stop(let reason):
            policy.stopped(stream)
            context.log.error(
                "a record that cannot be applied stops its stream, since nothing can do without it",
                [
                    "stream": stream, "sequence": position.sequence, "reason": reason,
                    "hint": "Start it again, or a newer version; else see 'jaga streams skip'.",
                ])
            throw StreamStop(reason: "\(position.sequence) cannot be applied: \(reason)")
        }
        let name = context.definition.name
        let event =
            try stream.isDerived && name.served.contains(stream)
            ? proposedEvent(record, of: stream, at: position) : RecordApplier.event(of: record)
        if let number = required.blocker(of: event.body.endedEmergency, in: stream) {
            return try deadLetter(
                record, of: stream, at: position, isRequired: true,
                because: "waits for \(name.rawValue):\(number), which begins its emergency")
        }
        applying = Applying(
            stream: stream, position: position, isAlone: isAlone,
            criticality: criticality(of: event, stream))
        do {
            try apply(event, of: stream, at: position)
            applying = nil
        } catch let stop as StreamStop {
            applying = nil
            throw stop
        }
    }

    /// Inputs block, because evaluators must compute with every one of them; so does a change of
    /// the directory that may revoke a right.
    private func criticality(
        of event: Event, _ stream: StreamName
    ) -> DeadLetterPolicy.Criticality {
        switch stream {
        case .input: .blocking
        case .directory:
            (context.directory?.replica).map(event.body.mayRevoke(in:)) == true
                ? .blocking : .skippable
        case .sos: .required
        case .events, .deadlines, .deliveries:
            event.body.carriesEmergency ? .required : .skippable
        case .usage: .skippable
        }
    }

    /// Applies an event to the service, and to the directory replica if it belongs to `directory`.
    func apply(_ event: Event, of stream: StreamName, at position: Position) throws {
        context.isServiceTouched = true
        context.logEvent(event, on: stream, isOwn: false)
        if stream == .directory, let directory = context.directory {
            try context.roles.watchesDirectory?.directoryWillChange(event)
            try directory.apply(event)
        }
        try context.service?.apply(event, from: stream, at: position)
    }

    /// Decodes a record.
    ///
    /// - Throws: ``StreamStop`` for a record that this version cannot decode, which stops its
    ///   stream
    static func event(of record: Record) throws -> Event {
        do {
            return try EventCodec.decode(record)
        } catch {
            throw StreamStop(reason: "\(error)")
        }
    }

    /// Decodes a record that an evaluator proposes for a stream kept here. A record that evaluators
    /// do not emit, or about a person of another partition, is dead-lettered and not appended.
    ///
    /// - Throws: ``ProposalRejected``
    private func proposedEvent(
        _ record: Record, of stream: StreamName, at position: Position
    ) throws -> Event {
        let reason: String
        do {
            let event = try EventCodec.decode(record)
            guard let objection = event.objection(to: stream) else { return event }
            reason = objection
        } catch {
            reason = "\(error)"
        }
        if try deadLetters.count < HostLimits.rejectedProposalsKept {
            try deadLetter(record, of: stream, at: position, isRequired: false, because: reason)
        }
        throw ProposalRejected(reason: reason)
    }

    // MARK: Dead letters

    /// Dead-letters a record, in the transaction that moves the cursor past it.
    private func deadLetter(
        _ record: Record, of stream: StreamName, at position: Position, isRequired: Bool,
        because reason: String
    ) throws {
        try deadLetters.insert(
            record, of: stream, at: position, isRequired: isRequired, reason: reason,
            now: context.now)
        isDeadLetterChanged = true
        deadLettered.add()
        context.log.error(
            isRequired
                ? "required record dead-lettered, will be retried" : "record dead-lettered",
            [
                "stream": stream, "sequence": position.sequence, "id": record.id.text,
                "kind": EventKind(rawValue: record.kind)?.type ?? "\(record.kind)",
                "reason": reason, "hint": "Inspect it with 'jaga streams dead-letters'.",
            ])
    }

    /// Deletes a dead letter.
    func remove(_ entry: DeadLetterStore.Entry) throws {
        try deadLetters.remove(entry.number)
        isDeadLetterChanged = true
    }

    /// Removes the dead letters of a stream that a snapshot has replaced, in the same turn.
    func removeReplaced(_ stream: StreamName) throws {
        guard try deadLetters.count > 0 else { return }
        try deadLetters.removeAll(of: stream)
        isDeadLetterChanged = true
        context.log.info("snapshot applied", ["stream": stream])
    }

    /// Skips a record at the operator's request.
    func skip(_ stream: StreamName, _ position: Position, because reason: String) {
        policy.skip(stream, position, because: reason)
        context.bus.resume(stream)
    }

    // MARK: Outcome of a turn

    /// Counts the failure of the record that was being applied when the turn failed.
    ///
    /// - Returns: whether a record caused the failure; failures of the store have another cause
    func failed(because error: any Error) -> Bool {
        guard let applying else { return false }
        self.applying = nil
        if let error = error as? StoreError, error.isStoreFailure { return false }
        policy.failed(
            applying.stream, applying.position, reason: "\(error)",
            criticality: applying.criticality, isAlone: applying.isAlone, now: context.now)
        return true
    }

    func rolledBack() {
        applying = nil
        isDeadLetterChanged = false
    }

    /// Clears suspects that were applied or dead-lettered. Called after a commit.
    func committed() {
        if isDeadLetterChanged {
            do { try loadRequired() } catch {
                context.log.error(error, ["operation": "read dead letters"])
            }
        }
        guard !policy.isEmpty else { return }
        for stream in StreamName.all {
            if let position = context.bus.position(of: stream) { policy.passed(stream, position) }
        }
    }

    /// Loads the required records, at the start and after a commit that changed them.
    func loadRequired() throws {
        isDeadLetterChanged = false
        required.set(try deadLetters.required, now: context.now)
    }

    // MARK: Retries

    /// Retries records that are due, each in a turn of its own.
    func retryDue(in turns: TurnRunner) {
        if let due = policy.nextDue, due <= context.now {
            turns.turn(requests: [], results: []) { _ in try receiveSuspects() }
            policy.suspectsRan(context.now)
        }
        retryRequired(in: turns)
    }

    private func retryRequired(in turns: TurnRunner) {
        guard let waiting = required.next(at: context.now) else { return }
        let failure = turns.attempt {
            guard let entry = try deadLetters.entry(waiting.number) else { return }
            let event = try EventCodec.decode(entry.record)
            try apply(event, of: entry.stream, at: entry.position)
            try remove(entry)
        }
        guard let failure else { return }
        if let error = failure as? StoreError, error.isStoreFailure {
            required.postpone(waiting.number, now: context.now)
            return turns.logFailure(error)
        }
        required.failed(waiting.number, reason: "\(failure)", now: context.now)
        context.log.error(
            "required record still cannot be applied",
            [
                "stream": waiting.stream, "sequence": waiting.sequence, "tries": waiting.tries + 1,
                "reason": "\(failure)",
                "hint": "Report this defect and upgrade Jaga.",
            ])
    }
}

extension StreamName {
    /// Whether evaluators propose the records of the stream.
    fileprivate var isDerived: Bool {
        if case .events = self { true } else { false }
    }
}

extension Event {
    /// Why an evaluator must not propose the event for a stream; nil if it may.
    fileprivate func objection(to stream: StreamName) -> String? {
        guard kind.row.stream == .events else {
            return "\(kind.type) is not an event of evaluators"
        }
        guard case .events(let partition) = stream, let person = body.person,
            Partition.of(person) != partition
        else { return nil }
        return "\(kind.type) is about a person of another partition"
    }
}
