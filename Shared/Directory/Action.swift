/// Action of a principal, as the table of rights names it.
public enum Action: String, Sendable, Codable, CaseIterable {
    // About one person.
    /// Raise an emergency for oneself.
    case panic
    /// Cancel one's own emergency.
    case cancelEmergency = "cancel-emergency"
    /// Start, extend, end or cancel a watch, a check-in or a timer.
    case watch
    /// Arm and disarm zone alarms of one's own devices, dismiss and snooze them, and read the
    /// devices' reporting policy.
    case answerAlarms = "answer-alarms"
    /// Start, stop, reset and delete journeys; attach notes and photos to them.
    case keepJourneys = "keep-journeys"
    /// Pause, stop or resume sharing; change the precision.
    case changeSharing = "change-sharing"
    /// Leave a circle.
    case leaveCircle = "leave-circle"
    /// Accept an invitation.
    case acceptInvitation = "accept-invitation"
    case readAccessLog = "read-access-log"
    /// Read the account, including contact points, devices and credentials.
    case readPerson = "read-person"
    /// Edit the name.
    case editName = "edit-name"
    /// Edit locale, time zone and primary device.
    case editProfile = "edit-profile"
    /// Edit devices and credentials.
    case editDevices = "edit-devices"
    case editContactPoints = "edit-contact-points"
    /// Verify a contact point by code, and test it.
    case verifyContactPoint = "verify-contact-point"
    /// Edit zones that apply to one person only.
    case editPrivateZones = "edit-private-zones"
    /// Read one's private zones and all zones that apply to oneself.
    case readOwnZones = "read-own-zones"
    /// Opt out of a zone of somebody else.
    case optOutOfZones = "opt-out-of-zones"
    /// Read and edit one's never-notify list.
    case editNeverNotifyList = "edit-never-notify-list"
    /// Set, change and remove the PIN and the duress PIN.
    case editPIN = "edit-pin"
    case exportData = "export-data"
    case erase
    /// Change the plan of an account.
    case changePlan = "change-plan"
    /// Agree that others see more, or withdraw that.
    case answerConsents = "answer-consents"
    /// Create a ward, or ask to become another guardian of one.
    case declareWard = "declare-ward"
    /// Make, list and revoke links to one's own position for people without an account.
    case makeLiveLinks = "make-live-links"

    // About the positions of a person in a circle.
    case readPosition = "read-position"
    /// Ask the phone for a position now.
    case locate
    case readHistory = "read-history"

    // About an emergency of a person.
    /// Raise an emergency on behalf of somebody else.
    case panicForOther = "panic-for-other"
    case readEmergency = "read-emergency"
    case acknowledge
    case resolve
    /// Make a link to an emergency for somebody without an account.
    case shareEmergency = "share-emergency"

    // About a circle.
    /// Read name, members and roles, also of a circle that one is invited to.
    case readCircle = "read-circle"
    /// Read zones. They reveal where people live, so only joined members may.
    case readZones = "read-zones"
    case readTimeline = "read-timeline"
    case editZones = "edit-zones"
    /// Choose the sets whose zones apply to the circle's members.
    case subscribeSets = "subscribe-sets"
    case editEscalation = "edit-escalation"
    /// Read how ready members and circle are for an emergency, and the reports of drills. Members
    /// see only what is about themselves.
    case readReadiness = "read-readiness"
    /// Start, stop and schedule drills.
    case startDrill = "start-drill"
    /// Edit name and settings.
    case editCircle = "edit-circle"
    case deleteCircle = "delete-circle"
    case invite
    case removeMember = "remove-member"
    case changeRole = "change-role"
    case changeRetention = "change-retention"

    // About the suite.
    case createCircle = "create-circle"
    /// Read the sets of zones that are available to every circle.
    case readSets = "read-sets"
    /// List emergencies of all circles, with whom to call and who was notified.
    case readIncidents = "read-incidents"
    /// Create and list people, read queues and quarantine, test gateways, rotate the operator's
    /// token.
    case administer

    /// What an action is performed on.
    public enum Target: String, Sendable, CaseIterable {
        case person, member, emergency, circle, suite
    }

    /// A ``RightsTarget`` of this form is needed to decide about it.
    public var target: Target { RightsTable.standard[self].target }
}
