import Directory
import MembershipCore
import Model

/// What somebody does to the account of another person, as the access log of that person shows it.
///
/// Ingest keeps the log; membership publishes `access.recorded` on `directory`. Accesses of people
/// to their own account are not recorded.
enum AccountAccess {
    /// The person concerned by a change, and its kind; nil = it concerns no other person's account.
    static func of(_ change: Change) -> (person: PersonID, kind: AccessKind)? {
        switch change {
        case .updatePerson(let person, _), .sendContactCode(let person, _, _),
            .verifyContact(let person, _, _), .testContact(let person, _):
            (person, .accountChange)
        case .createDevice(let person, _, _, _), .updateDevice(let person, _, _),
            .removeDevice(let person, _), .rotateCredential(let person, _, _),
            .createCredential(let person, _, _), .removeCredential(let person, _),
            // Its response shows the activation code.
            .createPerson(let person, _):
            (person, .credentials)
        case .removePerson, .activate, .endSession, .endSessions,
            .rotateOperatorToken, .rotateMonitorToken,
            .removeMonitorToken, .createCircle, .updateCircle, .removeCircle, .addMember,
            .updateMember, .removeMember, .invite, .revokeInvitation, .acceptInvitation,
            .replyToConsent, .createWard, .requestGuardianship, .createZone, .createZones,
            .updateZone, .removeZone,
            .optOut, .optIn, .acceptZone, .declineZone, .setNeverNotify, .setPIN, .mailZones,
            .createSet,
            .updateSet, .removeSet, .subscribe, .unsubscribe, .createMessage, .updateMessage,
            .removeMessage, .sendCode, .enterCode, .confirmMessage:
            nil
        }
    }

    /// Whether a request shows the account of the person in its path: contact points, devices and
    /// credentials.
    static func showsAccount(_ reading: Route.Reading) -> Bool {
        switch reading {
        case .person, .devices, .device, .credentials, .consents, .wards: true
        case .people, .setup, .sessions, .circles, .circle, .members, .member, .invitations,
            .invitation, .zones, .zone,
            .zoneFile,
            .applicableZones, .neverNotify, .pin, .sets, .set, .messages, .message, .rights,
            .rightsInCircle, .me:
            false
        }
    }
}

/// Remembers which accesses of this hour were published, so that readings are published once.
struct AccessRecords {
    private struct Reading: Hashable {
        var person: PersonID
        var viewer: PersonID?
        var reason: String?
    }

    private var hour: Int64 = 0
    private var recorded: Set<Reading> = []

    /// The record of a reading by somebody else; nil if it was published in this hour.
    mutating func reading(
        of person: PersonID, by principal: Principal, reason: String?, at now: Timestamp
    ) -> AccessRecord? {
        guard principal.person != person else { return nil }
        if now.seconds / 3600 != hour {
            hour = now.seconds / 3600
            recorded.removeAll(keepingCapacity: true)
        }
        let reading = Reading(person: person, viewer: principal.person, reason: reason)
        guard recorded.insert(reading).inserted else { return nil }
        return AccessRecord(
            person: person, viewer: principal.person, at: now, kind: .account, reason: reason)
    }

    /// Clears the memory after a rolled-back turn.
    mutating func reset() { recorded.removeAll() }
}
