import Directory
import Model
import Timing

/// Whom to tell, when, over which gateway, and who answered.
///
/// A pure function of its inputs: time, the directory and the results of attempts come in, rows,
/// events and attempts go out. Its parts are in the files beside: zone news, signals and their
/// fallback, emergencies, ladders, telling, attempts, receipts, clocks.
///
///     var notifier = Notifier(configuration, from: NotifierRows(), at: now)
///     notifier.handle(.event(event), at: now, in: directory, into: &effects)
public struct Notifier: Sendable {
    let configuration: NotifierConfiguration
    var emergencies: [EmergencyID: Emergency] = [:]
    /// Those of a person that are not over, oldest first.
    var activeOf: [PersonID: [EmergencyID]] = [:]
    /// Circles ascending.
    var ladders: [EmergencyID: [Ladder]] = [:]
    var signals: [EmergencyID: SignalWait] = [:]
    var notifications: [NotificationID: Notification] = [:]
    var notificationsOf: [EmergencyID: [NotificationID]] = [:]
    var gateways: [String: GatewayHealth] = [:]
    /// Numbers outside of all circles to which texts were sent lately, or that want none.
    var numbers: [String: NumberState] = [:]
    /// Who can be reached, as it was published last.
    var reachability = Reachability()
    var lanes = Lanes()
    var queues = Queues()
    var clocks = Clocks()
    /// The time in which the notifier was away, and what became due in it waits for a word.
    var outage: Outage?
    /// The time for a word about it is over: nothing is held any longer.
    var isHoldOver = false
    /// Waits that are over and whose effect is held, in no order.
    var postponed: [ClockID: (clock: WantedClock, purpose: ClockPurpose)] = [:]
    /// Attempts whose end must come; one that does not is in doubt.
    var flights = DeadlineQueue<(NotificationID, attempt: Int)>()
    /// Requests that wait for the end of their test message.
    var tests: [NotificationID: UInt64] = [:]
    var zones: [String: TimeZoneRules] = [:]
    var nextSweep = Timestamp.zero

    /// A notifier that goes on from what its store holds.
    ///
    /// Attempts that the rows show as on their way are taken as such: a process that has just begun
    /// says so by ``Input/started``.
    ///
    /// - Parameter outage: what became due in it is held
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

    /// Takes one input in and appends what is to be done.
    public mutating func handle(
        _ input: Input, at now: Timestamp, in directory: Replica, into effects: inout [Effect]
    ) {
        var turn = Turn(now: now, directory: directory)
        switch input {
        case .started: start(&turn)
        case .event(let event):
            turn.trace = event.trace
            turn.cause = event.time
            endHold(for: event, &turn)
            take(event, &turn)
            turn.cause = nil
        case .directory(let body): directoryChanged(body, &turn)
        case .acknowledge(let command): acknowledge(command, &turn)
        case .resolve(let command): resolve(command, &turn)
        case .confirmEnd(let command): confirmEnd(command, &turn)
        case .test(let test): begin(test, &turn)
        case .send(let command): send(command, &turn)
        case .stop(let request, let number, let stopped):
            stop(request, number, stopped: stopped, &turn)
        case .requested(let request, let event, let expires, let trace):
            turn.trace = trace
            requested(request, by: event, expires: expires, &turn)
        case .attempted(let result): attempted(result, &turn)
        case .receipt(let receipt): received(receipt, &turn)
        case .reply(let reply): replied(reply, &turn)
        case .ingestReplaced(let partition): announce(of: partition, &turn)
        case .release(let items): release(items, &turn)
        case .drop(let items): drop(items, &turn)
        case .publishReachability: publishReachability(&turn)
        case .tick: break
        }
        pass(&turn)
        effects += turn.effects
    }

    /// When a tick is needed at the latest.
    public var nextDeadline: Timestamp? {
        [clocks.nextDue, lanes.nextDue, flights.nextDue, nextSweep, holding?.holdEnds]
            .compactMap { $0 }.min()
    }

    /// Makes the offsets of a time zone known, by its IANA name.
    public mutating func learn(_ name: String, _ rules: TimeZoneRules) { zones[name] = rules }

    /// Whether a time zone's offsets are known.
    public func knows(zone name: String) -> Bool { zones[name] != nil }

    /// What a gateway is believed for when it tells of texts that came in.
    public func replyToken(of gateway: String) -> String {
        Meaning.token(ofRepliesOver: gateway, secret: configuration.tokenSecret)
    }

    /// Gateways that are down, in words; empty = none.
    public var troubles: [String] {
        gateways.values.filter(\.isDown).sorted { $0.name < $1.name }.map {
            "gateway \($0.name) is down: \($0.lastOutcome?.rawValue ?? "") \($0.lastAnswer)"
        }
    }

    /// Time alone has its effects: clocks and waits that are due, and the lanes.
    private mutating func pass(_ turn: inout Turn) {
        endHold(&turn)
        for (clock, purpose) in clocks.overdue(at: turn.now) { fire(clock, purpose, &turn) }
        loseFlights(&turn)
        if nextSweep <= turn.now {
            sweep(&turn)
            nextSweep = turn.now + Limits.sweepInterval
        }
        dispatch(&turn)
    }

    private mutating func take(_ event: Event, _ turn: inout Turn) {
        switch event.body {
        case .zoneEntered, .zoneExited, .zoneApproached, .zoneDwelled, .zoneAbsent, .alarmEnded:
            zoneNews(event, &turn)
        case .alarmStarted(let news):
            alarmRang(news, event, &turn)
            zoneNews(event, &turn)
        case .alarmRepeated(let news): alarmRang(news, event, &turn)
        case .silenceOverdue(let news): silenceOverdue(news, event, &turn)
        case .silenceLost(let news): silenceLost(news, event, &turn)
        case .silenceEnded(let news): silenceEnded(news, event, &turn)
        case .batteryLow(let news): batteryLow(news, event, &turn)
        case .phoneBlind(let news): phoneBlind(news, event, &turn)
        case .messagesDue(let due): messagesDue(due, event, &turn)
        case .sosRaised(let signal), .watchExpired(let signal): raised(signal, &turn)
        case .sosCancelled(let cancel): cancelled(cancel, &turn)
        case .sosLocated(let place): located(place, &turn)
        case .emergencyCountdown(let news): countdown(news, &turn)
        case .emergencyOpened(let news): opened(news, &turn)
        case .emergencyJoined(let news): joined(news, &turn)
        case .emergencyCancelled(let news), .emergencyResolved(let news): ended(news, &turn)
        case .emergencyAcknowledged(let news): acknowledgedElsewhere(news, &turn)
        case .clockFired(let fired) where fired.clock.rule == .contact:
            contactClockFired(fired, &turn)
        case .clockUnwanted(let clock): contactClockUnwanted(clock, &turn)
        case .clockFired(let fired): clockFired(fired, &turn)
        case .watchChanged(let watch): watchChanged(watch, &turn)
        default: break
        }
    }
}

/// What the notifier is told about its surroundings.
public struct NotifierConfiguration: Hashable, Sendable {
    /// In the order of preference.
    public var gateways: [Gateway]
    /// 32 bytes that only this server knows; makes the tokens of receipts.
    public var tokenSecret: [UInt8]
    /// A link to a map with `{lat}` and `{lon}`.
    public var map: String
    /// Answers by SMS arrive: texts say how to answer.
    public var hasReplies: Bool
    /// Guardians and admins hear when a phone may fall silent, not only its person.
    public var tellsGuardiansOfBlindness: Bool

    public init(
        gateways: [Gateway], tokenSecret: [UInt8], map: String = Reader.openStreetMap,
        hasReplies: Bool = false, tellsGuardiansOfBlindness: Bool = true
    ) {
        self.tellsGuardiansOfBlindness = tellsGuardiansOfBlindness
        self.gateways = gateways
        self.tokenSecret = tokenSecret
        self.map = map
        self.hasReplies = hasReplies
    }

    /// Channels on which anybody can be reached at all.
    var channels: [Channel] {
        Channel.allCases.filter { channel in
            gateways.contains { $0.channels.contains(channel) }
        }
    }
}

/// One input's way through the notifier.
struct Turn {
    let now: Timestamp
    let directory: Replica
    var trace = ""
    /// When what is told in this turn happened; nil = now.
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
