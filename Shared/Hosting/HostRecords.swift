import Bus
import Model
import Runtime
import Store
import Wire

// What the streams bring, and what becomes of a record that cannot be digested.
extension Host {
    /// A record on its way into the service.
    struct Applying {
        var stream: StreamName
        var position: Position
        /// Whether nothing else is in the transaction.
        var isAlone: Bool
        var worth: PoisonWatch.Worth
    }

    var poisonStore: PoisonStore { PoisonStore(database: database) }

    /// Applies what the streams brought.
    func receive(limit: Int, isAlone: Bool) throws {
        applying = nil
        try bus.receive(limit: limit) { stream, position, record in
            try take(record, of: stream, at: position, isAlone: isAlone)
        }
    }

    /// Applies one record of those that failed before, if its time has come.
    func receiveSuspects() throws {
        applying = nil
        try bus.receive(limit: 1) { stream, position, record in
            guard poison.suspects[stream] != nil else { throw StreamPause(for: .zero) }
            try take(record, of: stream, at: position, isAlone: true)
        }
    }

    private func take(
        _ record: Record, of stream: StreamName, at position: Position, isAlone: Bool
    ) throws {
        switch poison.decide(stream, position, isAlone: isAlone, now: now) {
        case .apply: break
        case .wait(let duration): throw StreamPause(for: duration)
        case .putAside(let reason, let isNeeded):
            return try putAside(
                record, of: stream, at: position, isNeeded: isNeeded, because: reason)
        case .stop(let reason):
            poison.stopped(stream)
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
        if let number = needed.blocker(of: event.body.endedEmergency, in: stream) {
            return try putAside(
                record, of: stream, at: position, isNeeded: true,
                because: "it ends what \(definition.name.rawValue):\(number) begins")
        }
        applying = Applying(
            stream: stream, position: position, isAlone: isAlone, worth: worth(of: event, stream))
        do {
            try apply(event, of: stream, at: position)
            applying = nil
        } catch let stop as StreamStop {
            applying = nil
            throw stop
        }
    }

    /// Evaluators must compute with every input, and whoever lost a right must not keep it.
    private func worth(of event: Event, _ stream: StreamName) -> PoisonWatch.Worth {
        switch stream {
        case .input: .indispensable
        case .directory:
            directory?.replica.mayTakeAway(event.body) == true ? .indispensable : .expendable
        case .sos: .needed
        case .events, .fired, .deliveries:
            event.body.carriesEmergency ? .needed : .expendable
        }
    }

    /// Makes a request findable by its id in the logs of all services: what people may be told of
    /// at every level, everything else at the level for that.
    ///
    /// - Parameter isOwn: told, not read
    func note(_ event: Event, on stream: StreamName, isOwn: Bool) {
        let what = isOwn ? "told" : "read"
        func fields() -> LogFields {
            [
                "stream": stream.text, "type": event.kind.type, "event": event.id,
                "trace": event.trace,
            ]
        }
        // Whoever reads a day of streams at once does not fill a log with it.
        if event.isMilestone(isOwn: isOwn), now - event.time < HostLimits.milestoneAge {
            log.info(what, fields())
        } else {
            log.debug(what, fields())
        }
    }

    /// Gives an event to the service, and to the directory if it is one of that.
    func apply(_ event: Event, of stream: StreamName, at position: Position) throws {
        isServiceTouched = true
        note(event, on: stream, isOwn: false)
        if stream == .directory, let directory {
            try service?.directoryWillChange(event)
            try directory.apply(event)
        }
        try service?.apply(event, from: stream, at: position)
    }

    /// What this program cannot read stops its stream, and nothing of it is skipped.
    static func event(of record: Record) throws -> Event {
        do {
            return try EventCodec.decode(record)
        } catch {
            throw StreamStop(reason: "\(error)")
        }
    }

    /// Reads a record that an evaluator proposes for a stream kept here. One that evaluators do not
    /// emit, or that is about somebody of another partition, is kept as a dead letter and not
    /// appended.
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
        if try poisonStore.count < HostLimits.rejectedProposalsKept {
            try putAside(record, of: stream, at: position, isNeeded: false, because: reason)
        }
        throw ProposalRejected(reason: reason)
    }

    /// Keeps a record beside, in the transaction that moves the cursor past it.
    private func putAside(
        _ record: Record, of stream: StreamName, at position: Position, isNeeded: Bool,
        because reason: String
    ) throws {
        try poisonStore.put(
            record, of: stream, at: position, isNeeded: isNeeded, reason: reason, now: now)
        isPoisonChanged = true
        putAside.add()
        log.error(
            isNeeded
                ? "a record that is needed is put aside, and tried again and again"
                : "a record is put aside",
            [
                "stream": stream, "sequence": position.sequence, "id": record.id.text,
                "kind": EventKind(rawValue: record.kind)?.type ?? "\(record.kind)",
                "reason": reason, "hint": "Look at it with 'jaga streams poison'.",
            ])
    }

    /// Notes the record because of which a turn is taken back.
    ///
    /// - Returns: whether it is one; a fault of the store is no record's
    func blameRecord(for error: any Error) -> Bool {
        guard let applying else { return false }
        self.applying = nil
        if let error = error as? StoreError, error.isOfTheStore { return false }
        poison.failed(
            applying.stream, applying.position, reason: "\(error)", worth: applying.worth,
            isAlone: applying.isAlone, now: now)
        return true
    }

    /// What was put aside of a stream is in the snapshot that took its place: in the same turn it
    /// is put aside no longer.
    func forgetReplaced(_ stream: StreamName) throws {
        guard try poisonStore.count > 0 else { return }
        try poisonStore.removeAll(of: stream)
        isPoisonChanged = true
        log.info("read anew", ["stream": stream])
    }

    // MARK: What is needed

    /// Gives the service a needed record again whose time has come, in a turn of its own.
    func retryNeeded() {
        guard let waiting = needed.next(at: now) else { return }
        let failure = attempt {
            guard let entry = try poisonStore.entry(waiting.number) else { return }
            let event = try EventCodec.decode(entry.record)
            try apply(event, of: entry.stream, at: entry.position)
            try poisonStore.remove(entry.number)
            isPoisonChanged = true
        }
        guard let failure else { return }
        if let error = failure as? StoreError, error.isOfTheStore {
            needed.put(off: waiting.number, now: now)
            return logFailure(error)
        }
        needed.failed(waiting.number, reason: "\(failure)", now: now)
        log.error(
            "a record that is needed still cannot be applied",
            [
                "stream": waiting.stream, "sequence": waiting.sequence, "tries": waiting.tries + 1,
                "reason": "\(failure)",
                "hint": "It is tried again. Tell the makers of Jaga; upgrade.",
            ])
    }

    /// Reads again which needed records wait, after a commit or at the start.
    func readNeeded() throws {
        isPoisonChanged = false
        needed.set(try poisonStore.needed, now: now)
    }

    /// After a commit: a record that was applied, or put aside, is none to care for.
    func forgetPassedSuspects() {
        if isPoisonChanged {
            do { try readNeeded() } catch { log.error(error, ["reading": "poison"]) }
        }
        guard !poison.isEmpty else { return }
        for stream in StreamName.all {
            if let position = bus.position(of: stream) { poison.passed(stream, position) }
        }
    }
}

extension StreamName {
    /// Whether evaluators compute the stream.
    fileprivate var isDerived: Bool {
        if case .events = self { true } else { false }
    }
}

extension Event {
    /// Why an evaluator must not propose the event for a stream; nil where it may.
    fileprivate func objection(to stream: StreamName) -> String? {
        guard kind.isOfEvaluators else { return "\(kind.type) is not an event of evaluators" }
        guard case .events(let partition) = stream, let person = body.person,
            Partition.of(person) != partition
        else { return nil }
        return "\(kind.type) is about a person of another partition"
    }
}
