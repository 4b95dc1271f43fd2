import Dialects
import Directory
import Hashing
import JourneysCore
import Model

/// The reporting policy of a device, and the one that it confirmed.
public struct PolicyRow: Hashable, Sendable, Codable {
    public var policy: ReportingPolicy
    public var since: Timestamp
    /// Mark of the policy that the device follows; nil = unknown.
    public var confirmed: String?

    public init(policy: ReportingPolicy, since: Timestamp, confirmed: String? = nil) {
        self.policy = policy
        self.since = since
        self.confirmed = confirmed
    }
}

/// A running watch: its person reports in event mode.
public struct WatchRow: Hashable, Sendable {
    public var person: PersonID
    public var watch: WatchID
    /// End of the deadline and its grace.
    public var until: Timestamp

    public init(person: PersonID, watch: WatchID, until: Timestamp) {
        self.person = person
        self.watch = watch
        self.until = until
    }
}

/// The reporting policy in force for a person's primary device.
public struct PolicyView: Hashable, Sendable {
    public var policy: ReportingPolicy
    /// Names this policy: a phone that returns it follows the policy.
    public var mark: String
    /// When evaluators decided it; nil = not by them, or overridden by event mode.
    public var since: Timestamp?
    public var isConfirmed: Bool
}

/// A change of the stored policies and watches.
public enum PolicyEffect: Hashable, Sendable {
    case save(PolicyRow)
    case remove(DeviceID)
    case saveWatch(WatchRow)
    case removeWatch(PersonID)
}

/// Reporting policies of devices: the evaluators' decisions, overridden by event mode.
struct Policies {
    private var rows: [DeviceID: PolicyRow]
    private var watches: [PersonID: WatchRow]
    /// The last policy sent to phones that cannot name the one they follow, and whether they
    /// received it. Not stored: sent again after a restart.
    private var sent: [DeviceID: (mark: String, isReceived: Bool)] = [:]
    /// The last policy sent to phones that only report their mode. Not stored: sent again after a
    /// restart.
    private var sentByMode: [DeviceID: SentPolicy] = [:]

    private struct SentPolicy {
        var mark: String
        /// When it was first sent.
        var since: Timestamp
        /// The mode before that; nil = unknown.
        var modeBefore: Int?
        /// The phone is in the mode of this policy.
        var isReceived = false
    }

    init(rows: [PolicyRow], watches: [WatchRow]) {
        self.rows = Dictionary(uniqueKeysWithValues: rows.map { ($0.policy.device, $0) })
        self.watches = Dictionary(uniqueKeysWithValues: watches.map { ($0.person, $0) })
    }

    mutating func apply(_ policy: ReportingPolicy, at time: Timestamp, _ turn: inout Turn<Effect>) {
        var policy = policy
        // Evaluators decide without knowing the platform. The nearest regions come first.
        let platform = turn.directory.device(policy.device)?.platform ?? .other
        policy.regions = Array(policy.regions.prefix(turn.directory.rights.regionsMax(platform)))
        let confirmed = rows[policy.device]?.confirmed
        save(PolicyRow(policy: policy, since: time, confirmed: confirmed), &turn)
    }

    /// Applies a change of a watch.
    mutating func apply(
        _ watch: Watch, _ event: Event, _ sequencer: inout Sequencer, _ turn: inout Turn<Effect>
    ) {
        guard apply(watch, &turn) else { return }
        let span = WatchSpan(
            person: watch.person, watch: watch.id, until: watches[watch.person]?.until)
        sequencer.append(
            .inputWatch(span), of: watch.person, cause: event.id.raw, trace: event.trace, &turn)
    }

    /// - Returns: whether anything changed
    private mutating func apply(_ watch: Watch, _ turn: inout Turn<Effect>) -> Bool {
        switch watch.state {
        case .active, .reminded:
            let row = WatchRow(
                person: watch.person, watch: watch.id,
                until: watch.deadline + .seconds(watch.graceSeconds))
            guard watches.updateValue(row, forKey: watch.person) != row else { return false }
            turn.emit(.policy(.saveWatch(row)))
        case .ended, .arrived, .cancelled, .expired:
            guard watches[watch.person]?.watch == watch.id else { return false }
            watches[watch.person] = nil
            turn.emit(.policy(.removeWatch(watch.person)))
        }
        return true
    }

    /// Ends the watches that the timer no longer knows.
    mutating func endWatches(
        except running: Set<WatchID>, _ sequencer: inout Sequencer, _ turn: inout Turn<Effect>
    ) {
        let over = watches.values.filter { !running.contains($0.watch) }
            .sorted { $0.person < $1.person }
        for row in over {
            watches[row.person] = nil
            turn.emit(.policy(.removeWatch(row.person)))
        }
        for row in over {
            sequencer.append(
                .inputWatch(WatchSpan(person: row.person, watch: row.watch, until: nil)),
                of: row.person, cause: Hash.id("watch-unknown", .id(row.watch)), trace: "", &turn)
        }
    }

    /// Whether a person reports in event mode, once a minute also standing still: during an open
    /// emergency, a watch or a journey.
    func isEvent(
        _ person: PersonID, _ emergencies: Emergencies, _ journeys: Journeys, at now: Timestamp
    ) -> Bool {
        if journeys.open(of: person) != nil { return true }
        return switch emergencies.signals.current(of: person)?.state {
        case .open, .acknowledged: true
        case .countdown, .resolved, .cancelled, nil: isWatched(person, at: now)
        }
    }

    /// Whether a watch of the person is running.
    private func isWatched(_ person: PersonID, at now: Timestamp) -> Bool {
        watches[person].map { now < $0.until } ?? false
    }

    /// The mark that a device last confirmed; nil = none.
    func confirmed(by device: DeviceID) -> String? { rows[device]?.confirmed }

    /// The policy in force for a device; nil if nobody has decided one.
    func view(of device: DeviceID, _ person: PersonID, isEvent: Bool) -> PolicyView? {
        let row = rows[device].flatMap { $0.policy.person == person ? $0 : nil }
        var policy = row?.policy
        if isEvent {
            policy = ReportingPolicy(
                person: person, device: device, mode: .event,
                intervalSeconds: Limits.eventIntervalSeconds,
                contactTimeoutSeconds: Limits.eventContactTimeoutSeconds)
        }
        guard let policy else { return nil }
        let mark = Policies.mark(of: policy)
        return PolicyView(
            policy: policy, mark: mark, since: isEvent ? nil : row?.since,
            isConfirmed: row?.confirmed == mark)
    }

    /// The policy to send with the response to a report of a primary device.
    mutating func hint(
        for batch: IncomingBatch, isEvent: Bool, _ turn: inout Turn<Effect>
    ) -> PolicyView? {
        guard batch.requestsPolicy else { return nil }
        if let app = batch.ownTracks {
            return hint(
                for: batch.device, of: batch.person, monitoring: batch.status.monitoring,
                mode: { OwnTracks.Configuration($0, for: app).monitoring }, isEvent: isEvent, &turn)
        }
        guard !batch.provesResponseReceived else {
            return hint(
                for: batch.device, of: batch.person,
                // The oldest comes first; a newest one may come along each time.
                hasNewContent: batch.arrivals.first?.isKnown == false, isEvent: isEvent, &turn)
        }
        return hint(
            for: batch.device, of: batch.person, mark: batch.policyMark, isEvent: isEvent, &turn)
    }

    /// - Parameter primary: the person's primary device
    func read(
        _ request: ReadRequest<PersonID>, primary: DeviceID?, isEvent: Bool,
        _ turn: inout Turn<Effect>
    ) {
        guard
            turn.allows(
                request.principal, .answerAlarms, on: .person(request.id), for: request.request)
        else { return }
        let view = primary.flatMap { self.view(of: $0, request.id, isEvent: isEvent) }
        turn.answer(request.request, view.map { .policy($0) } ?? .notFound)
    }

    /// The policy to send with the response to a report, until a report confirms it.
    ///
    /// - Parameter mark: the mark that the report confirms; nil = none
    private mutating func hint(
        for device: DeviceID, of person: PersonID, mark: String?, isEvent: Bool,
        _ turn: inout Turn<Effect>
    ) -> PolicyView? {
        guard let view = view(of: device, person, isEvent: isEvent) else { return nil }
        guard var mark else { return view.isConfirmed ? nil : view }
        // Other values are not ours and are not stored, however long they are.
        if mark.utf8.count != Policies.markBytes { mark = "" }
        confirm(mark, by: device, &turn)
        return mark == view.mark ? nil : view
    }

    /// The policy to send to a phone that cannot confirm one but keeps its message until it has
    /// received the response, and applies a policy at once. It is sent until it was received.
    ///
    /// Such a phone does not report while it is stationary, so missing contact means nothing.
    ///
    /// - Parameter hasNewContent: the message is new, so the previous response was received
    private mutating func hint(
        for device: DeviceID, of person: PersonID, hasNewContent: Bool, isEvent: Bool,
        _ turn: inout Turn<Effect>
    ) -> PolicyView? {
        confirm(nil, by: device, &turn)
        guard let view = view(of: device, person, isEvent: isEvent) else { return nil }
        let isReceived = sent[device].map {
            $0.mark == view.mark && ($0.isReceived || hasNewContent)
        }
        sent[device] = (view.mark, isReceived ?? false)
        return isReceived ?? false ? nil : view
    }

    /// The policy to send to a phone that only reports its mode. It is sent until the phone
    /// reports, at a later time, the mode of the policy.
    ///
    /// This is no proof that it follows the policy: many phones are in that mode anyway, and only
    /// the moving mode keeps an interval while standing still. A phone that switched to moving mode
    /// after the policy was sent follows it, until it reports another mode.
    ///
    /// - Parameter mode: returns the mode of a policy
    private mutating func hint(
        for device: DeviceID, of person: PersonID, monitoring: Monitoring?,
        mode: (ReportingPolicy) -> Int, isEvent: Bool, _ turn: inout Turn<Effect>
    ) -> PolicyView? {
        let moves = OwnTracks.Configuration.movingMode
        if let monitoring, monitoring.mode != moves { confirm(nil, by: device, &turn) }
        guard let view = view(of: device, person, isEvent: isEvent), !view.isConfirmed else {
            return nil
        }
        guard var sent = sentByMode[device], sent.mark == view.mark else {
            sentByMode[device] = SentPolicy(
                mark: view.mark, since: turn.now, modeBefore: monitoring?.mode)
            return view
        }
        guard !sent.isReceived else { return nil }
        guard let monitoring, monitoring.time >= sent.since, monitoring.mode == mode(view.policy)
        else { return view }
        sent.isReceived = true
        sentByMode[device] = sent
        let hasSwitched = sent.modeBefore.map { $0 != moves } ?? false
        if monitoring.mode == moves, hasSwitched || rows[device]?.confirmed != nil {
            confirm(view.mark, by: device, &turn)
        }
        return nil
    }

    private mutating func confirm(_ mark: String?, by device: DeviceID, _ turn: inout Turn<Effect>)
    {
        guard var row = rows[device], row.confirmed != mark else { return }
        row.confirmed = mark
        save(row, &turn)
    }

    /// Forgets a removed person.
    mutating func forget(_ person: PersonID, _ turn: inout Turn<Effect>) {
        for (device, row) in rows where row.policy.person == person {
            rows[device] = nil
            sent[device] = nil
            sentByMode[device] = nil
            turn.emit(.policy(.remove(device)))
        }
        if watches.removeValue(forKey: person) != nil {
            turn.emit(.policy(.removeWatch(person)))
        }
    }

    private mutating func save(_ row: PolicyRow, _ turn: inout Turn<Effect>) {
        rows[row.policy.device] = row
        turn.emit(.policy(.save(row)))
    }

    private static let markBytes = 12

    /// Twelve characters that are equal for equal policies.
    static func mark(of policy: ReportingPolicy) -> String {
        var bytes: [UInt8] = []
        bytes.append(text: policy.mode.rawValue)
        bytes.append(integer: policy.distanceFilterMetres ?? -1)
        bytes.append(integer: policy.intervalSeconds)
        bytes.append(integer: policy.contactTimeoutSeconds)
        for region in policy.regions {
            region.zone.raw.appendBytes(to: &bytes)
            bytes.append(integer: region.center.latitudeE7)
            bytes.append(integer: region.center.longitudeE7)
            bytes.append(integer: region.radiusMetres)
        }
        return String(Hash.blake2b128(bytes).text.prefix(markBytes))
    }
}
