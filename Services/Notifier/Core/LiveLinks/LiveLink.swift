import Directory
import Hashing
import Model

/// A link to the position of a person, for one named recipient without an account.
///
/// Anybody who has it may press *Show* on its page. It ends with what it was made for, at a time,
/// or when somebody revokes it; an ended link never opens again.
package struct LiveLink: Hashable, Sendable, Codable {
    /// What it was made for.
    package enum Purpose: Hashable, Sendable, Codable {
        /// Ends with the emergency.
        case emergency(EmergencyID)
        /// Ends with the watch; after a watch that expired it stays until its time.
        case watch(WatchID)
        /// Ends with the person's journey.
        case journey
        /// Ends at its time.
        case time

        package var emergency: EmergencyID? {
            if case .emergency(let id) = self { id } else { nil }
        }
    }

    /// Why it ended.
    package enum End: String, Hashable, Sendable, Codable {
        case revoked
        /// Its time is over.
        case expired
        /// The emergency, watch or journey is over.
        case over
        /// The person stopped or paused sharing with a circle.
        case sharingPaused = "sharing-paused"
    }

    package var id: LiveLinkID
    package var hash: LinkHash
    /// Whose position it shows.
    package var person: PersonID
    /// The name of the recipient, as its maker wrote it.
    package var recipient: String
    /// The person, or for an emergency one of its recipients.
    package var maker: PersonID
    package var purpose: Purpose
    package var created: Timestamp
    /// Positions from this time on are shown, and the newest one.
    package var since: Timestamp
    package var expires: Timestamp
    /// Zones that its page draws, as its maker chose.
    package var zones: [ZoneID]
    /// Circles with which the person shared when it was made: a pause in one of them ends it.
    package var sharedWith: [CircleID]
    package var ended: Timestamp?
    package var end: End?
    /// How often its page was shown: somebody pressed *Show*.
    package var looks: Int
    package var firstLook: Timestamp?
    /// The newest looks, oldest first.
    package var lookTimes: [Timestamp]

    init(
        _ request: LiveLinkRequest, maker: PersonID, purpose: Purpose, created: Timestamp,
        since: Timestamp, expires: Timestamp, sharedWith: [CircleID]
    ) {
        id = request.id
        hash = request.token.hash
        person = request.person
        recipient = request.recipient
        self.maker = maker
        self.purpose = purpose
        self.created = created
        self.since = since
        self.expires = expires
        zones = request.zones
        self.sharedWith = sharedWith
        looks = 0
        lookTimes = []
    }

    /// Whether it is open at a time.
    package func isOpen(at now: Timestamp) -> Bool { ended == nil && now < expires }

    package var isOfItsPerson: Bool { maker == person }
}

/// Asks for a link.
package struct LiveLinkRequest: Sendable {
    package enum Purpose: Hashable, Sendable {
        case emergency(EmergencyID)
        /// The person's running watch.
        case watch
        case journey
        case time
    }

    /// Id of the HTTP request, for the answer.
    package var request: UInt64
    package var principal: Principal
    package var person: PersonID
    package var id: LiveLinkID
    package var token: LinkToken
    package var recipient: String
    package var purpose: Purpose
    /// Nil = the usual time.
    package var length: Duration?
    package var zones: [ZoneID]

    package init(
        request: UInt64, principal: Principal, person: PersonID, id: LiveLinkID, token: LinkToken,
        recipient: String, purpose: Purpose, length: Duration? = nil, zones: [ZoneID] = []
    ) {
        self.request = request
        self.principal = principal
        self.person = person
        self.id = id
        self.token = token
        self.recipient = recipient
        self.purpose = purpose
        self.length = length
        self.zones = zones
    }
}

/// Revokes a link.
package struct LiveLinkRevocation: Sendable {
    package var request: UInt64
    package var principal: Principal
    package var person: PersonID
    package var link: LiveLinkID

    package init(request: UInt64, principal: Principal, person: PersonID, link: LiveLinkID) {
        self.request = request
        self.principal = principal
        self.person = person
        self.link = link
    }
}

/// Result of a request about a live link.
package enum LiveLinkAnswer: Hashable, Sendable {
    /// With the only copy of its token.
    case made(LiveLink, LinkToken)
    case revoked
    case unknown
    case denied(Denial)
    /// No such emergency, or the caller may not know of it.
    case unknownEmergency
    /// The caller does not see the exact position themselves.
    case positionNotShared
    /// The person has no running watch.
    case noWatch
    /// Of a zone that is not theirs to show.
    case zoneNotTheirs
    case tooMany
}
