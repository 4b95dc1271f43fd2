import Hashing
import Model

/// Link of one recipient to the page of one emergency.
///
/// Each message about the emergency to the recipient contains it. It opens the page as long as the
/// emergency is active for them.
package struct PersonalLink: Hashable, Sendable, Codable {
    package var hash: LinkHash
    package var emergency: EmergencyID
    package var recipient: PersonID
    package var created: Timestamp
    /// How often its page was shown: somebody pressed *Show*.
    package var looks: Int
    package var firstLook: Timestamp?
    package var lastLook: Timestamp?

    init(hash: LinkHash, emergency: EmergencyID, recipient: PersonID, created: Timestamp) {
        self.hash = hash
        self.emergency = emergency
        self.recipient = recipient
        self.created = created
        looks = 0
    }
}
