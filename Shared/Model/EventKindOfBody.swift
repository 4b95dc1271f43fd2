extension EventBody {
    /// The kind that names this case on the wire.
    public var kind: EventKind {
        switch self {
        case .inputReport: .inputReport
        case .inputSignal: .inputSignal
        case .inputCancel: .inputCancel
        case .inputClock: .inputClock
        case .inputAcknowledgement: .inputAcknowledgement
        case .inputResolution: .inputResolution
        case .inputAdoption: .inputAdoption
        case .inputPerson: .inputPerson
        case .inputPersonRemoved: .inputPersonRemoved
        case .inputCircle: .inputCircle
        case .inputCircleRemoved: .inputCircleRemoved
        case .inputLogic: .inputLogic
        case .inputStanding: .inputStanding
        case .zoneEntered: .zoneEntered
        case .zoneExited: .zoneExited
        case .zoneInitial: .zoneInitial
        case .emergencyCountdown: .emergencyCountdown
        case .emergencyOpened: .emergencyOpened
        case .emergencyJoined: .emergencyJoined
        case .emergencyCancelled: .emergencyCancelled
        case .emergencyAcknowledged: .emergencyAcknowledged
        case .emergencyResolved: .emergencyResolved
        case .clockWanted: .clockWanted
        case .clockUnwanted: .clockUnwanted
        case .sosRaised: .sosRaised
        case .sosCancelled: .sosCancelled
        case .personChanged: .personChanged
        case .personRemoved: .personRemoved
        case .deviceChanged: .deviceChanged
        case .deviceRemoved: .deviceRemoved
        case .credentialChanged: .credentialChanged
        case .credentialRemoved: .credentialRemoved
        case .circleChanged: .circleChanged
        case .circleRemoved: .circleRemoved
        case .zoneChanged: .zoneChanged
        case .zoneRemoved: .zoneRemoved
        case .clockFired: .clockFired
        case .watchChanged: .watchChanged
        case .watchExpired: .watchExpired
        case .notificationChanged: .notificationChanged
        case .acknowledgementGiven: .acknowledgementGiven
        case .resolutionGiven: .resolutionGiven
        case .ladderAdopted: .ladderAdopted
        case .ladderTier: .ladderTier
        case .ladderExhausted: .ladderExhausted
        case .ladderStanding: .ladderStanding
        }
    }
}
