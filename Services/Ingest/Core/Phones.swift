import Dialects
import Hashing
import Model

/// What ingest knows of phones beside their reports.
struct Phones {
    /// Everything of it that survives the process.
    struct Stored {
        var conditions: [ConditionRow] = []
        var cards: [PersonID: CardHead] = [:]
        var locates: [LocateRow] = []
        var tagged: [DeviceID: PersonID] = [:]
    }

    private var conditions: [DeviceID: ConditionRow]
    private var cards: [PersonID: CardHead]
    private var locates: [DeviceID: LocateRow]
    /// Phones whose last message had a tag that calls for help, and whose they are.
    private var tagged: [DeviceID: PersonID]
    /// Phones of which somebody with a secret that was replaced said so: it may not be the phone,
    /// whose own tag is a call. Not stored: a restart forgets such secrets, too.
    private var formerlyTagged: Set<DeviceID> = []
    /// When the diary said last that a tag was no further call. Not stored: it is said once more.
    private var tagsNoted: [DeviceID: Timestamp] = [:]
    /// When it was told last that a phone has another key. Of those that had one before the
    /// process began, since when.
    private var illegible: [DeviceID: Timestamp]
    /// When "report" was pressed last, of phones for which pressing it twice means something.
    private var presses: [DeviceID: Timestamp] = [:]
    /// When a viewer last asked for a person.
    private var asked: [Look: Timestamp] = [:]
    /// When a phone was told last that somebody asks. Not stored: after a restart it is told again.
    private var told: [DeviceID: Timestamp] = [:]
    /// Faces that a phone has been sent. Not stored: after a restart they are sent once more.
    private var faces: [Look: SentFace] = [:]

    private struct Look: Hashable {
        var viewer: ID128
        var person: PersonID
    }

    private struct SentFace {
        var face: ID128
        var sent: Timestamp
    }

    init(_ stored: Stored) {
        conditions = Dictionary(uniqueKeysWithValues: stored.conditions.map { ($0.device, $0) })
        illegible = conditions.filter { $1.hindrances.contains(.undecryptable) }
            .mapValues(\.since)
        cards = stored.cards
        tagged = stored.tagged
        locates = Dictionary(uniqueKeysWithValues: stored.locates.map { ($0.device, $0) })
    }

    /// How many phones may fall silent.
    var blindCount: Int { conditions.values.count(where: \.isBlind) }

    func condition(of device: DeviceID) -> ConditionRow? { conditions[device] }

    /// Takes in what a phone tells of itself and of its person.
    ///
    /// - Parameter isLegible: whether what it sends can be read; nil = as before.
    /// - Returns: what keeps it from reporting, where it may fall silent from now on
    mutating func hear(
        _ news: PhoneNews, isLegible: Bool? = nil, from device: DeviceID, of person: PersonID,
        at now: Timestamp, into effects: inout [Effect]
    ) -> [Hindrance]? {
        var blinding: [Hindrance]?
        if let hindrances = hindrances(of: device, person, told: news.hindrances, isLegible),
            condition(hindrances, of: device, person, at: now, into: &effects),
            isToBeTold(hindrances, of: device, at: now)
        {
            blinding = hindrances
        }
        if let card = news.card {
            let face =
                card.keepsFace ? cards[person]?.face : card.face.map { Hash.blake2b128($0) }
            let head = CardHead(name: card.name, face: face)
            if cards.updateValue(head, forKey: person) != head {
                effects.append(.phone(.saveCard(person, card, face: face)))
            }
        }
        for zone in news.zones.prefix(Limits.offersPerPerson) {
            let row = OfferRow(
                id: Phones.id(of: zone, from: device), person: person, device: device, zone: zone,
                offered: now)
            effects.append(.phone(.saveOffer(row)))
        }
        return blinding
    }

    /// Everything that keeps a phone from reporting from now on, ascending; nil = as before.
    private func hindrances(
        of device: DeviceID, _ person: PersonID, told: [Hindrance]?, _ isLegible: Bool?
    ) -> [Hindrance]? {
        let row = conditions[device]
        let known = row?.person == person ? row?.hindrances ?? [] : []
        let wasIllegible = known.contains(.undecryptable)
        let isIllegible = isLegible.map(!) ?? wasIllegible
        guard told != nil || isIllegible != wasIllegible else { return nil }
        let others = (told ?? known).filter { $0 != .undecryptable }
        return isIllegible ? (others + [.undecryptable]).sorted() : others
    }

    /// Two apps with one token, of which one has another key, take turns: that is told once a day.
    private mutating func isToBeTold(
        _ hindrances: [Hindrance], of device: DeviceID, at now: Timestamp
    ) -> Bool {
        guard hindrances.filter(\.makesBlind) == [.undecryptable] else { return true }
        if let last = illegible[device], now - last < .seconds(Limits.illegibleSeconds) {
            return false
        }
        illegible[device] = now
        return true
    }

    /// - Returns: whether the phone may fall silent and might not before
    private mutating func condition(
        _ hindrances: [Hindrance], of device: DeviceID, _ person: PersonID, at now: Timestamp,
        into effects: inout [Effect]
    ) -> Bool {
        let known = conditions[device]
        guard !hindrances.isEmpty else {
            guard known != nil else { return false }
            conditions[device] = nil
            effects.append(.phone(.removeCondition(device)))
            return false
        }
        guard known?.hindrances != hindrances || known?.person != person else { return false }
        let wasBlind = known?.person == person && known?.isBlind ?? false
        var row = ConditionRow(
            device: device, person: person, hindrances: hindrances, since: now)
        if wasBlind, row.isBlind, let known { row.since = known.since }
        conditions[device] = row
        effects.append(.phone(.saveCondition(row)))
        return row.isBlind && !wasBlind
    }

    private static func id(of zone: OfferedZone, from device: DeviceID) -> OfferID {
        OfferID(
            Hash.id(
                "offer", .id(device), .text(zone.key), .text(zone.name),
                .number(Int(zone.center.latitudeE7)), .number(Int(zone.center.longitudeE7)),
                .number(Int(zone.radiusMetres))))
    }

    /// Whether "report" was pressed twice within so many seconds; the third time starts anew, and
    /// the same press told again is none.
    mutating func isPressedTwice(
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

    /// Notes whether a phone has a tag that calls for help.
    ///
    /// The app keeps a tag until its person takes it away, and sends it with every message: it is a
    /// call when it appears, in the order in which the messages come.
    ///
    /// - Returns: whether it had one before
    mutating func hearTag(of delivery: Delivery, into effects: inout [Effect]) -> Bool {
        let device = delivery.device
        let wasTagged = tagged[device] == delivery.person
        guard !delivery.isByFormerSecret else {
            let wasToldSo = formerlyTagged.contains(device)
            if delivery.news.isTagged == true { formerlyTagged.insert(device) }
            if delivery.news.isTagged == false { formerlyTagged.remove(device) }
            return wasTagged || wasToldSo
        }
        guard let isTagged = delivery.news.isTagged, isTagged != wasTagged else {
            return wasTagged
        }
        tagged[device] = isTagged ? delivery.person : nil
        tagsNoted[device] = nil
        effects.append(
            .phone(isTagged ? .saveTagged(device, delivery.person) : .removeTagged(device)))
        return wasTagged
    }

    func isTagged(_ device: DeviceID) -> Bool { tagged[device] != nil }

    /// Whether the diary is to say that a tag which came again is no further call: now and then, as
    /// it comes with every message.
    mutating func isTagToBeNoted(of device: DeviceID, at now: Timestamp) -> Bool {
        if let last = tagsNoted[device], now - last < .seconds(Limits.diaryFoldSeconds) {
            return false
        }
        tagsNoted[device] = now
        return true
    }

    // MARK: Cards

    /// Friends with the names of their cards, and faces where the phone has not had them within
    /// the hour: they are large, and apps keep them. As a card without a face would take it away,
    /// there is none in between.
    mutating func dress(
        _ friends: inout [OwnTracks.Friend], for viewer: DeviceID, at now: Timestamp
    ) {
        for index in friends.indices {
            guard let person = friends[index].person, let head = cards[person] else { continue }
            if let name = head.name { friends[index].name = name }
            guard let face = head.face else { continue }
            let look = Look(viewer: viewer.raw, person: person)
            if let sent = faces[look], sent.face == face,
                now - sent.sent < .seconds(Limits.faceSeconds)
            {
                friends[index].card = .none
            } else {
                faces[look] = SentFace(face: face, sent: now)
                friends[index].card = .face
            }
        }
    }

    // MARK: Locate now

    /// Notes that a viewer (nil = the operator) wants to know where a phone is.
    ///
    /// - Returns: nil, or in how many seconds they may ask again.
    mutating func ask(
        for device: DeviceID, of person: PersonID, by viewer: PersonID?, at now: Timestamp,
        into effects: inout [Effect]
    ) -> Int? {
        let look = Look(viewer: viewer?.raw ?? .zero, person: person)
        if let last = asked[look] {
            let next = last + .seconds(Limits.locateSeconds)
            guard now >= next else {
                return max(1, Int((next - now).microseconds + 999_999) / 1_000_000)
            }
        }
        if asked.count >= Limits.locatesRemembered {
            asked = asked.filter { now - $0.value < .seconds(Limits.locateSeconds) }
        }
        asked[look] = now
        let row = LocateRow(device: device, person: person, asked: now)
        locates[device] = row
        told[device] = nil
        effects.append(.phone(.saveLocate(row)))
        return nil
    }

    /// Whether the answer to a phone asks it where it is: until it has answered, or a fix taken
    /// since has come, or for so long that nobody waits any more.
    ///
    /// It is told now and then only: a phone that has no newer fix than the question answers with
    /// an old one, and would be told again by the answer to that, as fast as it can.
    ///
    /// - Parameter newest: time of its newest fix
    mutating func asks(
        _ delivery: Delivery, newest: Timestamp?, at now: Timestamp, into effects: inout [Effect]
    ) -> Bool {
        let device = delivery.device
        guard let row = locates[device] else { return false }
        // Phones say whole seconds.
        let hasFix = newest.map { $0.seconds >= row.asked.seconds } ?? false
        let hasAnswered = delivery.news.isReply && told[device] != nil
        let isOver = now - row.asked > .seconds(Limits.locateWaitSeconds)
        guard !hasFix, !hasAnswered, !isOver else {
            locates[device] = nil
            told[device] = nil
            effects.append(.phone(.removeLocate(device)))
            return false
        }
        guard delivery.canBeAsked else { return false }
        if let last = told[device], now - last < .seconds(Limits.locateAgainSeconds) {
            return false
        }
        told[device] = now
        return true
    }

    // MARK: Gone

    mutating func forget(_ device: DeviceID, into effects: inout [Effect]) {
        conditions[device] = nil
        locates[device] = nil
        presses[device] = nil
        told[device] = nil
        tagged[device] = nil
        tagsNoted[device] = nil
        formerlyTagged.remove(device)
        illegible[device] = nil
        effects.append(.phone(.forgetDevice(device)))
    }

    mutating func forget(_ person: PersonID, into effects: inout [Effect]) {
        for (device, row) in conditions where row.person == person { conditions[device] = nil }
        for (device, row) in locates where row.person == person {
            locates[device] = nil
            told[device] = nil
        }
        cards[person] = nil
        tagged = tagged.filter { $0.value != person }
        effects.append(.phone(.forgetPerson(person)))
    }
}
