import Dialects
import Directory
import Hashing
import Model

/// `POST /v1/people/{person}/locate`.
public struct LocateRequest: Hashable, Sendable {
    public var request: UInt64
    public var principal: Principal
    public var person: PersonID

    public init(request: UInt64, principal: Principal, person: PersonID) {
        self.request = request
        self.principal = principal
        self.person = person
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
}

extension Core {
    /// Applies the status that a phone sent beside fixes.
    ///
    /// - Returns: a call for help, if "report" was pressed twice and that counts as one
    mutating func applyStatus(
        of batch: IncomingBatch, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) -> Panic? {
        let impairments = devices.apply(
            batch.status, isLegible: batch.isLegible, from: batch.device,
            of: batch.person, at: now, into: &effects)
        if let impairments {
            notifyImpairment(impairments, of: batch, in: directory, at: now, &effects)
        }
        guard batch.pressesWithinSeconds > 0, let pressed = batch.status.pressed,
            devices.isDoublePressed(
                pressed, on: batch.device, withinSeconds: batch.pressesWithinSeconds)
        else { return nil }
        let observation = batch.arrivals.last?.observation
        return Panic(
            messageID: "twice at \(pressed.microseconds)", raised: pressed, fix: observation?.fix,
            battery: observation?.battery)
    }

    /// Applies a battery level sent without a position. Positions show it, and the evaluator gets
    /// it if the device is the primary one. It describes the present, so reports of the same batch
    /// are accepted first.
    ///
    /// - Parameter repeated: the battery in a newer message of a known fix
    mutating func applyBattery(
        of batch: IncomingBatch, repeated: PhoneBattery?, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        let (person, device) = (batch.person, batch.device)
        let all = [batch.status.battery, repeated].compactMap(\.self)
        guard batch.provesContact, let level = all.max(by: { $0.time < $1.time }),
            var row = intake.devices[device],
            row.accept(level, at: now)
        else { return }
        if repeated != nil { row.batteryReported = level.time }
        intake.update(row)
        effects.append(.updateDevice(row))
        let primary = directory.primaryDevice(of: person, first: intake.firstDevices[person])
        guard primary == device else { return }
        append(
            .inputContact(
                Contact(
                    person: person, kind: .heard, at: now, battery: row.battery,
                    charging: row.charging, trace: batch.trace)),
            of: person, cause: Hash.id("battery", .id(Core.cause(of: batch, at: now))),
            trace: batch.trace, at: now, into: &effects)
    }

    /// Appends, once, that the primary device is impaired and may fail to report.
    private mutating func notifyImpairment(
        _ impairments: [Impairment], of batch: IncomingBatch, in directory: Replica,
        at now: Timestamp, _ effects: inout [Effect]
    ) {
        let (person, device) = (batch.person, batch.device)
        let primary = directory.primaryDevice(of: person, first: intake.firstDevices[person])
        guard primary == device else { return }
        append(
            .inputImpairment(
                ReportingImpairment(
                    person: person, device: device, impairments: impairments, at: now)),
            of: person, cause: Hash.id(.id(device), .number(now.microseconds)),
            trace: batch.trace, at: now, into: &effects)
    }

    /// Asks a person's primary device for its location in the next response to it. The access log
    /// shows the person who asked.
    mutating func locate(
        _ request: LocateRequest, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        let answer = located(request, in: directory, at: now, into: &effects)
        effects.append(.answer(request: request.request, answer))
    }

    private mutating func located(
        _ request: LocateRequest, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) -> Answer {
        if request.principal == .operator, directory.person(request.person) == nil {
            return .notFound
        }
        let positions = positions(in: directory)
        if let denial = positions.denialOfLocating(request.person, by: request.principal, at: now) {
            return .denied(denial)
        }
        guard
            let device = directory.primaryDevice(
                of: request.person, first: intake.firstDevices[request.person])
        else { return .notFound }
        let viewer = request.principal.person
        let wait = devices.requestLocation(
            for: device, of: request.person, by: viewer, at: now, into: &effects)
        if let wait { return .tooSoon(seconds: wait) }
        if viewer != request.person {
            effects.append(
                .saveAccess(
                    AccessRow(
                        person: request.person, viewer: viewer, hour: now.seconds / 3600,
                        asked: now)))
        }
        return .located(
            LocateView(
                person: request.person, device: device, requested: now,
                lastSeen: intake.devices[device]?.seen,
                until: now + .seconds(Limits.locateWaitSeconds)))
    }
}
