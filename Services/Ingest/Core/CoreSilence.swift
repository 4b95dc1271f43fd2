import Directory
import Hashing
import Model

/// `POST /v1/people/{person}/all-right`: a person says that they are all right.
public struct AllRightRequest: Hashable, Sendable {
    public var request: UInt64
    public var principal: Principal
    public var person: PersonID
    /// The same for a request sent again.
    public var cause: ID128
    public var trace: String

    public init(
        request: UInt64, principal: Principal, person: PersonID, cause: ID128, trace: String = ""
    ) {
        self.request = request
        self.principal = principal
        self.person = person
        self.cause = cause
        self.trace = trace
    }
}

// Phones that are not heard. The evaluator decides what a silence means; what it knows of hints,
// watches and of the suite's own deafness it has from here.
extension Core {
    /// A leading device has delivered: which hint it goes by, and that it is there if nothing else
    /// says so.
    ///
    /// - Parameter brought: whether a record of `in/p` comes of what it brought.
    mutating func noteTerms(
        of delivery: Delivery, brought: Bool, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        let (person, device) = (delivery.person, delivery.device)
        let leader = directory.leadingDevice(of: person, first: intake.firstDevices[person])
        guard leader == device else { return }
        let view = policies.view(of: device, person, isEvent: isEvent(person, at: now))
        if let view, delivery.wantsPolicy {
            let current = TermsRow(
                person: person, device: device, mark: view.mark,
                maxSilenceSeconds: view.policy.maxSilenceSeconds)
            let mark = policies.confirmed(by: device)
            // OwnTracks reports nothing while it stands, but for event mode.
            let counts = delivery.ownTracks == nil || view.policy.mode == .event
            if silences.confirm(mark, current, counts: counts, into: &effects) {
                return tellTerms(of: delivery, at: now, into: &effects)
            }
        }
        guard !brought, silences.terms[person]?.device == device else { return }
        append(
            .inputContact(Contact(person: person, kind: .heard, at: now, trace: delivery.trace)),
            of: person, cause: Core.cause(of: delivery, at: now), trace: delivery.trace, at: now,
            into: &effects)
    }

    /// A phone is there although nothing of it is taken: that is no silence of its own. Whoever
    /// would miss it hears so now and then, for it may come again all the time.
    mutating func note(
        _ visit: Visit, in directory: Replica, at now: Timestamp, into effects: inout [Effect]
    ) {
        let person = visit.person
        guard intake.devices[visit.device]?.person == person else { return }
        intake.hear(visit.device, of: person, at: now, into: &effects)
        let leader = directory.leadingDevice(of: person, first: intake.firstDevices[person])
        guard leader == visit.device, silences.isToBeTold(visit, at: now) else { return }
        append(
            .inputContact(Contact(person: person, kind: .heard, at: now, trace: visit.trace)),
            of: person, cause: Hash.id(.id(visit.device), .number(now.microseconds)),
            trace: visit.trace, at: now, into: &effects)
    }

    private mutating func tellTerms(
        of delivery: Delivery, at now: Timestamp, into effects: inout [Effect]
    ) {
        let person = delivery.person
        let terms = SilenceTerms(
            person: person, device: delivery.device,
            maxSilenceSeconds: silences.terms[person]?.toldSeconds)
        append(
            .inputSilenceTerms(terms), of: person, cause: Core.cause(of: delivery, at: now),
            trace: delivery.trace, at: now, into: &effects)
        // The partition may be new.
        if silences.held != nil { tellHold(to: [Partition.of(person)], at: now, into: &effects) }
    }

    static func cause(of delivery: Delivery, at now: Timestamp) -> ID128 {
        Hash.id(
            .id(delivery.device), .number(now.microseconds),
            .number(Int64(truncatingIfNeeded: delivery.request)))
    }

    /// A watch goes on or is over.
    mutating func followWatch(
        _ watch: Watch, _ event: Event, at now: Timestamp, into effects: inout [Effect]
    ) {
        guard policies.follow(watch, into: &effects) else { return }
        append(
            .inputWatch(
                WatchSpan(
                    person: watch.person, watch: watch.id,
                    until: policies.watchEnd(of: watch.person))), of: watch.person,
            cause: event.id.raw, trace: event.trace, at: now, into: &effects)
    }

    /// Ends the watches that the timer does not know any more.
    mutating func endWatches(
        except running: Set<WatchID>, at now: Timestamp, into effects: inout [Effect]
    ) {
        for row in policies.end(except: running, into: &effects) {
            append(
                .inputWatch(WatchSpan(person: row.person, watch: row.watch, until: nil)),
                of: row.person, cause: Hash.id("watch-unknown", .id(row.watch)), trace: "",
                at: now, into: &effects)
        }
    }

    mutating func takeAllRight(
        _ request: AllRightRequest, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        let decision = directory.decide(
            request.principal, .answerAlarms, on: .person(request.person), at: now)
        if let denial = decision.denial {
            effects.append(.answer(request: request.request, .denied(denial)))
            return
        }
        append(
            .inputContact(
                Contact(person: request.person, kind: .allRight, at: now, trace: request.trace)),
            of: request.person, cause: request.cause, trace: request.trace, at: now,
            into: &effects)
        effects.append(.answer(request: request.request, .allRight(at: now)))
    }

    /// A step of a silence. Many together are a sign that it is the suite that is deaf.
    mutating func follow(
        _ news: SilenceNews, at now: Timestamp, into effects: inout [Effect]
    ) {
        silences.follow(news, into: &effects)
        weighSilences(at: now, into: &effects)
    }

    mutating func weighSilences(at now: Timestamp, into effects: inout [Effect]) {
        guard silences.weigh(at: now, into: &effects) else { return }
        tellHold(to: sequencer.begun, at: now, into: &effects)
    }

    private mutating func tellHold(
        to partitions: [Partition], at now: Timestamp, into effects: inout [Effect]
    ) {
        let hold = SilenceHold(isHeld: silences.held != nil)
        tell(.inputSilenceHold(hold), to: partitions, at: now, into: &effects)
    }

    /// Before anything else after a start: what was not heard meanwhile is nobody's silence.
    mutating func tellDeafness(at now: Timestamp, into effects: inout [Effect]) {
        guard !hasBegun else { return }
        hasBegun = true
        let from = sequencer.time
        guard !silences.terms.isEmpty, now - from > .seconds(Limits.deafSecondsMin) else { return }
        let people = Set(silences.terms.keys.map { Partition.of($0) })
        tell(
            .inputDeafness(Deafness(from: from, to: now)),
            to: sequencer.begun.filter(people.contains), at: now, into: &effects)
    }

    private mutating func tell(
        _ body: EventBody, to partitions: [Partition], at now: Timestamp,
        into effects: inout [Effect]
    ) {
        for partition in partitions {
            let id = Hash.meaning(
                kind: body.kind, person: nil, subject: .number(partition.number),
                cause: Hash.id("at", .number(now.microseconds)))
            sequencer.append(body, id: id, to: partition, at: now, into: &effects)
        }
    }

    /// Writes down now and then that this ingest receives, as long as anybody would be missed.
    mutating func noteHearing(at now: Timestamp, into effects: inout [Effect]) {
        guard !silences.terms.isEmpty, now - sequencer.time > .seconds(Limits.hearingSeconds)
        else { return }
        sequencer.pass(to: now, into: &effects)
    }

    /// Since when the suite suspects itself, because many devices fell silent; nil = it does not.
    public var silenceHeldSince: Timestamp? { silences.held }

    /// Devices that would be missed.
    public var hintedCount: Int { silences.terms.count }

    /// Those that are missed.
    public var silentCount: Int { silences.rows.count }

    /// Those that are missed, by how far it has come.
    public func silentCount(_ state: SilenceState) -> Int {
        silences.rows.values.count { $0.state == state }
    }
}
