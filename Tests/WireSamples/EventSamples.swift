import Model

/// An event of every kind.
public enum EventSamples {
    private static func id(_ number: UInt64) -> ID128 { ID128(high: number << 32, low: number) }
    private static let person = PersonID(id(1))
    private static let device = DeviceID(id(2))
    private static let circle = CircleID(id(3))
    private static let zone = ZoneID(id(4))
    private static let emergency = EmergencyID(id(5))
    private static let time = Timestamp(milliseconds: 1_700_000_000_123)
    private static let place = Coordinate(latitudeE7: 31_234_567, longitudeE7: 1_012_345_678)

    private static let fix = Fix(
        time: time, position: place, accuracyCentimetres: 512, speedCentimetresPerSecond: 139)

    private static let signal = EmergencySignal(
        id: emergency, person: person, device: device, trigger: .panic, raised: time,
        received: time + .seconds(1), countdownEnds: time + .seconds(11), fix: fix, battery: 80,
        note: "by the \"river\"\n", raisedBy: person, signOfLife: time, trace: "t-1")

    private static let cancel = EmergencyCancel(
        id: EventID(id(6)), person: person, emergency: emergency, received: time, trace: "t-2")

    private static let answer = EmergencyAnswer(
        emergency: emergency, person: person, by: PersonID(id(7)), at: time, note: nil)

    private static let deadline = Deadline(
        id: DeadlineID(id(8)), kind: .countdown, person: person, emergency: emergency, due: time)

    private static let prepared = PreparedGeometry(
        origin: place, coefficients: [1, -2, .max], radiusCentimetres: 0,
        polygons: [[[VertexOffset(longitudeE7: -5, latitudeE7: .max)]]],
        inradiusCentimetres: 10, reachCentimetres: 20)

    private static let home = Zone(
        id: zone, owner: .circle(circle), name: "Rumah 🏠", kind: .alert, category: "home",
        shape: .polygons([Polygon(outer: [place, place, place])]), prepared: prepared,
        insetCentimetres: -3000, alertDistanceMetres: 100, dwellSeconds: 600,
        clock: ZoneClock(
            timeZone: "Asia/Kuala_Lumpur", firstOffset: 24_406,
            offsets: [ZoneOffset(at: -2_177_477_206, offset: 28_800)]),
        schedule: ZoneSchedule(
            windows: [ZoneWindow(start: 480, end: 900)], exceptions: [20_000]),
        absentByMinute: 480, alarm: ZoneAlarm(sound: "Horn"), audience: ZoneAudience(),
        messages: [MessageID(id(15))], extra: ["AlertZoneColour,red"])

    private static let crossing = ZoneCrossing(
        person: person, device: device, zone: zone, zoneName: "Rumah", zoneKind: .safe,
        circle: nil, before: .outside, after: .inside, fix: fix, distanceCentimetres: -1234,
        marginCentimetres: 2000,
        reason: .insideBeyondMargin, interpolated: true, coarse: true, isFixOld: true,
        report: ReportID(id(9)))

    private static let set = ZoneSetID(id(14))
    private static let message = MessageID(id(15))

    private static let alarm = AlarmChange(
        alarm: AlarmID(id(16)), person: person, zone: zone, zoneName: "River",
        category: "danger", priority: 3, circle: circle, vibrates: true, sound: "Horn",
        presence: .near, rings: 2, isAudible: false, end: .exit, fix: fix)

    private static let news = EmergencyChange(
        emergency: emergency, person: person, state: .open, trigger: .shake, signal: emergency,
        raised: time, countdownEnds: time, fix: fix, battery: 5, by: person, late: true,
        joinedTrigger: .watchExpired, joinedRaised: time)

    private static let escalation = EscalationChange(
        emergency: emergency, person: person, circle: circle, tier: 1, round: 0, recipients: 3)

    private static let standing = EmergencySnapshot(
        emergency: emergency, person: person, state: .acknowledged, by: person, at: time,
        signals: [signal], recipients: [person], reached: .delivered)

    private static let report = Report(
        id: ReportID(id(9)), person: person, device: device, fix: fix, trigger: .ping,
        charging: true, late: true, received: time, trace: "t-3")

    public static let bodies: [EventBody] =
        [
            .inputReport(report), .inputSignal(signal), .inputCancel(cancel),
            .inputReports(ReportBatch([report, report])),
            .inputDeadline(ExpiredDeadline(deadline: deadline, expired: time, late: true)),
            .inputAcknowledgement(answer), .inputResolution(answer), .inputFallbackOpened(signal),
            .inputPerson(
                ConfiguredPerson(
                    person: person, primaryDevice: nil, circles: [circle],
                    zones: [ConfiguredZone(home)])),
            .inputPersonRemoved(PersonRemoval(person: person)),
            .inputCircle(ConfiguredCircle(circle: circle, zones: [ConfiguredZone(home)])),
            .inputCircleRemoved(CircleRemoval(circle: circle)),
            .inputLogic(LogicVersion(version: 2)), .inputEmergencySnapshot(standing),
            .inputSet(ConfiguredSet(set: set, page: 511, zones: [ConfiguredZone(home)])),
            .inputSetRemoved(SetRemoval(set: set)),
            .inputArming(Arming(person: person, armed: false, at: time, trace: "t-4")),
            .inputAlarmAnswer(AlarmAnswer(person: person, zone: zone, action: .sleep, at: time)),
            .zoneEntered(crossing), .zoneExited(crossing), .zonePresenceEstablished(crossing),
            .zoneApproached(crossing), .zoneDwelled(crossing), .zoneSuppressed(crossing),
            .zoneLeftVicinity(crossing), .zonePresenceCleared(crossing),
            .zoneAbsent(
                ZoneAbsence(
                    person: person, zone: zone, zoneName: "School", circle: circle, by: time,
                    fix: nil, hasContact: false)),
            .alarmStarted(alarm), .alarmRepeated(alarm), .alarmEnded(alarm),
            .messagesDue(
                DueMessages(
                    person: person, zones: [zone], zoneNames: ["River"], transitions: [.enter],
                    messages: [message],
                    fix: fix)),
            .policyChanged(
                ReportingPolicy(
                    person: person, device: device, mode: .region, distanceFilterMetres: 50,
                    intervalSeconds: 1800,
                    contactTimeoutSeconds: 1800,
                    regions: [WatchedRegion(zone: zone, center: place, radiusMetres: 6000)])),
            .emergencyCountdown(news), .emergencyOpened(news), .emergencyJoined(news),
            .emergencyCancelled(news), .emergencyAcknowledged(news), .emergencyResolved(news),
            .deadlineScheduled(deadline), .deadlineCancelled(deadline),
            .sosRaised(signal), .sosCancelled(cancel),
            .sosLocated(
                EmergencyPlace(
                    emergency: signal.id, person: person, fix: fix, battery: 41, trace: "t-8")),
            .sosPosition(
                FollowedPosition(
                    person: person, emergency: signal.id, fixes: [fix, fix], battery: 41,
                    charging: false, impairments: [.powerSave])),
            .positionsAnswered(
                PositionsAnswer(
                    person: person, query: PositionQueryID(id(15)),
                    positions: [
                        AnsweredPosition(person: person, fix: fix, taken: time),
                        AnsweredPosition(person: person, zone: "School", taken: time),
                    ], more: 1)),
            .deviceReporting(
                DeviceReporting(
                    person: person, device: device, isFirst: true, app: "owntracks",
                    lastReport: time, impairments: [.batteryOptimisation])),
        ] + silences + directory + lastly

    private static let silence = ContactChange(
        person: person, device: device, state: .overdue, at: time, since: time,
        contactTimeoutSeconds: 180, isWatched: true, fix: fix, battery: 4, end: .answered)

    private static let reportingImpairment = ReportingImpairment(
        person: person, device: device, impairments: [.batteryOptimisation, .locationPermission],
        at: time)

    private static let silences: [EventBody] = [
        .inputContactExpectation(
            ContactExpectation(person: person, device: device, contactTimeoutSeconds: 1800)),
        .inputContact(Contact(person: person, kind: .checkIn, at: time, trace: "t-6")),
        .inputContact(
            Contact(person: person, kind: .seen, at: time, battery: 14, charging: false)),
        .inputWatch(WatchSpan(person: person, watch: WatchID(id(17)), until: time)),
        .inputIntakeOutage(IntakeOutage(from: time, to: time + .seconds(60))),
        .inputContactLossHold(ContactLossHold(isHeld: true)), .contactLate(silence),
        .contactOverdue(silence), .contactLost(silence), .contactOK(silence),
        .checkInReceived(Contact(person: person, kind: .checkIn, at: time)),
        .accessRecorded(AccessRecord(person: person, viewer: person, at: time)),
        .liveViewChanged(LiveView(person: person, until: time, at: time)),
        .batteryLow(BatteryChange(person: person, device: device, battery: 14, mark: 15)),
        .inputImpairment(reportingImpairment), .deviceImpaired(reportingImpairment),
    ]

    private static let directory: [EventBody] = [
        .personChanged(
            Person(
                id: person, name: "Aida",
                contacts: [
                    ContactPoint(
                        id: ContactID(id(10)), channel: .email, address: "a@example.org", rank: 1,
                        label: "work", verified: time)
                ], trialEnds: time, staff: .officer, guardians: [PersonID(id(20))], wardUntil: time,
                primaryDevice: device)),
        .personRemoved(PersonRemoval(person: person)),
        .deviceChanged(
            Device(id: device, person: person, name: "Phone", client: "owntracks/9")),
        .deviceRemoved(DeviceRemoval(device: device)),
        .credentialChanged(
            Credential(
                id: CredentialID(id(11)), hash: "00ff", kind: .help, person: person,
                name: "old phone", created: time, expires: time)),
        .credentialRemoved(CredentialRemoval(credential: CredentialID(id(11)))),
        .circleChanged(
            Circle(
                id: circle, name: "Family",
                members: [
                    Membership(
                        person: person, role: .admin, joined: time, sharing: .pausedUntil(time),
                        trackerID: "ai")
                ], escalation: [EscalationTier(roles: [.guardian], waitSeconds: 60)], historyDays: 7
            )),
        .circleRemoved(CircleRemoval(circle: circle)),
        .zoneChanged(home), .zoneRemoved(ZoneRemoval(zone: zone)),
        .setChanged(ZoneSet(id: set, name: "Campus")), .setRemoved(SetRemoval(set: set)),
        .messageChanged(
            ZoneMessage(
                id: message, owner: .person(person), recipientName: "Mum", number: "+15550000003",
                line: "call me", mode: .automatic, confirmed: time)),
        .messageRemoved(ZoneMessageRemoval(message: message)),
        .messageRequested(SealedMessage(expires: time, sealed: "c2VhbGVk")),
        .neverNotifyChanged(
            NeverNotifyList(person: person, people: [PersonID(id(20))], circles: [circle])),
        .pinChanged(PersonPIN(person: person, salt: "00", hashes: ["01", "02"])),
    ]

    private static let lastly: [EventBody] = [
        .deadlineExpired(ExpiredDeadline(deadline: deadline, expired: time)),
        .watchChanged(
            Watch(
                id: WatchID(id(12)), person: person, started: time, deadline: time,
                destination: zone, recipients: [PersonID(id(20))], state: .reminded)),
        .watchExpired(signal),
        .checkInChanged(
            CheckIn(
                id: CheckInID(id(30)), person: person, schedule: CheckInScheduleID(id(31)),
                name: "Rumah", due: time, expires: time, late: true, state: .reminded)),
        .timerExpired(
            PersonTimer(
                person: person, text: "call me", started: time, due: time, trace: "trace-2")),
        .retentionDue(RetentionRound(at: time)),
        .notificationChanged(
            NotificationChanged(
                notification: NotificationID(id(13)), emergency: emergency, person: person,
                recipient: person, channel: .sms, state: .accepted, gateway: "kannel",
                answer: "0: Accepted for delivery")),
        .acknowledgementCommitted(answer), .resolutionCommitted(answer),
        .escalationFallbackOpened(signal),
        .escalationTierStarted(escalation), .escalationExhausted(escalation),
        .emergencySnapshot(standing),
        .signalReceived(signal),
        .reachabilityChanged(
            ReachabilityChange(
                gateways: [
                    GatewayState(
                        name: "kannel", kind: .external, channels: [.sms], failing: time)
                ],
                contacts: [ContactPointState(contact: ContactPointKey(id(14)), problem: .dead)])),
        .watchCommandReceived(
            WatchCommand(
                person: person, watch: WatchID(id(12)), action: .extend, seconds: 1800, at: time,
                trace: "trace-2")),
        .safetyAnswerReceived(
            SafetyAnswer(
                person: person, outcome: .underDuress, coversWatch: true, at: time,
                trace: "trace-2")),
        .sosAnswered(SafetyAnswer(person: person, outcome: .safe, at: time)),
        .positionsRequested(
            PositionsRequest(
                person: person, query: PositionQueryID(id(15)), at: time, trace: "trace-2")),
        .usageRecorded(CredentialUsage(day: 20_780, credentials: [CredentialID(id(11))])),
        .consentsChanged(ConsentsChange(person: person)),
    ]

    /// Private values in these events.
    public static let secrets = [
        "3.1234567", "101.2345678", "Aida", "a@example.org", "00ff", "Rumah", "River", "School",
        "Family", "Campus", "Mum", "+15550000003", "call me", "river", "c2VhbGVk", "Phone",
        "AlertZoneColour", "danger", "\"ai\"", "Accepted for delivery", "Horn", "Kuala_Lumpur",
        "\"t-1\"", "\"t-3\"", "\"trace-2\"", "1.39", "owntracks/9",
    ]

    public static let events = bodies.enumerated().map { index, body in
        Event(
            id: EventID(id(100 + UInt64(index))), time: time,
            trace: index.isMultiple(of: 2) ? "trace-\(index)" : "", body: body)
    }
}
