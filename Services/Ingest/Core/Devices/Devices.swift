import Dialects
import Directory
import Hashing
import Model

/// State of devices beside their reports: impairments, tags, cards and location requests.
public struct Devices: Sendable {
    private var conditions: [DeviceID: ConditionRow]
    /// When a wrong encryption key was last reported. For devices that had one before the process
    /// started, since when.
    private var wrongKeyReported: [DeviceID: Timestamp]
    var tags: CallTags
    var cards: Cards
    var locations: LocationRequests

    init(_ stored: Core.Stored) {
        conditions = Dictionary(uniqueKeysWithValues: stored.conditions.map { ($0.device, $0) })
        wrongKeyReported = conditions.filter { $1.impairments.contains(.undecryptable) }
            .mapValues(\.since)
        tags = CallTags(tagged: stored.tagged)
        cards = Cards(heads: stored.cards)
        locations = LocationRequests(stored.locates)
    }

    /// Number of devices that may fail to report.
    public var impairedCount: Int { conditions.values.count(where: \.isImpaired) }

    func condition(of device: DeviceID) -> ConditionRow? { conditions[device] }

    /// How a device reports now; nil = it never reported.
    func reporting(of device: DeviceID, _ reports: Reports) -> DeviceReporting? {
        reports.devices.read(device) { row in
            DeviceReporting(
                row, isFirst: reports.firstDevices[row.person] == device,
                impairments: condition(of: device)?.impairments ?? [])
        }
    }

    /// Applies the status that a phone sent beside fixes. The evaluator gets, once, that a primary
    /// device is impaired.
    ///
    /// - Returns: a call for help, if "report" was pressed twice and that counts as one
    mutating func applyStatus(
        of batch: IncomingBatch, isPrimary: Bool, _ sequencer: inout Sequencer,
        _ turn: inout Turn<Effect>
    ) -> Panic? {
        let (person, device) = (batch.person, batch.device)
        let impairments = apply(
            batch.status, isLegible: batch.isLegible, from: device, of: person, &turn)
        if let impairments, isPrimary {
            let impairment = ReportingImpairment(
                person: person, device: device, impairments: impairments, at: turn.now)
            sequencer.append(
                .inputImpairment(impairment), of: person,
                cause: Hash.id(.id(device), .number(turn.now.microseconds)), trace: batch.trace,
                &turn)
        }
        guard batch.pressesWithinSeconds > 0, let pressed = batch.status.pressed,
            tags.isDoublePressed(pressed, on: device, withinSeconds: batch.pressesWithinSeconds)
        else { return nil }
        let observation = batch.arrivals.last?.observation
        return Panic(
            messageID: "twice at \(pressed.microseconds)", raised: pressed, fix: observation?.fix,
            battery: observation?.battery)
    }

    /// Applies the status of a quarantined payload. Its impairments say nothing about the present.
    mutating func applyStatus(of retry: QuarantineRetry, _ turn: inout Turn<Effect>) {
        var status = retry.status
        status.impairments = nil
        _ = apply(status, from: retry.device, of: retry.person, &turn)
    }

    /// Applies the status that a phone sent about itself and its person.
    ///
    /// - Parameter isLegible: whether the payload could be decrypted; nil = unchanged
    /// - Returns: the impairments, if the phone may fail to report from now on
    private mutating func apply(
        _ status: DeviceStatus, isLegible: Bool? = nil, from device: DeviceID, of person: PersonID,
        _ turn: inout Turn<Effect>
    ) -> [Impairment]? {
        var newImpairments: [Impairment]?
        if let impairments = impairments(
            of: device, person, reported: status.impairments, isLegible),
            condition(impairments, of: device, person, &turn),
            shouldReport(impairments, of: device, at: turn.now)
        {
            newImpairments = impairments
        }
        if let card = status.card { cards.apply(card, of: person, &turn) }
        for zone in status.zones.prefix(Limits.suggestionsPerPerson) {
            let row = SuggestionRow(
                id: Devices.id(of: zone, from: device), person: person, device: device, zone: zone,
                suggested: turn.now)
            turn.emit(.device(.saveSuggestion(row)))
        }
        return newImpairments
    }

    /// All impairments of a device from now on, ascending; nil = unchanged.
    private func impairments(
        of device: DeviceID, _ person: PersonID, reported: [Impairment]?, _ isLegible: Bool?
    ) -> [Impairment]? {
        let row = conditions[device]
        let known = row?.person == person ? row?.impairments ?? [] : []
        let wasIllegible = known.contains(.undecryptable)
        let isIllegible = isLegible.map(!) ?? wasIllegible
        guard reported != nil || isIllegible != wasIllegible else { return nil }
        let others = (reported ?? known).filter { $0 != .undecryptable }
        return isIllegible ? (others + [.undecryptable]).sorted() : others
    }

    /// Two apps with one token, one of them with a wrong key, alternate: reported once a day.
    private mutating func shouldReport(
        _ impairments: [Impairment], of device: DeviceID, at now: Timestamp
    ) -> Bool {
        guard impairments.filter(\.preventsReporting) == [.undecryptable] else { return true }
        if let last = wrongKeyReported[device], now - last < .seconds(Limits.wrongKeySeconds) {
            return false
        }
        wrongKeyReported[device] = now
        return true
    }

    /// - Returns: whether the device became impaired
    private mutating func condition(
        _ impairments: [Impairment], of device: DeviceID, _ person: PersonID,
        _ turn: inout Turn<Effect>
    ) -> Bool {
        let known = conditions[device]
        guard !impairments.isEmpty else {
            guard known != nil else { return false }
            conditions[device] = nil
            turn.emit(.device(.removeCondition(device)))
            return false
        }
        guard known?.impairments != impairments || known?.person != person else { return false }
        let wasImpaired = known?.person == person && known?.isImpaired ?? false
        var row = ConditionRow(
            device: device, person: person, impairments: impairments, since: turn.now)
        if wasImpaired, row.isImpaired, let known { row.since = known.since }
        conditions[device] = row
        turn.emit(.device(.saveCondition(row)))
        return row.isImpaired && !wasImpaired
    }

    private static func id(of zone: SuggestedZone, from device: DeviceID) -> SuggestionID {
        SuggestionID(
            Hash.id(
                "offer", .id(device), .text(zone.key), .text(zone.name),
                .number(Int(zone.center.latitudeE7)), .number(Int(zone.center.longitudeE7)),
                .number(Int(zone.radiusMetres))))
    }

    /// Forgets a removed device.
    mutating func forget(_ device: DeviceID, _ turn: inout Turn<Effect>) {
        conditions[device] = nil
        wrongKeyReported[device] = nil
        tags.forget(device)
        locations.forget(device)
        turn.emit(.device(.forgetDevice(device)))
    }

    /// Forgets a removed person.
    mutating func forget(_ person: PersonID, _ turn: inout Turn<Effect>) {
        conditions = conditions.filter { $0.value.person != person }
        tags.forget(person)
        cards.forget(person)
        locations.forget(person)
        turn.emit(.device(.forgetPerson(person)))
    }
}
