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
    package var watches: [OwnWatch] = []

    package init() {}
}
