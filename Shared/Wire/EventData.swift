import Model
import Parsing

extension EventBody {
    /// What the event says, as a tree.
    func data() throws(ParseError) -> JSON {
        switch self {
        case .inputReport(let report): try JSON.encode(report)
        case .inputReports(let batch): try JSON.encode(batch)
        case .inputSignal(let signal), .inputAdoption(let signal), .sosRaised(let signal),
            .watchExpired(let signal), .ladderAdopted(let signal), .signalGiven(let signal):
            try JSON.encode(signal)
        case .inputCancel(let cancel), .sosCancelled(let cancel): try JSON.encode(cancel)
        case .sosLocated(let place): try JSON.encode(place)
        case .inputClock(let fired), .clockFired(let fired): try JSON.encode(fired)
        case .inputAcknowledgement(let answer), .inputResolution(let answer),
            .acknowledgementGiven(let answer), .resolutionGiven(let answer):
            try JSON.encode(answer)
        case .inputPerson(let placed): try JSON.encode(placed)
        case .inputPersonRemoved(let removal), .personRemoved(let removal): try JSON.encode(removal)
        case .inputCircle(let placed): try JSON.encode(placed)
        case .inputCircleRemoved(let removal), .circleRemoved(let removal):
            try JSON.encode(removal)
        case .inputLogic(let version): try JSON.encode(version)
        case .inputSet(let placed): try JSON.encode(placed)
        case .inputSetRemoved(let removal), .setRemoved(let removal): try JSON.encode(removal)
        case .inputArming(let arming): try JSON.encode(arming)
        case .inputAlarmAnswer(let answer): try JSON.encode(answer)
        case .zoneEntered(let crossing), .zoneExited(let crossing), .zoneInitial(let crossing),
            .zoneApproached(let crossing), .zoneDwelled(let crossing),
            .zoneWithheld(let crossing), .zoneReceded(let crossing),
            .zoneForgotten(let crossing):
            try JSON.encode(crossing)
        case .zoneAbsent(let absence): try JSON.encode(absence)
        case .messagesDue(let due): try JSON.encode(due)
        case .inputSilenceTerms, .inputContact, .inputWatch, .inputDeafness, .inputSilenceHold,
            .inputBlindness, .phoneBlind, .silenceQuiet, .silenceOverdue, .silenceLost,
            .silenceEnded, .batteryLow, .contactGiven, .policyChanged, .alarmStarted,
            .alarmRepeated, .alarmEnded, .accessRecorded:
            try phoneData()
        case .emergencyCountdown(let news), .emergencyOpened(let news), .emergencyJoined(let news),
            .emergencyCancelled(let news), .emergencyAcknowledged(let news),
            .emergencyResolved(let news):
            try JSON.encode(news)
        case .clockWanted(let clock), .clockUnwanted(let clock): try JSON.encode(clock)
        case .personChanged(let person): try JSON.encode(person)
        case .deviceChanged(let device): try JSON.encode(device)
        case .deviceRemoved(let removal): try JSON.encode(removal)
        case .credentialChanged(let credential): try JSON.encode(credential)
        case .credentialRemoved(let removal): try JSON.encode(removal)
        case .circleChanged(let circle): try JSON.encode(circle)
        case .zoneChanged(let zone): try JSON.encode(zone)
        case .zoneRemoved(let removal): try JSON.encode(removal)
        case .setChanged(let set): try JSON.encode(set)
        case .messageChanged(let message): try JSON.encode(message)
        case .messageRemoved(let removal): try JSON.encode(removal)
        case .messageRequested(let message): try JSON.encode(message)
        case .watchChanged(let watch): try JSON.encode(watch)
        case .retentionDue(let round): try JSON.encode(round)
        case .notificationChanged, .reachabilityChanged, .ladderTier, .ladderExhausted,
            .inputStanding, .ladderStanding:
            try deliveryData()
        }
    }

    /// Reads what ``data()`` writes.
    init(kind: EventKind, data: JSON) throws(ParseError) {
        func read<Value: Decodable>() throws(ParseError) -> Value { try data.decode(Value.self) }
        switch kind {
        case .inputReport: self = .inputReport(try read())
        case .inputReports: self = .inputReports(try read())
        case .inputSignal: self = .inputSignal(try read())
        case .inputCancel: self = .inputCancel(try read())
        case .inputClock: self = .inputClock(try read())
        case .inputAcknowledgement: self = .inputAcknowledgement(try read())
        case .inputResolution: self = .inputResolution(try read())
        case .inputAdoption: self = .inputAdoption(try read())
        case .inputPerson: self = .inputPerson(try read())
        case .inputPersonRemoved: self = .inputPersonRemoved(try read())
        case .inputCircle: self = .inputCircle(try read())
        case .inputCircleRemoved: self = .inputCircleRemoved(try read())
        case .inputLogic: self = .inputLogic(try read())
        case .inputSet: self = .inputSet(try read())
        case .inputSetRemoved: self = .inputSetRemoved(try read())
        case .inputArming: self = .inputArming(try read())
        case .inputAlarmAnswer: self = .inputAlarmAnswer(try read())
        case .emergencyCountdown: self = .emergencyCountdown(try read())
        case .emergencyOpened: self = .emergencyOpened(try read())
        case .emergencyJoined: self = .emergencyJoined(try read())
        case .emergencyCancelled: self = .emergencyCancelled(try read())
        case .emergencyAcknowledged: self = .emergencyAcknowledged(try read())
        case .emergencyResolved: self = .emergencyResolved(try read())
        case .clockWanted: self = .clockWanted(try read())
        case .clockUnwanted: self = .clockUnwanted(try read())
        case .messagesDue: self = .messagesDue(try read())
        case .sosRaised: self = .sosRaised(try read())
        case .sosCancelled: self = .sosCancelled(try read())
        case .sosLocated: self = .sosLocated(try read())
        case .clockFired: self = .clockFired(try read())
        case .watchChanged: self = .watchChanged(try read())
        case .watchExpired: self = .watchExpired(try read())
        case .retentionDue: self = .retentionDue(try read())
        case .notificationChanged, .reachabilityChanged, .ladderTier, .ladderExhausted,
            .inputStanding, .ladderStanding:
            try self.init(deliveries: kind, data)
        case .acknowledgementGiven: self = .acknowledgementGiven(try read())
        case .resolutionGiven: self = .resolutionGiven(try read())
        case .ladderAdopted: self = .ladderAdopted(try read())
        case .signalGiven: self = .signalGiven(try read())
        case .personChanged, .personRemoved, .deviceChanged, .deviceRemoved, .credentialChanged,
            .credentialRemoved, .circleChanged, .circleRemoved, .zoneChanged, .zoneRemoved,
            .setChanged, .setRemoved, .messageChanged, .messageRemoved, .messageRequested:
            try self.init(directory: kind, data)
        case .zoneEntered, .zoneExited, .zoneInitial, .zoneApproached, .zoneDwelled,
            .zoneWithheld, .zoneAbsent, .zoneReceded, .zoneForgotten:
            try self.init(zones: kind, data)
        case .inputSilenceTerms, .inputContact, .inputWatch, .inputDeafness, .inputSilenceHold,
            .inputBlindness, .phoneBlind, .silenceQuiet, .silenceOverdue, .silenceLost,
            .silenceEnded, .batteryLow, .contactGiven, .policyChanged, .alarmStarted,
            .alarmRepeated, .alarmEnded, .accessRecorded:
            try self.init(phones: kind, data)
        }
    }

    /// What became of notifying people, and who can be reached.
    private func deliveryData() throws(ParseError) -> JSON {
        switch self {
        case .notificationChanged(let news): try JSON.encode(news)
        case .reachabilityChanged(let news): try JSON.encode(news)
        case .ladderTier(let news), .ladderExhausted(let news): try JSON.encode(news)
        case .inputStanding(let standing), .ladderStanding(let standing):
            try JSON.encode(standing)
        default: fatalError("broken invariant: \(kind.type) is of deliveries")
        }
    }

    /// Reads what became of notifying people, and who can be reached.
    private init(deliveries kind: EventKind, _ data: JSON) throws(ParseError) {
        func read<Value: Decodable>(_ type: Value.Type = Value.self) throws(ParseError) -> Value {
            try data.decode(type)
        }
        switch kind {
        case .notificationChanged: self = .notificationChanged(try read())
        case .reachabilityChanged: self = .reachabilityChanged(try read())
        case .ladderTier: self = .ladderTier(try read())
        case .ladderExhausted: self = .ladderExhausted(try read())
        case .inputStanding: self = .inputStanding(try read())
        case .ladderStanding: self = .ladderStanding(try read())
        default: fatalError("broken invariant: \(kind.type) is of deliveries")
        }
    }

    /// What phones are told, and what is said of those that are not heard, or soon will not be.
    private func phoneData() throws(ParseError) -> JSON {
        switch self {
        case .alarmStarted(let news), .alarmRepeated(let news), .alarmEnded(let news):
            try JSON.encode(news)
        case .policyChanged(let policy): try JSON.encode(policy)
        case .inputSilenceTerms(let terms): try JSON.encode(terms)
        case .inputContact(let contact), .contactGiven(let contact): try JSON.encode(contact)
        case .inputWatch(let span): try JSON.encode(span)
        case .inputDeafness(let deafness): try JSON.encode(deafness)
        case .inputSilenceHold(let hold): try JSON.encode(hold)
        case .silenceQuiet(let news), .silenceOverdue(let news), .silenceLost(let news),
            .silenceEnded(let news):
            try JSON.encode(news)
        case .batteryLow(let news): try JSON.encode(news)
        case .accessRecorded(let record): try JSON.encode(record)
        case .inputBlindness(let blindness), .phoneBlind(let blindness):
            try JSON.encode(blindness)
        default: fatalError("broken invariant: \(kind.type) is of phones")
        }
    }

    /// Reads what phones are told, and what is said of those that are not heard.
    private init(phones kind: EventKind, _ data: JSON) throws(ParseError) {
        func read<Value: Decodable>(_ type: Value.Type = Value.self) throws(ParseError) -> Value {
            try data.decode(type)
        }
        switch kind {
        case .alarmStarted: self = .alarmStarted(try read())
        case .alarmRepeated: self = .alarmRepeated(try read())
        case .alarmEnded: self = .alarmEnded(try read())
        case .policyChanged: self = .policyChanged(try read())
        case .inputSilenceTerms: self = .inputSilenceTerms(try read())
        case .inputContact: self = .inputContact(try read())
        case .accessRecorded: self = .accessRecorded(try read())
        case .contactGiven: self = .contactGiven(try read())
        case .inputWatch: self = .inputWatch(try read())
        case .inputDeafness: self = .inputDeafness(try read())
        case .inputSilenceHold: self = .inputSilenceHold(try read())
        case .silenceQuiet: self = .silenceQuiet(try read())
        case .silenceOverdue: self = .silenceOverdue(try read())
        case .silenceLost: self = .silenceLost(try read())
        case .silenceEnded: self = .silenceEnded(try read())
        case .batteryLow: self = .batteryLow(try read())
        case .inputBlindness: self = .inputBlindness(try read())
        case .phoneBlind: self = .phoneBlind(try read())
        default: fatalError("broken invariant: \(kind.type) is of phones")
        }
    }

    /// Reads an event of the `directory` stream.
    private init(directory kind: EventKind, _ data: JSON) throws(ParseError) {
        func read<Value: Decodable>(_ type: Value.Type = Value.self) throws(ParseError) -> Value {
            try data.decode(type)
        }
        switch kind {
        case .personChanged: self = .personChanged(try read())
        case .personRemoved: self = .personRemoved(try read())
        case .deviceChanged: self = .deviceChanged(try read())
        case .deviceRemoved: self = .deviceRemoved(try read())
        case .credentialChanged: self = .credentialChanged(try read())
        case .credentialRemoved: self = .credentialRemoved(try read())
        case .circleChanged: self = .circleChanged(try read())
        case .circleRemoved: self = .circleRemoved(try read())
        case .zoneChanged: self = .zoneChanged(try read())
        case .zoneRemoved: self = .zoneRemoved(try read())
        case .setChanged: self = .setChanged(try read())
        case .setRemoved: self = .setRemoved(try read())
        case .messageChanged: self = .messageChanged(try read())
        case .messageRemoved: self = .messageRemoved(try read())
        case .messageRequested: self = .messageRequested(try read())
        default: fatalError("broken invariant: \(kind.type) is of the directory")
        }
    }

    /// Reads what was decided about a person and a zone.
    private init(zones kind: EventKind, _ data: JSON) throws(ParseError) {
        if kind == .zoneAbsent {
            self = .zoneAbsent(try data.decode(ZoneAbsence.self))
            return
        }
        let crossing = try data.decode(ZoneCrossing.self)
        switch kind {
        case .zoneEntered: self = .zoneEntered(crossing)
        case .zoneExited: self = .zoneExited(crossing)
        case .zoneInitial: self = .zoneInitial(crossing)
        case .zoneApproached: self = .zoneApproached(crossing)
        case .zoneReceded: self = .zoneReceded(crossing)
        case .zoneDwelled: self = .zoneDwelled(crossing)
        case .zoneForgotten: self = .zoneForgotten(crossing)
        case .zoneWithheld: self = .zoneWithheld(crossing)
        default: fatalError("broken invariant: \(kind.type) is of zones")
        }
    }
}
