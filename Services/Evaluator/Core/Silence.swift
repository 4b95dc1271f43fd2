import Model

/// How long a person's leading device has not been heard, and what comes of it:
/// `heard → quiet → overdue → lost`, and back by any contact.
///
/// A pure state machine. It counts only for a device that has shown that it goes by our hints.
/// Being heard moves nothing but ``heard``: what is waited for is looked at when its time has come,
/// and put off if the device was heard meanwhile.
struct Silence: Hashable, Sendable {
    enum Phase: UInt8 {
        case heard
        case quiet
        case overdue
        case lost
        /// Nothing counts until the device is heard again: the person has answered without it, or
        /// another device leads.
        case resting
    }

    /// How a device said that it reports.
    struct Terms: Hashable {
        var device: DeviceID
        var maxSilenceSeconds: Int32
    }

    /// What was decided.
    enum Step: Hashable {
        case came(SilenceState)
        /// One that had come so far.
        case ended(SilenceState, SilenceEnd)
    }

    /// Nil = silence says nothing.
    var terms: Terms?
    var phase = Phase.heard
    /// Silence counts from here: the device was heard, or the person was.
    var heard = Timestamp.zero
    /// When it is looked at next.
    var due = Timestamp.distantFuture
    /// The person's watch.
    var watch: Watch?
    /// When the clock runs out that makes an emergency of it, if one is asked for: between two
    /// records that is ``emergencyDue``.
    var clock: Timestamp?

    struct Watch: Hashable {
        var id: WatchID
        var until: Timestamp
    }

    func isWatched(at now: Timestamp) -> Bool { watch.map { now < $0.until } ?? false }

    /// As far as it has come; nil where nobody is silent.
    var state: SilenceState? {
        switch phase {
        case .quiet: .quiet
        case .overdue: .overdue
        case .lost: .lost
        case .heard, .resting: nil
        }
    }

    /// When somebody on a watch is lost unless they are heard; nil where nobody waits for that.
    var emergencyDue: Timestamp? {
        guard phase == .overdue, due < .distantFuture, isWatched(at: due) else { return nil }
        return due
    }

    // MARK: What is heard

    /// The device was heard.
    mutating func hear(at now: Timestamp) -> Step? {
        guard terms != nil else { return nil }
        heard = now
        guard phase != .heard else { return nil }
        return count(from: now, because: .heard)
    }

    /// The person says or shows that they are all right, with or without the device. Who was asked
    /// is not asked again for the same silence, unless a watch goes on.
    mutating func answer(at now: Timestamp) -> Step? {
        guard terms != nil else { return nil }
        switch phase {
        case .heard:
            heard = now
            return nil
        case .quiet: return count(from: now, because: .answered)
        case .overdue, .lost:
            if isWatched(at: now) { return count(from: now, because: .answered) }
            return rest(because: .answered)
        case .resting: return nil
        }
    }

    /// How the device reports from now on.
    ///
    /// - Parameter leads: whether it is the one that leads.
    mutating func take(_ terms: Terms?, leads: Bool, at now: Timestamp) -> Step? {
        let before = self.terms
        guard terms != nil else {
            let step = rest(because: .changed)
            (self.terms, phase, heard) = (nil, .heard, .zero)
            return step
        }
        self.terms = terms
        guard leads else { return rest(because: .changed) }
        return count(from: now, because: before?.device == terms?.device ? .heard : .changed)
    }

    /// Another device leads, or this one again.
    mutating func lead(_ leads: Bool, at now: Timestamp) -> Step? {
        guard terms != nil else { return nil }
        return leads ? count(from: now, because: .changed) : rest(because: .changed)
    }

    /// A watch began, goes on longer, or is over. Who asks to be watched over is there.
    mutating func follow(_ span: WatchSpan, leads: Bool, at now: Timestamp) -> Step? {
        guard let until = span.until else {
            if watch?.id == span.watch { watch = nil }
            return nil
        }
        let next = Watch(id: span.watch, until: until)
        guard watch != next else { return nil }
        let isLonger = watch.map { $0.id != next.id || $0.until < until } ?? true
        watch = next
        guard terms != nil, leads, isLonger, now < until else { return nil }
        return count(from: now, because: .answered)
    }

    // MARK: What time brings

    /// Its time has come.
    ///
    /// - Parameter isHeld: the suite suspects itself; nobody is taken for lost.
    mutating func look(_ rules: SilenceRules, isHeld: Bool) -> Step? {
        guard let terms else {
            due = .distantFuture
            return nil
        }
        let quiet = heard + .seconds(Int64(terms.maxSilenceSeconds))
        switch phase {
        case .heard:
            guard quiet <= due else {
                due = quiet
                return nil
            }
            phase = .quiet
            due = heard + .seconds(Int64(terms.maxSilenceSeconds) * rules.overdueFactor)
            return .came(.quiet)
        case .quiet:
            phase = .overdue
            due = isHeld ? .distantFuture : due + .seconds(rules.answerSeconds)
            return .came(.overdue)
        case .overdue:
            phase = .lost
            due = .distantFuture
            return .came(.lost)
        case .lost, .resting:
            due = .distantFuture
            return nil
        }
    }

    /// The suite begins to suspect itself, or no longer does: whoever was asked may answer anew.
    mutating func hold(_ isHeld: Bool, at now: Timestamp, _ rules: SilenceRules) {
        guard phase == .overdue else { return }
        due = isHeld ? .distantFuture : now + .seconds(rules.answerSeconds)
    }

    /// Nothing could be received: that time does not count.
    mutating func skip(_ deafness: Deafness) {
        let from = max(deafness.from, heard)
        guard terms != nil, phase != .resting, from < deafness.to else { return }
        heard = heard + (deafness.to - from)
        if due < .distantFuture { due = due + (deafness.to - from) }
    }

    /// Counts anew from now on.
    private mutating func count(from now: Timestamp, because end: SilenceEnd) -> Step? {
        guard let terms else { return nil }
        let step = state.map { Step.ended($0, end) }
        heard = now
        phase = .heard
        due = now + .seconds(Int64(terms.maxSilenceSeconds))
        return step
    }

    private mutating func rest(because end: SilenceEnd) -> Step? {
        let step = state.map { Step.ended($0, end) }
        phase = .resting
        due = .distantFuture
        return step
    }
}
