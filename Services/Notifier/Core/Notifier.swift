import Directory
import Model
import Timing

/// Core of the notifier: decides whom to notify, when, and through which gateway.
///
/// A pure function of its inputs. Time, the directory and results of attempts come in; rows, events
/// and attempts come out.
///
///     var notifier = Notifier(configuration, from: NotifierRows(), at: now)
///     notifier.handle(.event(event), at: now, in: directory, into: &effects)
public struct Notifier: Sendable {
    let configuration: NotifierConfiguration
    var emergencies: [EmergencyID: Emergency] = [:]
    /// Active emergencies of each person, oldest first.
    var activeOf: [PersonID: [EmergencyID]] = [:]
    /// By circle, ascending.
    var escalations: [EmergencyID: [Escalation]] = [:]
    var signals: [EmergencyID: SignalWait] = [:]
    var notifications: [NotificationID: Notification] = [:]
    var notificationsOf: [EmergencyID: [NotificationID]] = [:]
    var gateways: [String: GatewayHealth] = [:]
    /// Addresses with a known state, such as an opt-out or recent texts.
    var numbers: [String: NumberState] = [:]
    /// Reachability as last published.
    var reachability = Reachability()
    var deliveryQueue = DeliveryQueue()
    var orderedDeliveries = OrderedDeliveries()
    var deadlines = Deadlines()
    /// The last outage; items that became due during it are held for the operator.
    var outage: Outage?
    /// Whether the hold has ended.
    var isHoldOver = false
    /// Expired deadlines whose effect is held, in no order.
    var postponed: [DeadlineID: (deadline: Deadline, purpose: DeadlinePurpose)] = [:]
    /// In-flight attempts by timeout; one without a result has an unknown outcome.
    var inFlightAttempts = DeadlineQueue<(NotificationID, attempt: Int)>()
    /// Requests that wait for the result of their test message.
    var tests: [NotificationID: UInt64] = [:]
    var zones: [String: TimeZoneRules] = [:]
    var nextSweep = Timestamp.zero

    /// Creates a notifier from its stored state.
    ///
    /// Attempts that were in flight stay so until ``Input/started``.
    ///
    /// - Parameter outage: items that became due during it are held
    public init(
        _ configuration: NotifierConfiguration, from rows: NotifierRows, at now: Timestamp,
        after outage: Outage? = nil
    ) {
        self.configuration = configuration
        self.outage = outage
        for gateway in configuration.gateways {
            gateways[gateway.name] = GatewayHealth(name: gateway.name)
        }
        load(rows, at: now)
        loadReachability()
    }

    /// Handles one input and appends its effects.
    public mutating func handle(
        _ input: Input, at now: Timestamp, in directory: Replica, into effects: inout [Effect]
    ) {
        var turn = Turn(now: now, directory: directory)
        switch input {
        case .started: start(&turn)
        case .event(let event):
            turn.trace = event.trace
            turn.cause = event.time
            endOutageHold(for: event, &turn)
            apply(event, &turn)
            turn.cause = nil
        case .directory(let body): directoryChanged(body, &turn)
        case .acknowledge(let command): acknowledge(command, &turn)
        case .resolve(let command): resolve(command, &turn)
        case .confirmEnd(let command): confirmEnd(command, &turn)
        case .test(let test): startTest(test, &turn)
        case .send(let command): send(command, &turn)
        case .setOptOut(let request, let number, let isOptedOut):
            setOptOut(request, number, isOptedOut: isOptedOut, &turn)
        case .requested(let request, let event, let expires, let trace):
            turn.trace = trace
            enqueueRequested(request, by: event, expires: expires, &turn)
        case .attempted(let result): handle(result, &turn)
        case .receipt(let receipt): handle(receipt, &turn)
        case .reply(let reply): handle(reply, &turn)
        case .ingestReplaced(let partition): publishSnapshots(of: partition, &turn)
        case .release(let items): release(items, &turn)
        case .drop(let items): drop(items, &turn)
        case .publishReachability: publishReachability(&turn)
        case .tick: break
        }
        runDueWork(&turn)
        effects += turn.effects
    }

    /// When the next ``Input/tick`` is needed.
    public var nextDeadline: Timestamp? {
        [
            deadlines.nextDue, deliveryQueue.nextDue, inFlightAttempts.nextDue, nextSweep,
            outageHold?.holdEnds,
        ]
        .compactMap { $0 }.min()
    }

    /// Sets the offsets of a time zone, by its IANA name.
    public mutating func setTimeZone(_ name: String, _ rules: TimeZoneRules) { zones[name] = rules }

    /// Whether a time zone's offsets are set.
    public func hasTimeZone(_ name: String) -> Bool { zones[name] != nil }

    /// The token that a gateway's callbacks for incoming SMS must carry.
    public func replyToken(of gateway: String) -> String {
        DerivedID.token(ofRepliesOver: gateway, secret: configuration.tokenSecret)
    }

    /// One line per gateway that is down; empty = none.
    public var healthProblems: [String] {
        gateways.values.filter(\.isDown).sorted { $0.name < $1.name }.map {
            "gateway \($0.name) is down: \($0.lastOutcome?.rawValue ?? "") \($0.lastAnswer)"
        }
    }

    /// Runs everything that time alone causes: due deadlines, time-outs, sweeps and the queue.
    private mutating func runDueWork(_ turn: inout Turn) {
        endOutageHold(&turn)
        for (deadline, purpose) in deadlines.popOverdue(at: turn.now) {
            expire(deadline, purpose, &turn)
        }
        expireAttempts(&turn)
        if nextSweep <= turn.now {
            sweep(&turn)
            nextSweep = turn.now + Limits.sweepInterval
        }
        dispatch(&turn)
    }

    private mutating func apply(_ event: Event, _ turn: inout Turn) {
        switch event.body {
        case .zoneEntered, .zoneExited, .zoneApproached, .zoneDwelled, .zoneAbsent, .alarmEnded:
            notifyZoneChange(event, &turn)
        case .alarmStarted(let change):
            notifyOwnAlarm(change, event, &turn)
            notifyZoneChange(event, &turn)
        case .alarmRepeated(let change): notifyOwnAlarm(change, event, &turn)
        case .contactOverdue(let change): contactOverdue(change, event, &turn)
        case .contactLost(let change): contactLost(change, event, &turn)
        case .contactOK(let change): contactOK(change, event, &turn)
        case .batteryLow(let change): batteryLow(change, event, &turn)
        case .deviceImpaired(let change): deviceImpaired(change, event, &turn)
        case .messagesDue(let due): messagesDue(due, event, &turn)
        case .sosRaised(let signal), .watchExpired(let signal): receiveSignal(signal, &turn)
        case .sosCancelled(let cancel): applyCancellation(cancel, &turn)
        case .sosLocated(let place): applyPosition(place, &turn)
        case .emergencyCountdown(let change): applyCountdown(change, &turn)
        case .emergencyOpened(let change): applyOpened(change, &turn)
        case .emergencyJoined(let change): applyJoined(change, &turn)
        case .emergencyCancelled(let change), .emergencyResolved(let change):
            applyEnded(change, &turn)
        case .emergencyAcknowledged(let change): applyAcknowledged(change, &turn)
        case .deadlineExpired(let expired) where expired.deadline.rule == .contact:
            contactDeadlineExpired(expired, &turn)
        case .deadlineCancelled(let deadline): contactDeadlineCancelled(deadline, &turn)
        case .deadlineExpired(let expired): deadlineExpired(expired, &turn)
        case .watchChanged(let watch): watchChanged(watch, &turn)
        default: break
        }
    }
}

/// Configuration of the notifier's core.
public struct NotifierConfiguration: Hashable, Sendable {
    /// In order of preference.
    public var gateways: [Gateway]
    /// 32 secret bytes from which callback tokens are derived.
    public var tokenSecret: [UInt8]
    /// Link to a map with `{lat}` and `{lon}`.
    public var map: String
    /// Whether SMS replies are received; texts then say how to reply.
    public var hasReplies: Bool
    /// Whether guardians and admins, not only the person, are notified when a phone may stop
    /// reporting.
    public var notifiesGuardiansOfImpairment: Bool

    public init(
        gateways: [Gateway], tokenSecret: [UInt8], map: String = Reader.openStreetMap,
        hasReplies: Bool = false, notifiesGuardiansOfImpairment: Bool = true
    ) {
        self.notifiesGuardiansOfImpairment = notifiesGuardiansOfImpairment
        self.gateways = gateways
        self.tokenSecret = tokenSecret
        self.map = map
        self.hasReplies = hasReplies
    }

    /// Channels with at least one gateway.
    var channels: [Channel] {
        Channel.allCases.filter { channel in
            gateways.contains { $0.channels.contains(channel) }
        }
    }
}

/// State of the handling of one input.
struct Turn {
    let now: Timestamp
    let directory: Replica
    var trace = ""
    /// When the event that is handled happened; nil = now.
    var cause: Timestamp?
    var effects: [Effect] = []

    init(now: Timestamp, directory: Replica) {
        self.now = now
        self.directory = directory
    }

    mutating func save(_ row: NotifierRow) { effects.append(.save(row)) }

    mutating func publish(_ id: EventID, _ body: EventBody) {
        effects.append(.publish(Event(id: id, time: now, trace: trace, body: body)))
    }
}
