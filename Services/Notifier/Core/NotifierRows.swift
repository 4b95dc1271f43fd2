import Model

/// Stored state that the notifier loads at its start.
package struct NotifierRows: Sendable {
    /// Active and recently ended ones.
    package var emergencies: [Emergency] = []
    package var escalations: [CircleEscalation] = []
    package var signals: [SignalWait] = []
    /// Pending ones, and those of active or recent emergencies.
    package var notifications: [Notification] = []
    package var gateways: [GatewayHealth] = []
    package var numbers: [NumberState] = []
    /// Of those emergencies.
    package var links: [PersonalLink] = []
    /// That have not ended.
    package var liveLinks: [LiveLink] = []
    package var watches: [OwnWatch] = []
    package var questions: [OwnQuestion] = []
    package var positionQueries: [PositionQueryRow] = []
    /// Running and recently ended ones.
    package var drills: [Drill] = []
    package var drillSchedules: [DrillSchedule] = []

    package init() {}
}
