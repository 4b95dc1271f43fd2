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

/// A phone will be asked where it is.
public struct LocateView: Hashable, Sendable {
    public var person: PersonID
    public var device: DeviceID
    public var asked: Timestamp
    /// When the phone was last heard, whatever it said; nil = never.
    public var heard: Timestamp?
    /// Nobody waits for an answer longer than until then.
    public var until: Timestamp
}

extension Core {
    /// Takes in what a phone tells beside fixes.
    ///
    /// - Returns: a cry for help, where "report" was pressed twice and that is one.
    mutating func hearNews(
        of delivery: Delivery, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) -> Panic? {
        let hindrances = phones.hear(
            delivery.news, isLegible: delivery.isLegible, from: delivery.device,
            of: delivery.person, at: now, into: &effects)
        if let hindrances {
            tellBlindness(hindrances, of: delivery, in: directory, at: now, &effects)
        }
        guard delivery.pressesWithinSeconds > 0, let pressed = delivery.news.pressed,
            phones.isPressedTwice(
                pressed, on: delivery.device, withinSeconds: delivery.pressesWithinSeconds)
        else { return nil }
        let observation = delivery.arrivals.last?.observation
        return Panic(
            messageID: "twice at \(pressed.microseconds)", raised: pressed, fix: observation?.fix,
            battery: observation?.battery)
    }

    /// How full the battery is, said without a place: it is shown, and of the leading phone the
    /// evaluator hears of it. It is of now, so reports that come along are taken in before.
    ///
    /// - Parameter repeated: from a newer message of a fix that is known
    mutating func hearBattery(
        of delivery: Delivery, repeated: PhoneBattery?, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        let (person, device) = (delivery.person, delivery.device)
        let all = [delivery.news.battery, repeated].compactMap(\.self)
        guard delivery.isSign, let told = all.max(by: { $0.time < $1.time }),
            var row = intake.devices[device],
            row.accept(told, at: now)
        else { return }
        if repeated != nil { row.batteryTold = told.time }
        intake.keep(row)
        effects.append(.noteDevice(row))
        let leader = directory.leadingDevice(of: person, first: intake.firstDevices[person])
        guard leader == device else { return }
        append(
            .inputContact(
                Contact(
                    person: person, kind: .heard, at: now, battery: row.battery,
                    charging: row.charging, trace: delivery.trace)),
            of: person, cause: Hash.id("battery", .id(Core.cause(of: delivery, at: now))),
            trace: delivery.trace, at: now, into: &effects)
    }

    /// The leading phone may fall silent from now on: somebody is to know, once.
    private mutating func tellBlindness(
        _ hindrances: [Hindrance], of delivery: Delivery, in directory: Replica,
        at now: Timestamp, _ effects: inout [Effect]
    ) {
        let (person, device) = (delivery.person, delivery.device)
        let leader = directory.leadingDevice(of: person, first: intake.firstDevices[person])
        guard leader == device else { return }
        append(
            .inputBlindness(
                Blindness(person: person, device: device, hindrances: hindrances, at: now)),
            of: person, cause: Hash.id(.id(device), .number(now.microseconds)),
            trace: delivery.trace, at: now, into: &effects)
    }

    /// Asks a person's leading phone where it is, in the next answer to it. The person reads in
    /// their access log who asked.
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
            let device = directory.leadingDevice(
                of: request.person, first: intake.firstDevices[request.person])
        else { return .notFound }
        let viewer = request.principal.person
        let wait = phones.ask(
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
                person: request.person, device: device, asked: now,
                heard: intake.devices[device]?.seen,
                until: now + .seconds(Limits.locateWaitSeconds)))
    }
}
