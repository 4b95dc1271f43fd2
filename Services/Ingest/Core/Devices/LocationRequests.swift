import Directory
import Model

/// `POST /v1/people/{person}/locate`.
public struct LocateRequest: Hashable, Sendable {
    public var request: UInt64
    public var principal: Principal
    public var person: PersonID
    /// Why, as staff gave it; nil = no reason was given.
    public var reason: String?

    public init(
        request: UInt64, principal: Principal, person: PersonID, reason: String? = nil
    ) {
        self.request = request
        self.principal = principal
        self.person = person
        self.reason = reason
    }
}

/// A request for a phone's location is pending.
public struct LocateView: Hashable, Sendable {
    public var person: PersonID
    public var device: DeviceID
    public var requested: Timestamp
    /// Last contact of any kind; nil = never.
    public var lastSeen: Timestamp?
    /// When the request expires.
    public var until: Timestamp
    /// False during an emergency under duress: the phone must not show that others look.
    public var asksPhone: Bool
}

/// Asks phones for their location on request of a person who may see it.
struct LocationRequests {
    private var pending: [DeviceID: LocateRow]
    /// When a viewer last requested a person's location.
    private var requested: [ViewerKey: Timestamp] = [:]
    /// When a phone was last asked for its location. Not stored: asked again after a restart.
    private var sent: [DeviceID: Timestamp] = [:]

    private struct ViewerKey: Hashable {
        /// Nil = the operator.
        var viewer: PersonID?
        var person: PersonID
    }

    init(_ rows: [LocateRow]) {
        pending = Dictionary(uniqueKeysWithValues: rows.map { ($0.device, $0) })
    }

    /// Asks a person's primary device for its location in the next response to it. The access log
    /// shows the person who asked.
    mutating func locate(
        _ request: LocateRequest, _ reports: Reports, _ emergencies: Emergencies,
        _ turn: inout Turn<Effect>
    ) {
        turn.answer(request.request, answer(to: request, reports, emergencies, &turn))
    }

    private mutating func answer(
        to request: LocateRequest, _ reports: Reports, _ emergencies: Emergencies,
        _ turn: inout Turn<Effect>
    ) -> Answer {
        let (person, viewer) = (request.person, request.principal.person)
        if turn.directory.person(person) == nil,
            turn.directory.decide(request.principal, .administer, on: .suite, at: turn.now)
                .isAllowed
        {
            return .notFound
        }
        if let denial = LocationRequests.denial(
            of: person, to: request.principal, emergencies, in: turn.directory, at: turn.now)
        {
            return .denied(denial)
        }
        guard let device = reports.primaryDevice(of: person, in: turn.directory) else {
            return .notFound
        }
        // During an emergency under duress the phone must not show that others look.
        let isCovert = viewer != person && emergencies.signals.hasCovert(person)
        if !isCovert, let wait = record(device, of: person, by: viewer, &turn) {
            return .tooSoon(seconds: wait)
        }
        if viewer != person, !isCovert {
            let hour = turn.now.seconds / 3600
            turn.emit(
                .access(
                    AccessRow(
                        person: person, viewer: viewer, hour: hour, kind: .locate,
                        reason: request.reason ?? "", asked: turn.now)))
        }
        return .located(
            LocateView(
                person: person, device: device, requested: turn.now,
                lastSeen: reports.devices[device]?.seen,
                until: turn.now + .seconds(Limits.locateWaitSeconds), asksPhone: !isCovert))
    }

    /// Why a principal may not request a person's location; nil = it is allowed.
    private static func denial(
        of person: PersonID, to principal: Principal, _ emergencies: Emergencies,
        in directory: Replica, at now: Timestamp
    ) -> Denial? {
        if let viewer = principal.person {
            if viewer == person { return nil }
            if emergencies.signals.showsPosition(of: person, to: viewer, in: directory) {
                return nil
            }
        }
        var denial = Denial.notAMember
        for circle in directory.circles(of: person) {
            let target = RightsTarget.member(person, in: circle)
            guard let why = directory.decide(principal, .locate, on: target, at: now).denial
            else { return nil }
            if why != .notAMember { denial = why }
        }
        return denial
    }

    /// Records that a viewer (nil = the operator) requests a device's location.
    ///
    /// - Returns: nil, or the seconds until the next request is allowed
    private mutating func record(
        _ device: DeviceID, of person: PersonID, by viewer: PersonID?, _ turn: inout Turn<Effect>
    ) -> Int? {
        let now = turn.now
        let key = ViewerKey(viewer: viewer, person: person)
        if let last = requested[key] {
            let next = last + .seconds(Limits.locateSeconds)
            guard now >= next else {
                return max(1, Int((next - now).microseconds + 999_999) / 1_000_000)
            }
        }
        if requested.count >= Limits.locatesMax {
            requested = requested.filter { now - $0.value < .seconds(Limits.locateSeconds) }
        }
        requested[key] = now
        let row = LocateRow(device: device, person: person, asked: now)
        pending[device] = row
        sent[device] = nil
        turn.emit(.device(.saveLocate(row)))
        return nil
    }

    /// Whether the response to a phone asks for its location: until it replied, sent a fix taken
    /// since, or the request expired.
    ///
    /// It is asked at intervals only. A phone without a newer fix replies with an old one, and
    /// would be asked again by the response to that, as fast as it can.
    ///
    /// - Parameter newest: time of the device's newest fix
    mutating func shouldAsk(
        _ batch: IncomingBatch, newest: Timestamp?, _ turn: inout Turn<Effect>
    ) -> Bool {
        let (device, now) = (batch.device, turn.now)
        guard let row = pending[device] else { return false }
        // Phones report whole seconds.
        let hasFix = newest.map { $0.seconds >= row.asked.seconds } ?? false
        let hasAnswered = batch.status.isReply && sent[device] != nil
        let isOver = now - row.asked > .seconds(Limits.locateWaitSeconds)
        guard !hasFix, !hasAnswered, !isOver else {
            pending[device] = nil
            sent[device] = nil
            turn.emit(.device(.removeLocate(device)))
            return false
        }
        guard batch.canRequestLocation else { return false }
        if let last = sent[device], now - last < .seconds(Limits.locateAgainSeconds) {
            return false
        }
        sent[device] = now
        return true
    }

    mutating func forget(_ device: DeviceID) {
        pending[device] = nil
        sent[device] = nil
    }

    mutating func forget(_ person: PersonID) {
        for (device, row) in pending where row.person == person { forget(device) }
    }
}
