import Dialects
import Model

/// Ingest's operations.
public enum IngestOperation: OperationID {
    /// A phone app, without and with the device's token in the path.
    case phone(PhoneProtocol)
    case phoneByToken(PhoneProtocol)
    case reports
    case emergencies, emergency, cancellation
    case positions
    case checkIn
    case alarm, alarmAction, policy, decisions
    case accessLog, recordAccess, export
    case device(DeviceOperation)
    case deviceLog
    case journeys(JourneyOperation)
    case mqtt(MQTTOperation)
    case quarantine(QuarantineOperation)
    case unprocessedCall(UnprocessedCallOperation)

    public static let service = ServiceName.ingest

    public static let table: [RoutedOperation<IngestOperation>] = phones + own

    private static let own: [RoutedOperation<IngestOperation>] =
        [
            .init(.post, "/v1/reports", .reports, "report", .device, limit: .content),
            .init(
                .post, emergencyPath, .emergencies, "raiseEmergency",
                .right(.panic, .panicForOther),
                also: [.report, .help], repeats: .emergency, isEmergencyCommand: true, limit: .none,
                body: .ignored),
            .init(
                .get, "/v1/emergencies/{emergency}", .emergency, "readEmergency",
                .right(.readEmergency), also: .report, limit: .none),
            .init(
                .post, "/v1/emergencies/{emergency}/cancellation", .cancellation, "cancelEmergency",
                .right(.cancelEmergency), also: .report, repeats: .minute, isEmergencyCommand: true,
                limit: .none),
            .init(
                .get, "/v1/circles/{circle}/positions", .positions, "listPositions",
                .right(.readCircle, .readPosition)),
            .init(
                .post, "/v1/people/{person}/check-ins", .checkIn, "checkIn", .right(.answerAlarms),
                also: .report, repeats: .minute, limit: .answers),
            .init(
                .get, "/v1/people/{person}/alarm", .alarm, "readAlarm", .right(.answerAlarms),
                also: .report),
            .init(
                .post, "/v1/people/{person}/alarm/{action}", .alarmAction, "answerAlarm",
                .right(.answerAlarms), also: .report, repeats: .minute, limit: .answers),
            .init(
                .get, "/v1/people/{person}/policy", .policy, "readPolicy", .right(.answerAlarms),
                also: .report),
            .init(
                .get, "/v1/people/{person}/decisions", .decisions, "listDecisions",
                .right(.readAccessLog, .readHistory)),
            .init(.post, "/v1/people/{person}/locate", .device(.locate), "locate", .right(.locate)),
            .init(
                .get, "/v1/people/{person}/suggested-zones", .device(.listSuggestions),
                "listSuggestedZones",
                .right(.readOwnZones)),
            .init(
                .delete, "/v1/people/{person}/suggested-zones/{suggestion}",
                .device(.removeSuggestion),
                "dropSuggestedZone", .right(.readOwnZones)),
            .init(
                .put, "/v1/people/{person}/devices/{device}/encryption-key", .device(.setKey),
                "setEncryptionKey", .right(.editDevices)),
            .init(
                .delete, "/v1/people/{person}/devices/{device}/encryption-key", .device(.removeKey),
                "dropEncryptionKey", .right(.editDevices)),
            .init(
                .get, "/v1/people/{person}/access-log", .accessLog, "readAccessLog",
                .right(.readAccessLog)),
            .init(
                .post, "/v1/access-log", .recordAccess, "recordAccess", .right(.administer),
                repeats: .never),
            .init(.get, "/v1/people/{person}/export", .export, "exportPerson", .right(.exportData)),
            .init(
                .get, "/v1/people/{person}/journeys", .journeys(.list), "listJourneys",
                .right(.readHistory), also: .report),
            .init(
                .post, "/v1/people/{person}/journeys", .journeys(.start), "startJourney",
                .right(.keepJourneys), also: .report),
            .init(
                .get, "/v1/people/{person}/journeys/{journey}", .journeys(.read), "readJourney",
                .right(.readHistory), also: .report),
            .init(
                .delete, "/v1/people/{person}/journeys/{journey}", .journeys(.remove),
                "deleteJourney",
                .right(.keepJourneys)),
            .init(
                .post, "/v1/people/{person}/journeys/{journey}/stop", .journeys(.stop),
                "stopJourney",
                .right(.keepJourneys), also: .report),
            .init(
                .post, "/v1/people/{person}/journeys/{journey}/reset", .journeys(.reset),
                "resetJourney", .right(.keepJourneys)),
            .init(
                .get, "/v1/people/{person}/journeys/{journey}/points", .journeys(.points),
                "readJourneyPoints", .right(.readHistory)),
            .init(
                .get, "/v1/people/{person}/journeys/{journey}/points.gpx", .journeys(.track),
                "readJourneyTrack", .right(.readHistory)),
            .init(
                .get, "/v1/people/{person}/journeys/{journey}/replay", .journeys(.replay),
                "replayJourney", .right(.readHistory), isStream: true),
            .init(
                .post, "/v1/people/{person}/journeys/{journey}/notes", .journeys(.addNote),
                "addJourneyNote", .right(.keepJourneys), also: .report),
            .init(
                .post, "/v1/people/{person}/journeys/{journey}/photos", .journeys(.addPhoto),
                "addJourneyPhoto", .right(.keepJourneys), also: .report, body: .photo),
            .init(
                .get, "/v1/people/{person}/journeys/{journey}/photos/{photo}", .journeys(.photo),
                "readJourneyPhoto", .right(.readHistory)),
            .init(
                .get, "/v1/devices/{device}/log", .deviceLog, "readDeviceLog",
                .right(.editDevices)),
            .init(.get, "/v1/mqtt", .mqtt(.read), "readMQTT", .right(.administer)),
            .init(
                .put, "/v1/devices/{device}/mqtt-topic", .mqtt(.setTopic), "setMQTTTopic",
                .right(.editDevices)),
            .init(
                .delete, "/v1/devices/{device}/mqtt-topic", .mqtt(.removeTopic), "dropMQTTTopic",
                .right(.editDevices)),
            .init(
                .get, "/v1/quarantine", .quarantine(.list), "listQuarantine", .right(.administer)),
            .init(
                .get, "/v1/quarantine/{entry}", .quarantine(.read), "readQuarantined",
                .right(.administer)
            ),
            .init(
                .delete, "/v1/quarantine/{entry}", .quarantine(.remove), "dropQuarantined",
                .right(.administer)),
            .init(
                .post, "/v1/quarantine/{entry}/retry", .quarantine(.retry), "retryQuarantined",
                .right(.administer), repeats: .never),
            .init(
                .get, "/v1/unprocessed-calls", .unprocessedCall(.list), "listUnprocessedCalls",
                .right(.readIncidents)),
            .init(
                .get, "/v1/unprocessed-calls/{call}", .unprocessedCall(.read),
                "readUnprocessedCall", .right(.readIncidents)),
        ]

    /// The path of emergency requests, which count even if their body cannot be read.
    public static let emergencyPath = "/v1/emergencies"

    /// Paths that phone apps report to.
    private static let phones: [RoutedOperation<IngestOperation>] = PhoneProtocol.all.flatMap {
        phone in
        phone.paths.flatMap { path in
            path.patterns.flatMap { pattern in
                path.methods.compactMap { Method(rawValue: $0) }.map { method in
                    RoutedOperation<IngestOperation>(
                        method, pattern,
                        pattern == path.path ? .phone(phone) : .phoneByToken(phone), nil, .phone,
                        repeats: .never, limit: .content, body: phone.bodySize)
                }
            }
        }
    }
}

extension PhoneProtocol {
    fileprivate var bodySize: Operation.BodySize {
        switch bodyBytesMax {
        case nil: .usual
        case PhoneProtocol.photoBodyBytesMax: .photos
        case .some: .large
        }
    }
}

/// Ingest's operations on phones: location requests, suggested zones and encryption keys.
public enum DeviceOperation: Sendable {
    case locate
    case listSuggestions, removeSuggestion
    case setKey, removeKey
}

/// Ingest's operations on the MQTT broker.
public enum MQTTOperation: Sendable {
    case read, setTopic, removeTopic
}

/// Ingest's operations on payloads that could not be used.
public enum QuarantineOperation: Sendable {
    case list, read, retry, remove
}

/// Ingest's operations on calls for help that it could not process.
public enum UnprocessedCallOperation: Sendable {
    case list, read
}

/// Ingest's operations on journeys.
public enum JourneyOperation: Sendable {
    case list, start, read, remove, stop, reset
    case points, track, replay
    case addNote, addPhoto, photo
}
