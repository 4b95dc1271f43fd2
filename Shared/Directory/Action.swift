/// Everything that somebody may want to do, as the table of rights names it.
public enum Action: String, Sendable, Codable, CaseIterable {
    // About one person.
    /// Raise an emergency for oneself.
    case panic
    /// Take back one's own emergency.
    case cancelEmergency = "cancel-emergency"
    /// Start, extend, end or cancel a watch, a check-in or a timer.
    case watch
    /// Arm and disarm, close and silence the alarms of one's own devices; see how they should
    /// report.
    case answerAlarms = "answer-alarms"
    /// Start, stop, reset and delete journeys, and pin notes and photos to them.
    case keepJourneys = "keep-journeys"
    /// Pause, stop or resume sharing; change the precision.
    case changeSharing = "change-sharing"
    /// Leave a circle.
    case leaveCircle = "leave-circle"
    /// Accept an invitation.
    case acceptInvitation = "accept-invitation"
    case readAccessLog = "read-access-log"
    /// Read the account with contact points, devices and credentials.
    case readPerson = "read-person"
    /// Name, locale, time zone, leading device.
    case editProfile = "edit-profile"
    /// Devices and credentials.
    case editDevices = "edit-devices"
    case editContactPoints = "edit-contact-points"
    /// Zones that judge one person alone.
    case editPrivateZones = "edit-private-zones"
    /// One's private zones, and every zone by which one is judged.
    case readOwnZones = "read-own-zones"
    /// Not to be judged by a zone of somebody else any more.
    case refuseZone = "refuse-zone"
    case exportData = "export-data"
    case erase

    // About the positions of somebody in a circle.
    case readPosition = "read-position"
    /// Ask the phone for a position now.
    case locate
    case readHistory = "read-history"

    // About somebody's emergency.
    case readEmergency = "read-emergency"
    case acknowledge
    case resolve

    // About a circle.
    /// Name, members, roles: also what one is invited to.
    case readCircle = "read-circle"
    /// Zones say where people live: only for those who have joined.
    case readZones = "read-zones"
    case readTimeline = "read-timeline"
    case editZones = "edit-zones"
    /// Choose the sets whose zones judge the circle's members.
    case subscribeSets = "subscribe-sets"
    case editEscalation = "edit-escalation"
    /// Name and settings.
    case editCircle = "edit-circle"
    case deleteCircle = "delete-circle"
    case invite
    case removeMember = "remove-member"
    case changeRole = "change-role"
    case changeRetention = "change-retention"

    // About the suite.
    case createCircle = "create-circle"
    /// Sets of zones, which are offered to every circle.
    case readSets = "read-sets"
    /// Create and list people, see queues and quarantine, test gateways, rotate the operator's
    /// token.
    case administer
}
