import Dialects
import Directory
import Hashing
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

    mutating func apply(
        _ policy: ReportingPolicy, at time: Timestamp, into effects: inout [Effect]
    ) {
        let confirmed = rows[policy.device]?.confirmed
        save(PolicyRow(policy: policy, since: time, confirmed: confirmed), into: &effects)
    }

    /// - Returns: whether anything changed
    mutating func apply(_ watch: Watch, into effects: inout [Effect]) -> Bool {
        switch watch.state {
        case .active, .reminded:
            let row = WatchRow(
                person: watch.person, watch: watch.id,
                until: watch.deadline + .seconds(watch.graceSeconds))
            guard watches.updateValue(row, forKey: watch.person) != row else { return false }
            effects.append(.saveWatch(row))
        case .ended, .cancelled, .expired:
            guard watches[watch.person]?.watch == watch.id else { return false }
            watches[watch.person] = nil
            effects.append(.removeWatch(watch.person))
        }
        return true
    }

    /// Ends all watches except the running ones.
    ///
    /// - Returns: the ended watches, ordered by person
    mutating func end(
        except running: Set<WatchID>, into effects: inout [Effect]
    ) -> [WatchRow] {
        let over = watches.values.filter { !running.contains($0.watch) }
            .sorted { $0.person < $1.person }
        for row in over {
            watches[row.person] = nil
            effects.append(.removeWatch(row.person))
        }
        return over
    }

    /// Whether a watch of the person is running.
    func isWatched(_ person: PersonID, at now: Timestamp) -> Bool {
        watches[person].map { now < $0.until } ?? false
    }

    /// End of the person's watch including its grace; nil = none is running.
    func watchEnd(of person: PersonID) -> Timestamp? { watches[person]?.until }

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

    /// The policy to send with the response to a report, until a report confirms it.
    ///
    /// - Parameter mark: the mark that the report confirms; nil = none
    mutating func hint(
        for device: DeviceID, of person: PersonID, mark: String?, isEvent: Bool,
        into effects: inout [Effect]
    ) -> PolicyView? {
        guard let view = view(of: device, person, isEvent: isEvent) else { return nil }
        guard var mark else { return view.isConfirmed ? nil : view }
        // Other values are not ours and are not stored, however long they are.
        if mark.utf8.count != Policies.markBytes { mark = "" }
        if var row = rows[device], row.confirmed != mark {
            row.confirmed = mark
            save(row, into: &effects)
        }
        return mark == view.mark ? nil : view
    }

    /// The policy to send to a phone that cannot confirm one but keeps its message until it has
    /// received the response, and applies a policy at once. It is sent until it was received.
    ///
    /// Such a phone does not report while it is stationary, so missing contact means nothing.
    ///
    /// - Parameter hasNewContent: the message is new, so the previous response was received
    mutating func hint(
        for device: DeviceID, of person: PersonID, hasNewContent: Bool, isEvent: Bool,
        into effects: inout [Effect]
    ) -> PolicyView? {
        confirm(nil, by: device, into: &effects)
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
    mutating func hint(
        for device: DeviceID, of person: PersonID, monitoring: Monitoring?,
        mode: (ReportingPolicy) -> Int, isEvent: Bool, at now: Timestamp,
        into effects: inout [Effect]
    ) -> PolicyView? {
        let moves = OwnTracks.Configuration.movingMode
        if let monitoring, monitoring.mode != moves { confirm(nil, by: device, into: &effects) }
        guard let view = view(of: device, person, isEvent: isEvent), !view.isConfirmed else {
            return nil
        }
        guard var sent = sentByMode[device], sent.mark == view.mark else {
            sentByMode[device] = SentPolicy(
                mark: view.mark, since: now, modeBefore: monitoring?.mode)
            return view
        }
        guard !sent.isReceived else { return nil }
        guard let monitoring, monitoring.time >= sent.since, monitoring.mode == mode(view.policy)
        else { return view }
        sent.isReceived = true
        sentByMode[device] = sent
        let hasSwitched = sent.modeBefore.map { $0 != moves } ?? false
        if monitoring.mode == moves, hasSwitched || rows[device]?.confirmed != nil {
            confirm(view.mark, by: device, into: &effects)
        }
        return nil
    }

    private mutating func confirm(
        _ mark: String?, by device: DeviceID, into effects: inout [Effect]
    ) {
        guard var row = rows[device], row.confirmed != mark else { return }
        row.confirmed = mark
        save(row, into: &effects)
    }

    /// Forgets a removed person.
    mutating func forget(_ person: PersonID, into effects: inout [Effect]) {
        for (device, row) in rows where row.policy.person == person {
            rows[device] = nil
            sent[device] = nil
            sentByMode[device] = nil
            effects.append(.removePolicy(device))
        }
        if watches.removeValue(forKey: person) != nil {
            effects.append(.removeWatch(person))
        }
    }

    private mutating func save(_ row: PolicyRow, into effects: inout [Effect]) {
        rows[row.policy.device] = row
        effects.append(.savePolicy(row))
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

extension Core {
    /// Whether a person reports in event mode, once a minute also standing still: during an open
    /// emergency, a watch or a journey.
    func isEvent(_ person: PersonID, at now: Timestamp) -> Bool {
        if journeys.open(of: person) != nil { return true }
        return switch emergencies.current(of: person)?.state {
        case .open, .acknowledged: true
        default: policies.isWatched(person, at: now)
        }
    }

    /// The policy to send with the response to a report of a primary device.
    mutating func hint(
        for batch: IncomingBatch, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) -> PolicyView? {
        let primary = directory.primaryDevice(
            of: batch.person, first: intake.firstDevices[batch.person])
        guard batch.requestsPolicy, primary == batch.device else { return nil }
        let isEvent = isEvent(batch.person, at: now)
        if let app = batch.ownTracks {
            return policies.hint(
                for: batch.device, of: batch.person, monitoring: batch.status.monitoring,
                mode: { OwnTracks.Configuration($0, for: app).monitoring }, isEvent: isEvent,
                at: now, into: &effects)
        }
        guard !batch.provesResponseReceived else {
            return policies.hint(
                for: batch.device, of: batch.person,
                // The oldest comes first; a newest one may come along each time.
                hasNewContent: batch.arrivals.first?.isKnown == false, isEvent: isEvent,
                into: &effects)
        }
        return policies.hint(
            for: batch.device, of: batch.person, mark: batch.policyMark, isEvent: isEvent,
            into: &effects)
    }

    func readPolicy(
        _ request: ReadRequest<PersonID>, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        let decision = directory.decide(
            request.principal, .answerAlarms, on: .person(request.id), at: now)
        if let denial = decision.denial {
            effects.append(.answer(request: request.request, .denied(denial)))
            return
        }
        let primary = directory.primaryDevice(
            of: request.id, first: intake.firstDevices[request.id])
        let view = primary.flatMap {
            policies.view(of: $0, request.id, isEvent: isEvent(request.id, at: now))
        }
        effects.append(
            .answer(request: request.request, view.map { .policy($0) } ?? .notFound))
    }
}
