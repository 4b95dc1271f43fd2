import Dialects
import Hashing
import Model

/// State of devices beside their reports: impairments, tags, cards and location requests.
struct Devices {
    /// Everything that survives the process.
    struct Stored {
        var conditions: [ConditionRow] = []
        var cards: [PersonID: CardHead] = [:]
        var locates: [LocateRow] = []
        var tagged: [DeviceID: PersonID] = [:]
    }

    private var conditions: [DeviceID: ConditionRow]
    private var cards: [PersonID: CardHead]
    private var locates: [DeviceID: LocateRow]
    /// Devices whose last message had a tag that calls for help, and their people.
    private var tagged: [DeviceID: PersonID]
    /// Devices tagged by a message with a replaced secret. It may not come from the phone, whose
    /// own tag is still a call. Not stored: a restart forgets replaced secrets, too.
    private var formerlyTagged: Set<DeviceID> = []
    /// When the device log last recorded a repeated tag. Not stored: recorded again after a
    /// restart.
    private var tagsLogged: [DeviceID: Timestamp] = [:]
    /// When a wrong encryption key was last reported. For devices that had one before the process
    /// started, since when.
    private var wrongKeyReported: [DeviceID: Timestamp]
    /// Last press of "report", for devices where a double press counts.
    private var presses: [DeviceID: Timestamp] = [:]
    /// When a viewer last requested a person's location.
    private var requested: [ViewerKey: Timestamp] = [:]
    /// When a phone was last asked for its location. Not stored: asked again after a restart.
    private var requestSent: [DeviceID: Timestamp] = [:]
    /// Avatars sent to each phone. Not stored: sent again after a restart.
    private var avatars: [ViewerKey: SentAvatar] = [:]

    private struct ViewerKey: Hashable {
        var viewer: ID128
        var person: PersonID
    }

    private struct SentAvatar {
        var avatar: ID128
        var sent: Timestamp
    }

    init(_ stored: Stored) {
        conditions = Dictionary(uniqueKeysWithValues: stored.conditions.map { ($0.device, $0) })
        wrongKeyReported = conditions.filter { $1.impairments.contains(.undecryptable) }
            .mapValues(\.since)
        cards = stored.cards
        tagged = stored.tagged
        locates = Dictionary(uniqueKeysWithValues: stored.locates.map { ($0.device, $0) })
    }

    /// Number of devices that may fail to report.
    var impairedCount: Int { conditions.values.count(where: \.isImpaired) }

    func condition(of device: DeviceID) -> ConditionRow? { conditions[device] }

    /// Applies the status that a phone sent about itself and its person.
    ///
    /// - Parameter isLegible: whether the payload could be decrypted; nil = unchanged
    /// - Returns: the impairments, if the phone may fail to report from now on
    mutating func apply(
        _ status: DeviceStatus, isLegible: Bool? = nil, from device: DeviceID, of person: PersonID,
        at now: Timestamp, into effects: inout [Effect]
    ) -> [Impairment]? {
        var newImpairments: [Impairment]?
        if let impairments = impairments(
            of: device, person, reported: status.impairments, isLegible),
            condition(impairments, of: device, person, at: now, into: &effects),
            shouldReport(impairments, of: device, at: now)
        {
            newImpairments = impairments
        }
        if let card = status.card {
            let avatar =
                card.keepsAvatar ? cards[person]?.avatar : card.avatar.map { Hash.blake2b128($0) }
            let head = CardHead(name: card.name, avatar: avatar)
            if cards.updateValue(head, forKey: person) != head {
                effects.append(.device(.saveCard(person, card, avatar: avatar)))
            }
        }
        for zone in status.zones.prefix(Limits.suggestionsPerPerson) {
            let row = SuggestionRow(
                id: Devices.id(of: zone, from: device), person: person, device: device, zone: zone,
                suggested: now)
            effects.append(.device(.saveSuggestion(row)))
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
        _ impairments: [Impairment], of device: DeviceID, _ person: PersonID, at now: Timestamp,
        into effects: inout [Effect]
    ) -> Bool {
        let known = conditions[device]
        guard !impairments.isEmpty else {
            guard known != nil else { return false }
            conditions[device] = nil
            effects.append(.device(.removeCondition(device)))
            return false
        }
        guard known?.impairments != impairments || known?.person != person else { return false }
        let wasImpaired = known?.person == person && known?.isImpaired ?? false
        var row = ConditionRow(
            device: device, person: person, impairments: impairments, since: now)
        if wasImpaired, row.isImpaired, let known { row.since = known.since }
        conditions[device] = row
        effects.append(.device(.saveCondition(row)))
        return row.isImpaired && !wasImpaired
    }

    private static func id(of zone: SuggestedZone, from device: DeviceID) -> SuggestionID {
        SuggestionID(
            Hash.id(
                "offer", .id(device), .text(zone.key), .text(zone.name),
                .number(Int(zone.center.latitudeE7)), .number(Int(zone.center.longitudeE7)),
                .number(Int(zone.radiusMetres))))
    }

    /// Whether this press is the second within `limit` seconds. A third press starts over; a
    /// repeated message is no press.
    mutating func isDoublePressed(
        _ pressed: Timestamp, on device: DeviceID, withinSeconds limit: Int64
    ) -> Bool {
        guard let last = presses[device] else {
            presses[device] = pressed
            return false
        }
        guard pressed > last else { return false }
        let isTwice = pressed - last <= .seconds(limit)
        presses[device] = isTwice ? nil : pressed
        return isTwice
    }

    // MARK: Tags

    /// Records whether a device has a tag that calls for help.
    ///
    /// The app keeps a tag until its user removes it and sends it with every message. It is a call
    /// when it appears, in the order of the messages.
    ///
    /// - Returns: whether the device was tagged before
    mutating func updateTag(of batch: IncomingBatch, into effects: inout [Effect]) -> Bool {
        let device = batch.device
        let wasTagged = tagged[device] == batch.person
        guard !batch.isFromFormerSecret else {
            let wasFormerlyTagged = formerlyTagged.contains(device)
            if batch.status.isTagged == true { formerlyTagged.insert(device) }
            if batch.status.isTagged == false { formerlyTagged.remove(device) }
            return wasTagged || wasFormerlyTagged
        }
        guard let isTagged = batch.status.isTagged, isTagged != wasTagged else {
            return wasTagged
        }
        tagged[device] = isTagged ? batch.person : nil
        tagsLogged[device] = nil
        effects.append(
            .device(isTagged ? .saveTagged(device, batch.person) : .removeTagged(device)))
        return wasTagged
    }

    func isTagged(_ device: DeviceID) -> Bool { tagged[device] != nil }

    /// Whether the device log should record a repeated tag. At most once per fold interval, as it
    /// comes with every message.
    mutating func shouldLogTag(of device: DeviceID, at now: Timestamp) -> Bool {
        if let last = tagsLogged[device], now - last < .seconds(Limits.deviceLogFoldSeconds) {
            return false
        }
        tagsLogged[device] = now
        return true
    }

    // MARK: Cards

    /// Adds names and avatars of cards to friends. An avatar is omitted if the phone got it within
    /// the hour: avatars are large, and apps keep them. Cards without an avatar would remove it, so
    /// none is sent in between.
    mutating func addCards(
        to friends: inout [OwnTracks.Friend], for viewer: DeviceID, at now: Timestamp
    ) {
        for index in friends.indices {
            guard let person = friends[index].person, let head = cards[person] else { continue }
            if let name = head.name { friends[index].name = name }
            guard let avatar = head.avatar else { continue }
            let key = ViewerKey(viewer: viewer.raw, person: person)
            if let sent = avatars[key], sent.avatar == avatar,
                now - sent.sent < .seconds(Limits.avatarSeconds)
            {
                friends[index].card = .none
            } else {
                avatars[key] = SentAvatar(avatar: avatar, sent: now)
                friends[index].card = .avatar
            }
        }
    }

    // MARK: Locate now

    /// Records that a viewer (nil = the operator) requests a device's location.
    ///
    /// - Returns: nil, or the seconds until the next request is allowed
    mutating func requestLocation(
        for device: DeviceID, of person: PersonID, by viewer: PersonID?, at now: Timestamp,
        into effects: inout [Effect]
    ) -> Int? {
        let key = ViewerKey(viewer: viewer?.raw ?? .zero, person: person)
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
        locates[device] = row
        requestSent[device] = nil
        effects.append(.device(.saveLocate(row)))
        return nil
    }

    /// Whether the response to a phone asks for its location: until it replied, sent a fix taken
    /// since, or the request expired.
    ///
    /// It is asked at intervals only. A phone without a newer fix replies with an old one, and
    /// would be asked again by the response to that, as fast as it can.
    ///
    /// - Parameter newest: time of the device's newest fix
    mutating func shouldRequestLocation(
        _ batch: IncomingBatch, newest: Timestamp?, at now: Timestamp, into effects: inout [Effect]
    ) -> Bool {
        let device = batch.device
        guard let row = locates[device] else { return false }
        // Phones report whole seconds.
        let hasFix = newest.map { $0.seconds >= row.asked.seconds } ?? false
        let hasAnswered = batch.status.isReply && requestSent[device] != nil
        let isOver = now - row.asked > .seconds(Limits.locateWaitSeconds)
        guard !hasFix, !hasAnswered, !isOver else {
            locates[device] = nil
            requestSent[device] = nil
            effects.append(.device(.removeLocate(device)))
            return false
        }
        guard batch.canRequestLocation else { return false }
        if let last = requestSent[device], now - last < .seconds(Limits.locateAgainSeconds) {
            return false
        }
        requestSent[device] = now
        return true
    }

    // MARK: Removal

    mutating func forget(_ device: DeviceID, into effects: inout [Effect]) {
        conditions[device] = nil
        locates[device] = nil
        presses[device] = nil
        requestSent[device] = nil
        tagged[device] = nil
        tagsLogged[device] = nil
        formerlyTagged.remove(device)
        wrongKeyReported[device] = nil
        effects.append(.device(.forgetDevice(device)))
    }

    mutating func forget(_ person: PersonID, into effects: inout [Effect]) {
        for (device, row) in conditions where row.person == person { conditions[device] = nil }
        for (device, row) in locates where row.person == person {
            locates[device] = nil
            requestSent[device] = nil
        }
        cards[person] = nil
        tagged = tagged.filter { $0.value != person }
        effects.append(.device(.forgetPerson(person)))
    }
}
