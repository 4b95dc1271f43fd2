import Web

/// The routes of ingest.
enum Endpoint: Sendable {
    /// A phone app, without and with the device's token in the path.
    case phone(PhoneDialect)
    case phoneByToken(PhoneDialect)
    case reports
    case emergencies, emergency, cancellation
    case positions
    case checkIn
    case alarm, alarmAction, policy, decisions
    case locate, suggestions, removeSuggestion, setKey, dropKey, accessLog, recordAccess, export
    case journeys, startJourney, journey, removeJourney, stopJourney, resetJourney
    case journeyPoints, journeyTrack, journeyReplay, addJourneyNote, addJourneyPhoto, journeyPhoto
    case deviceLog, mqtt, setTopic, dropTopic
    case quarantine, quarantined, retryQuarantined, dropQuarantined

    static let router = Router<Endpoint>(
        phones + phones.filter { $0.1 != "/" }.map { ($0, $1 + "/", $2) } + own)

    /// Addresses are typed by people, some with a trailing slash.
    private static let phones: [(Web.Method, String, Endpoint)] = [
        (.post, "/pub", .phone(.ownTracks)),
        (.get, "/", .phone(.osmAnd)), (.post, "/", .phone(.osmAnd)),
        (.get, "/osmand", .phone(.osmAnd)), (.post, "/osmand", .phone(.osmAnd)),
        (.get, "/osmand/{token}", .phoneByToken(.osmAnd)),
        (.post, "/osmand/{token}", .phoneByToken(.osmAnd)),
        (.post, "/overland", .phone(.overland)),
        (.post, "/overland/{token}", .phoneByToken(.overland)),
        // Dawarich's path, which some apps have built in.
        (.post, "/api/v1/overland/batches", .phone(.overland)),
        (.get, "/log/gpslogger", .phone(.gpsLogger)),
        (.post, "/log/gpslogger", .phone(.gpsLogger)),
        (.get, "/log/gpslogger/{token}", .phoneByToken(.gpsLogger)),
        (.post, "/log/gpslogger/{token}", .phoneByToken(.gpsLogger)),
        // GPSLogger's HTTP method is a setting of the app.
        (.put, "/log/gpslogger", .phone(.gpsLogger)),
        (.patch, "/log/gpslogger", .phone(.gpsLogger)),
        (.put, "/log/gpslogger/{token}", .phoneByToken(.gpsLogger)),
        (.patch, "/log/gpslogger/{token}", .phoneByToken(.gpsLogger)),
        (.get, "/gprmc/Data", .phone(.openGTS)), (.post, "/gprmc/Data", .phone(.openGTS)),
    ]

    private static let own: [(Web.Method, String, Endpoint)] = [
        (.post, "/v1/reports", .reports),
        (.post, "/v1/emergencies", .emergencies),
        (.get, "/v1/emergencies/{emergency}", .emergency),
        (.post, "/v1/emergencies/{emergency}/cancellation", .cancellation),
        (.get, "/v1/circles/{circle}/positions", .positions),
        (.post, "/v1/people/{person}/check-in", .checkIn),
        (.get, "/v1/people/{person}/alarm", .alarm),
        (.post, "/v1/people/{person}/alarm/{action}", .alarmAction),
        (.get, "/v1/people/{person}/policy", .policy),
        (.get, "/v1/people/{person}/decisions", .decisions),
        (.post, "/v1/people/{person}/locate", .locate),
        (.get, "/v1/people/{person}/suggested-zones", .suggestions),
        (.delete, "/v1/people/{person}/suggested-zones/{offer}", .removeSuggestion),
        (.put, "/v1/people/{person}/devices/{device}/encryption-key", .setKey),
        (.delete, "/v1/people/{person}/devices/{device}/encryption-key", .dropKey),
        (.get, "/v1/people/{person}/access-log", .accessLog),
        (.post, "/v1/access-log", .recordAccess),
        (.get, "/v1/people/{person}/export", .export),
        (.get, "/v1/people/{person}/journeys", .journeys),
        (.post, "/v1/people/{person}/journeys", .startJourney),
        (.get, "/v1/people/{person}/journeys/{journey}", .journey),
        (.delete, "/v1/people/{person}/journeys/{journey}", .removeJourney),
        (.post, "/v1/people/{person}/journeys/{journey}/stop", .stopJourney),
        (.post, "/v1/people/{person}/journeys/{journey}/reset", .resetJourney),
        (.get, "/v1/people/{person}/journeys/{journey}/points", .journeyPoints),
        (.get, "/v1/people/{person}/journeys/{journey}/points.gpx", .journeyTrack),
        (.get, "/v1/people/{person}/journeys/{journey}/replay", .journeyReplay),
        (.post, "/v1/people/{person}/journeys/{journey}/notes", .addJourneyNote),
        (.post, "/v1/people/{person}/journeys/{journey}/photos", .addJourneyPhoto),
        (.get, "/v1/people/{person}/journeys/{journey}/photos/{photo}", .journeyPhoto),
        (.get, "/v1/devices/{device}/log", .deviceLog),
        (.get, "/v1/mqtt", .mqtt),
        (.put, "/v1/devices/{device}/mqtt-topic", .setTopic),
        (.delete, "/v1/devices/{device}/mqtt-topic", .dropTopic),
        (.get, "/v1/quarantine", .quarantine),
        (.get, "/v1/quarantine/{entry}", .quarantined),
        (.delete, "/v1/quarantine/{entry}", .dropQuarantined),
        (.post, "/v1/quarantine/{entry}/retry", .retryQuarantined),
    ]
}
