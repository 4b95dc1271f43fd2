import Bus
import Model
import Runtime
import Store
import Wire

// Records of consumed streams: applied, retried, or dead-lettered.
extension Host {
    /// The record that is being applied.
    struct Applying {
        var stream: StreamName
        var position: Position
        /// Whether the transaction contains nothing else.
        var isAlone: Bool
        var criticality: DeadLetterPolicy.Criticality
    }

    var deadLetterStore: DeadLetterStore { DeadLetterStore(database: database) }

    /// Applies the records that have arrived.
    func receive(limit: Int, isAlone: Bool) throws {
        applying = nil
        try bus.receive(limit: limit) { stream, position, record in
            try applyRecord(record, of: stream, at: position, isAlone: isAlone)
        }
    }

    /// Applies one record that failed before, if it is due.
    func receiveSuspects() throws {
        applying = nil
        try bus.receive(limit: 1) { stream, position, record in
            guard deadLetterPolicy.suspects[stream] != nil else { throw StreamPause(for: .zero) }
            try applyRecord(record, of: stream, at: position, isAlone: true)
        }
    }

    private func applyRecord(
        _ record: Record, of stream: StreamName, at position: Position, isAlone: Bool
    ) throws {
        switch deadLetterPolicy.decide(stream, position, isAlone: isAlone, now: now) {
        case .apply: break
        case .wait(let duration): throw StreamPause(for: duration)
        case .deadLetter(let reason, let isRequired):
            return try deadLetter(
                record, of: stream, at: position, isRequired: isRequired, because: reason)
        case .stop(let reason):
            deadLetterPolicy.stopped(stream)
            log.error(
                "a record that cannot be applied stops its stream, since nothing can do without it",
                [
                    "stream": stream, "sequence": position.sequence, "reason": reason,
                    "hint": "Start it again, or a newer version; else see 'jaga streams skip'.",
                ])
            throw StreamStop(reason: "\(position.sequence) cannot be applied: \(reason)")
        }
        let event =
            try stream.isDerived && definition.name.served.contains(stream)
            ? proposedEvent(record, of: stream, at: position) : Host.event(of: record)
        if let number = requiredRecords.blocker(of: event.body.endedEmergency, in: stream) {
            return try deadLetter(
                record, of: stream, at: position, isRequired: true,
                because:
                    "waits for \(definition.name.rawValue):\(number), which begins its emergency")
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
            directory?.replica.mayRevoke(event.body) == true ? .blocking : .skippable
        case .sos: .required
        case .events, .deadlines, .deliveries:
            event.body.carriesEmergency ? .required : .skippable
        }
    }

    /// Logs an event with the trace of its request, so that a request can be followed through all
    /// services: milestones at level info, everything else at debug.
    ///
    /// - Parameter isOwn: whether this service published the event, rather than read it
    func logEvent(_ event: Event, on stream: StreamName, isOwn: Bool) {
        let message = isOwn ? "published" : "read"
        func fields() -> LogFields {
            [
                "stream": stream.text, "type": event.kind.type, "event": event.id,
                "trace": event.trace,
            ]
        }
        // A service that catches up on old records must not flood its log.
        if event.isMilestone(isOwn: isOwn), now - event.time < HostLimits.milestoneAge {
            log.info(message, fields())
        } else {
            log.debug(message, fields())
        }
    }

    /// Applies an event to the service, and to the directory replica if it belongs to `directory`.
    func apply(_ event: Event, of stream: StreamName, at position: Position) throws {
        isServiceTouched = true
        logEvent(event, on: stream, isOwn: false)
        if stream == .directory, let directory {
            try service?.directoryWillChange(event)
            try directory.apply(event)
        }
        try service?.apply(event, from: stream, at: position)
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
        if try deadLetterStore.count < HostLimits.rejectedProposalsKept {
            try deadLetter(record, of: stream, at: position, isRequired: false, because: reason)
        }
        throw ProposalRejected(reason: reason)
    }

    /// Dead-letters a record, in the transaction that moves the cursor past it.
    private func deadLetter(
        _ record: Record, of stream: StreamName, at position: Position, isRequired: Bool,
        because reason: String
    ) throws {
        try deadLetterStore.insert(
            record, of: stream, at: position, isRequired: isRequired, reason: reason, now: now)
        isDeadLetterChanged = true
        deadLettered.add()
        log.error(
            isRequired
                ? "required record dead-lettered, will be retried" : "record dead-lettered",
            [
                "stream": stream, "sequence": position.sequence, "id": record.id.text,
                "kind": EventKind(rawValue: record.kind)?.type ?? "\(record.kind)",
                "reason": reason, "hint": "Inspect it with 'jaga streams dead-letters'.",
            ])
    }

    /// Counts the failure of the record that was being applied when the turn failed.
    ///
    /// - Returns: whether a record caused the failure; failures of the store have another cause
    func recordFailedRecord(for error: any Error) -> Bool {
        guard let applying else { return false }
        self.applying = nil
        if let error = error as? StoreError, error.isStoreFailure { return false }
        deadLetterPolicy.failed(
            applying.stream, applying.position, reason: "\(error)",
            criticality: applying.criticality,
            isAlone: applying.isAlone, now: now)
        return true
    }

    /// Removes the dead letters of a stream that a snapshot has replaced, in the same turn.
    func removeReplacedDeadLetters(_ stream: StreamName) throws {
        guard try deadLetterStore.count > 0 else { return }
        try deadLetterStore.removeAll(of: stream)
        isDeadLetterChanged = true
        log.info("snapshot applied", ["stream": stream])
    }

    // MARK: Required records

    /// Retries a required record that is due, in a turn of its own.
    func retryRequired() {
        guard let waiting = requiredRecords.next(at: now) else { return }
        let failure = attempt {
            guard let entry = try deadLetterStore.entry(waiting.number) else { return }
            let event = try EventCodec.decode(entry.record)
            try apply(event, of: entry.stream, at: entry.position)
            try deadLetterStore.remove(entry.number)
            isDeadLetterChanged = true
        }
        guard let failure else { return }
        if let error = failure as? StoreError, error.isStoreFailure {
            requiredRecords.postpone(waiting.number, now: now)
            return logFailure(error)
        }
        requiredRecords.failed(waiting.number, reason: "\(failure)", now: now)
        log.error(
            "required record still cannot be applied",
            [
                "stream": waiting.stream, "sequence": waiting.sequence, "tries": waiting.tries + 1,
                "reason": "\(failure)",
                "hint": "Report this defect and upgrade Jaga.",
            ])
    }

    /// Loads the required records, at the start and after a commit that changed them.
    func loadRequired() throws {
        isDeadLetterChanged = false
        requiredRecords.set(try deadLetterStore.required, now: now)
    }

    /// Clears suspects that were applied or dead-lettered. Called after a commit.
    func clearPassedSuspects() {
        if isDeadLetterChanged {
            do { try loadRequired() } catch { log.error(error, ["operation": "read dead letters"]) }
        }
        guard !deadLetterPolicy.isEmpty else { return }
        for stream in StreamName.all {
            if let position = bus.position(of: stream) { deadLetterPolicy.passed(stream, position) }
        }
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
        guard kind.isOfEvaluators else { return "\(kind.type) is not an event of evaluators" }
        guard case .events(let partition) = stream, let person = body.person,
            Partition.of(person) != partition
        else { return nil }
        return "\(kind.type) is about a person of another partition"
    }
}
