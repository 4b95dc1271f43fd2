import Dialects
import Directory
import Hashing
import Model

/// How a device should report, as evaluators said last, and what it has taken over.
public struct PolicyRow: Hashable, Sendable, Codable {
    public var policy: ReportingPolicy
    public var since: Timestamp
    /// Mark of the policy that the device reports by; nil = none that is known.
    public var confirmed: String?

    public init(policy: ReportingPolicy, since: Timestamp, confirmed: String? = nil) {
        self.policy = policy
        self.since = since
        self.confirmed = confirmed
    }
}

/// A watch that goes on: its person reports in event mode.
public struct WatchingRow: Hashable, Sendable {
    public var person: PersonID
    public var watch: WatchID
    /// Deadline and grace are over then, whatever is heard of it.
    public var until: Timestamp

    public init(person: PersonID, watch: WatchID, until: Timestamp) {
        self.person = person
        self.watch = watch
        self.until = until
    }
}

/// How a person's leading device is to report now.
public struct PolicyView: Hashable, Sendable {
    public var policy: ReportingPolicy
    /// Names this policy: a phone that sends it back has taken it over.
    public var mark: String
    /// When evaluators decided it; nil = nobody has, or event mode overrides it.
    public var since: Timestamp?
    public var isConfirmed: Bool
}

/// How devices should report: what evaluators decide by zones, and event mode over it.
struct Policies {
    private var rows: [DeviceID: PolicyRow]
    private var watching: [PersonID: WatchingRow]
    /// What phones that say nothing of what they go by were told last, and whether they heard it.
    /// Not stored: after a restart a policy is told once more.
    private var told: [DeviceID: (mark: String, isHeard: Bool)] = [:]
    /// What phones that only say in which mode they report were told. Not stored: after a restart a
    /// policy is told once more.
    private var shown: [DeviceID: Shown] = [:]

    private struct Shown {
        var mark: String
        /// When it was told first.
        var since: Timestamp
        /// The mode until then; nil = not said.
        var modeBefore: Int?
        /// The phone is in the mode that it leads to.
        var isHeard = false
    }

    init(rows: [PolicyRow], watching: [WatchingRow]) {
        self.rows = Dictionary(uniqueKeysWithValues: rows.map { ($0.policy.device, $0) })
        self.watching = Dictionary(uniqueKeysWithValues: watching.map { ($0.person, $0) })
    }

    mutating func changed(
        _ policy: ReportingPolicy, at time: Timestamp, into effects: inout [Effect]
    ) {
        let confirmed = rows[policy.device]?.confirmed
        save(PolicyRow(policy: policy, since: time, confirmed: confirmed), into: &effects)
    }

    /// - Returns: whether anything is otherwise than it was.
    mutating func follow(_ watch: Watch, into effects: inout [Effect]) -> Bool {
        switch watch.state {
        case .active, .reminded:
            let row = WatchingRow(
                person: watch.person, watch: watch.id,
                until: watch.deadline + .seconds(watch.graceSeconds))
            guard watching.updateValue(row, forKey: watch.person) != row else { return false }
            effects.append(.saveWatching(row))
        case .ended, .cancelled, .expired:
            guard watching[watch.person]?.watch == watch.id else { return false }
            watching[watch.person] = nil
            effects.append(.removeWatching(watch.person))
        }
        return true
    }

    /// Ends all watches but some.
    ///
    /// - Returns: those that were ended, by person
    mutating func end(
        except running: Set<WatchID>, into effects: inout [Effect]
    ) -> [WatchingRow] {
        let over = watching.values.filter { !running.contains($0.watch) }
            .sorted { $0.person < $1.person }
        for row in over {
            watching[row.person] = nil
            effects.append(.removeWatching(row.person))
        }
        return over
    }

    /// Whether a watch of the person goes on.
    func isWatched(_ person: PersonID, at now: Timestamp) -> Bool {
        watching[person].map { now < $0.until } ?? false
    }

    /// When a watch of the person is over, whatever is heard of it; nil = none goes on.
    func watchEnd(of person: PersonID) -> Timestamp? { watching[person]?.until }

    /// The mark by which a device reports; nil = it never said so.
    func confirmed(by device: DeviceID) -> String? { rows[device]?.confirmed }

    /// What a device is to do; nil as long as nobody has decided.
    func view(of device: DeviceID, _ person: PersonID, isEvent: Bool) -> PolicyView? {
        let row = rows[device].flatMap { $0.policy.person == person ? $0 : nil }
        var policy = row?.policy
        if isEvent {
            policy = ReportingPolicy(
                person: person, device: device, mode: .event,
                intervalSeconds: Limits.eventIntervalSeconds,
                maxSilenceSeconds: Limits.eventMaxSilenceSeconds)
        }
        guard let policy else { return nil }
        let mark = Policies.mark(of: policy)
        return PolicyView(
            policy: policy, mark: mark, since: isEvent ? nil : row?.since,
            isConfirmed: row?.confirmed == mark)
    }

    /// What the answer to a report tells the device, until a report shows that it has it.
    ///
    /// - Parameter mark: what the report says it goes by; nil = it says nothing.
    mutating func hint(
        for device: DeviceID, of person: PersonID, mark: String?, isEvent: Bool,
        into effects: inout [Effect]
    ) -> PolicyView? {
        guard let view = view(of: device, person, isEvent: isEvent) else { return nil }
        guard var mark else { return view.isConfirmed ? nil : view }
        // Whatever else a phone sends is none of ours, and not kept, however long it is.
        if mark.utf8.count != Policies.markBytes { mark = "" }
        if var row = rows[device], row.confirmed != mark {
            row.confirmed = mark
            save(row, into: &effects)
        }
        return mark == view.mark ? nil : view
    }

    /// The same for a phone that says nothing of what it goes by, but keeps its message until it
    /// has heard the answer, and does at once what it says: it is told until it has heard.
    ///
    /// It is silent while it stands still, whatever it is told: its silence says nothing.
    ///
    /// - Parameter bringsNews: the message is none that was here before: the last answer was heard.
    mutating func hint(
        for device: DeviceID, of person: PersonID, bringsNews: Bool, isEvent: Bool,
        into effects: inout [Effect]
    ) -> PolicyView? {
        confirm(nil, by: device, into: &effects)
        guard let view = view(of: device, person, isEvent: isEvent) else { return nil }
        let isHeard = told[device].map { $0.mark == view.mark && ($0.isHeard || bringsNews) }
        told[device] = (view.mark, isHeard ?? false)
        return isHeard ?? false ? nil : view
    }

    /// The same for a phone that only says in which mode it reports. It is told until it says, at a
    /// time after that, that it is in the mode that the policy leads to.
    ///
    /// That is no proof that it goes by the policy: many are in that mode anyway, and only a phone
    /// that moves keeps to an interval while it stands still. One that went over to that mode when
    /// it was told does; and it does no longer when it says that it is in another.
    ///
    /// - Parameter mode: the one that the policy leads to
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
        guard var told = shown[device], told.mark == view.mark else {
            shown[device] = Shown(mark: view.mark, since: now, modeBefore: monitoring?.mode)
            return view
        }
        guard !told.isHeard else { return nil }
        guard let monitoring, monitoring.said >= told.since, monitoring.mode == mode(view.policy)
        else { return view }
        told.isHeard = true
        shown[device] = told
        let hasGoneOver = told.modeBefore.map { $0 != moves } ?? false
        if monitoring.mode == moves, hasGoneOver || rows[device]?.confirmed != nil {
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

    /// Forgets a person who is gone.
    mutating func forget(_ person: PersonID, into effects: inout [Effect]) {
        for (device, row) in rows where row.policy.person == person {
            rows[device] = nil
            told[device] = nil
            shown[device] = nil
            effects.append(.removePolicy(device))
        }
        if watching.removeValue(forKey: person) != nil {
            effects.append(.removeWatching(person))
        }
    }

    private mutating func save(_ row: PolicyRow, into effects: inout [Effect]) {
        rows[row.policy.device] = row
        effects.append(.savePolicy(row))
    }

    private static let markBytes = 12

    /// Twelve characters that are the same for the same policy.
    static func mark(of policy: ReportingPolicy) -> String {
        var bytes: [UInt8] = []
        bytes.append(text: policy.mode.rawValue)
        bytes.append(integer: policy.distanceFilterMetres ?? -1)
        bytes.append(integer: policy.intervalSeconds)
        bytes.append(integer: policy.maxSilenceSeconds)
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
    /// An open emergency, a watch or a journey: every minute, also standing still.
    func isEvent(_ person: PersonID, at now: Timestamp) -> Bool {
        if journeys.open(of: person) != nil { return true }
        return switch emergencies.current(of: person)?.state {
        case .open, .acknowledged: true
        default: policies.isWatched(person, at: now)
        }
    }

    /// What the answer to a report of a leading device says of how to go on.
    mutating func hint(
        for delivery: Delivery, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) -> PolicyView? {
        let leader = directory.leadingDevice(
            of: delivery.person, first: intake.firstDevices[delivery.person])
        guard delivery.wantsPolicy, leader == delivery.device else { return nil }
        let isEvent = isEvent(delivery.person, at: now)
        if let app = delivery.ownTracks {
            return policies.hint(
                for: delivery.device, of: delivery.person, monitoring: delivery.news.monitoring,
                mode: { OwnTracks.Configuration($0, for: app).monitoring }, isEvent: isEvent,
                at: now, into: &effects)
        }
        guard !delivery.provesHearing else {
            return policies.hint(
                for: delivery.device, of: delivery.person,
                // The oldest comes first; a newest one may come along each time.
                bringsNews: delivery.arrivals.first?.isKnown == false, isEvent: isEvent,
                into: &effects)
        }
        return policies.hint(
            for: delivery.device, of: delivery.person, mark: delivery.policyMark, isEvent: isEvent,
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
        let leader = directory.leadingDevice(
            of: request.id, first: intake.firstDevices[request.id])
        let view = leader.flatMap {
            policies.view(of: $0, request.id, isEvent: isEvent(request.id, at: now))
        }
        effects.append(
            .answer(request: request.request, view.map { .policy($0) } ?? .notFound))
    }
}
