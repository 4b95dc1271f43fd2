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
        /// Never given up, whatever it does.
        var isNeeded: Bool
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
        case .putAside(let reason):
            return try putAside(record, of: stream, at: position, because: reason)
        }
        let event = try Host.event(of: record)
        var isInput = false
        if case .input = stream { isInput = true }
        applying = Applying(
            stream: stream, position: position, isAlone: isAlone,
            isNeeded: isInput || stream == .sos || event.body.carriesEmergency)
        do {
            try apply(event, of: stream, at: position)
            applying = nil
        } catch let stop as StreamStop {
            applying = nil
            throw stop
        }
    }

    /// Gives an event to the service, and to the directory if it is one of that.
    func apply(_ event: Event, of stream: StreamName, at position: Position) throws {
        isServiceTouched = true
        if stream == .directory, let directory {
            try service?.directoryWillChange(event)
            try directory.apply(event)
        }
        try service?.apply(event, from: stream, at: position)
    }

    /// What this program cannot read stops its stream, and nothing of it is skipped.
    private static func event(of record: Record) throws -> Event {
        do {
            return try EventCodec.decode(record)
        } catch {
            throw StreamStop(reason: "\(error)")
        }
    }

    /// Keeps a record beside, in the transaction that moves the cursor past it.
    private func putAside(
        _ record: Record, of stream: StreamName, at position: Position, because reason: String
    ) throws {
        try poisonStore.put(record, of: stream, at: position, reason: reason, now: now)
        putAside.add()
        log.error(
            "a record is put aside",
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
        let isNews = poison.failed(
            applying.stream, applying.position, reason: "\(error)", isNeeded: applying.isNeeded,
            isAlone: applying.isAlone, now: now)
        if isNews {
            log.error(
                "a record that is needed cannot be applied; it is tried again and again",
                [
                    "stream": applying.stream, "sequence": applying.position.sequence,
                    "reason": "\(error)",
                    "hint": "Its stream waits for it. Tell the makers of Jaga; upgrade.",
                ])
        }
        return true
    }

    /// After a commit: a record that was applied, or put aside, is none to care for.
    func forgetPassedSuspects() {
        guard !poison.isEmpty else { return }
        for stream in StreamName.all {
            if let position = bus.position(of: stream) { poison.passed(stream, position) }
        }
    }
}
