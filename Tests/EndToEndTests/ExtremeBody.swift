import TestSupport

/// Bodies and queries that docs/openapi.yaml does not describe: payloads of phone apps, zone files,
/// and values with which an operation succeeds.
enum ExtremeBody {
    /// Extreme numbers and times, as written in a query.
    static let numbers = [
        "9223372036854775807", "-9223372036854775808", "9223372036854775808",
        "18446744073709551615", "18446744073709551616", "9007199254740993", "4294967296",
        "2147483648", "-2147483649", "1e308", "-1e308", "1e400", "1e-400", "5e-324",
        "1e999999999999999999", "-0", "0", "-1", "NaN", "-inf", "", "0x7fffffffffffffff",
        String(repeating: "9", count: 400), "253402300800",
    ]
    /// The subset for parsers that receive all of them in another operation.
    static let fewNumbers = numbers.enumerated().filter { $0.offset % 3 == 0 }.map(\.element)
    static let times = [
        "9999-12-31T23:59:59.999Z", "0000-01-01T00:00:00Z", "+292278994-08-17T07:12:55Z",
        "1582-10-04T00:00:00Z", "2026-11-20T23:59:60Z", "2026-13-45T99:99:99Z",
        "2026-11-20T10:20:00+99:99", "2026-11-20T10:20:00.99999999999999999999999Z",
        "9223372036854775807", "-1", "1e308", "",
    ]

    /// The same in JSON: values outside its grammar are strings.
    static func inJSON(_ extreme: String) -> String {
        let words = ["NaN", "-inf", "", "0x7fffffffffffffff"]
        return words.contains(extreme) || extreme.contains(":") ? "\"\(extreme)\"" : extreme
    }

    /// Whether an operation removes a resource; it runs last, with its own resource.
    static func removes(_ operation: Contract.Operation) -> Bool {
        operation.method == "DELETE"
            || [
                "rotateCredential", "setUpDevice", "endWatch", "stopJourney", "resetJourney",
                "rotateOperatorToken", "cancelEmergency", "resolveEmergency",
            ].contains(operation.id)
    }

    /// Order of the operations; those that remove something run last.
    static func rank(_ operation: Contract.Operation) -> Int {
        if operation.id == "rotateOperatorToken" { return 100 }
        // Operations that end something run first. A check-in ends watches; a confirmed number
        // gets no code.
        if operation.id == "extendWatch" { return -1 }
        if operation.id.hasPrefix("confirm") || operation.id == "checkIn" { return 1 }
        guard removes(operation) else { return 0 }
        if operation.id == "removeCredential" { return 9 }
        let others = ["resetJourney", "setUpDevice", "dropMQTTTopic"]
        if others.contains(operation.id) { return 10 }
        return 50 - operation.path.split(separator: "/").count
    }

    /// Bodies that succeed, for operations without an example.
    static let samples = [
        "addMember": #"{"person":"{bob}","role":"guardian"}"#,
        "previewInvitation": #"{"token":"{invitation token}"}"#,
        "declineInvitation": #"{"token":"{invitation token}"}"#,
        "acceptInvitation": #"{"token":"{invitation token}"}"#,
        "replyToConsent": #"{"agreed":true}"#,
        "declareWard": #"{"name":"Ward","wardUntil":"2040-01-01T00:00:00Z"}"#,
        "invite": #"{"uses":2}"#,
        "recordAccess": #"{"people":["{person}"]}"#,
        "setNeverNotifyList": #"{"people":["{bob}"],"circles":[]}"#,
        "setPIN": #"{"pin":null}"#, "setDuressPIN": #"{"pin":null}"#,
        "updatePerson": #"{"name":"Anna"}"#,
        "updateDevice": #"{"name":"phone"}"#,
        "updateCircle": #"{"name":"More"}"#,
        "createZone": zone,
        "importZones": collection, "importPrivateZones": collection,
        "importZonesOfSet": collection,
        "acknowledgeEmergency": "{}", "resolveEmergency": "{}", "confirmEndOfEmergency": "{}",
        "reopenEmergency": "{}",
        "osmAnd": "lat=1.3&lon=103.8", "osmAndRoot": "lat=1.3&lon=103.8&id=1",
        "osmAndByToken": "lat=1.3&lon=103.8",
    ]

    private static let collection =
        #"{"type":"FeatureCollection","features":[\#(zone)]}"#

    /// Texts with numbers in «», which are replaced by every extreme value.
    static let templates: [String: [String]] = [
        "createZone": zones, "createZoneOfSet": zones, "createPrivateZone": zones,
        "patchZone": zones, "patchPrivateZone": zones, "patchZoneOfSet": zones,
        "importZones": zones.map(inCollection), "importZonesOfSet": zones.map(inCollection),
        "importPrivateZones": zones.map(inCollection),
        "invite": [#"{"uses":«2»}"#],
        "createCircle": [circle], "updateCircle": [circle],
        "createPerson": [person], "updatePerson": [person],
        "report": [report, #"{"reports":[\#(report)]}"#, #"[\#(report)]"#],
        "raiseEmergency": [emergency],
        "ownTracks": ownTracks + [overland],
        "osmAndRoot": ["id=1&" + osmAnd], "osmAnd": [osmAnd], "osmAndByToken": [osmAnd],
        "overland": [overland], "overlandByDawarich": [overland], "overlandByToken": [overland],
        "gpsLogger": [gpsLogger, osmAnd], "gpsLoggerPut": [gpsLogger],
        "gpsLoggerPatch": [gpsLogger], "gpsLoggerByToken": [gpsLogger],
        "gpsLoggerByTokenPut": [gpsLogger], "gpsLoggerByTokenPatch": [gpsLogger],
        "openGTS": [openGTS],
        "receiveReceiptForm": [receipt], "receiveReplyForm": [receipt],
    ]
    /// The same for queries.
    static let queries: [String: [String]] = [
        "osmAndRootQuery": ["id=1&" + osmAnd], "osmAndQuery": [osmAnd],
        "osmAndQueryByToken": [osmAnd], "gpsLoggerQuery": [gpsLogger],
        "gpsLoggerQueryByToken": [gpsLogger], "openGTSQuery": [openGTS], "openGTS": [openGTS],
        "receiveReceipt": [receipt], "receiveReply": [receipt],
        "importZones": files, "importZonesOfSet": files, "importPrivateZones": files,
    ]

    private static var files: [String] { ["format=geojson&preview=true&radius=«60»"] }

    private static func inCollection(_ feature: String) -> String {
        #"{"type":"FeatureCollection","features":[\#(feature)]}"#
    }

    private static let zone =
        #"{"type":"Feature","geometry":{"type":"Point","coordinates":[103.8,1.31]},"#
        + #""properties":{"name":"Z","radius":100}}"#
    private static let rules =
        #""inset":«0»,"priority":«5»,"alertDistance":«100»,"dwell":«60»,"hysteresis":«20»,"#
        + #""alarm":{"cycle":«60»,"sleep":«600»},"timeZone":"Asia/Singapore","#
        + #""absentBy":"«08»:«00»","schedule":{"windows":[{"days":["mon"],"from":"«08»:00","#
        + #""to":"«17»:«30»"}],"days":[«1»],"from":«8»,"to":«17»}"#
    private static let zones = [
        #"{"type":"Feature","geometry":{"type":"Point","coordinates":[«101.7»,«3.1»,«5»]},"#
            + #""properties":{"name":"Z","kind":"alert","radius":«100»,\#(rules)}}"#,
        #"{"type":"Feature","geometry":{"type":"LineString","coordinates":"#
            + #"[[«101.7»,«3.1»],[101.8,3.2]]},"#
            + #""properties":{"name":"C","halfWidth":«50»,"inset":«0»}}"#,
        #"{"type":"Feature","geometry":{"type":"Polygon","coordinates":"#
            + #"[[[101.7,3.1],[«101.8»,«3.1»],[101.8,«3.2»],[101.7,3.1]]]},"#
            + #""properties":{"name":"P","inset":«10»}}"#,
        #"{"type":"Feature","geometry":{"type":"MultiPolygon","coordinates":"#
            + #"[[[[101.7,3.1],[«101.8»,«3.1»],[101.8,3.2],[101.7,3.1]]]]},"#
            + #""properties":{"name":"P"}}"#,
    ]
    private static let circle =
        #"{"name":"X","historyDays":«30»,"escalation":[{"roles":["admin"],"channels":["sms"],"#
        + #""waitSeconds":«60»}]}"#
    private static let person =
        #"{"name":"P","contacts":[{"channel":"sms","address":"+15550009999","rank":«1»}]}"#
    private static let report =
        #"{"lat":«3.1»,"lon":«101.7»,"accuracy":«5»,"altitude":«9»,"speed":«1»,"course":«7»,"#
        + #""battery":«50»,"time":«1763634000»,"raised":«5»}"#
    private static let emergency =
        #"{"trigger":"fall","id":"same","countdown":«10»,"raised":«5»,"report":\#(report)}"#
    private static let ownTracks = [
        #"{"_type":"location","lat":«3.1»,"lon":«101.7»,"tst":«1763634000»,"acc":«5»,"alt":«3»,"#
            + #""vel":«4»,"cog":«5»,"batt":«6»,"bs":«1»,"vac":«7»,"created_at":«8»,"m":«1»,"#
            + #""p":«100.1»,"rad":«9»,"c":«1»}"#,
        #"{"_type":"waypoint","desc":"w","lat":«3.1»,"lon":«101.7»,"rad":«50»,"tst":«1763634000»}"#,
        #"{"_type":"waypoints","waypoints":[{"_type":"waypoint","desc":"w","lat":«3.1»,"#
            + #""lon":«101.7»,"rad":«50»,"tst":«1763634000»}]}"#,
        #"{"_type":"transition","event":"enter","desc":"w","lat":«3.1»,"lon":«101.7»,"acc":«5»,"#
            + #""tst":«1763634000»,"wtst":«1763634000»}"#,
        #"{"_type":"status","iOS":{"altimeterAuthorizationStatus":«1»,"#
            + #""locationManagerAuthorizationStatus":«4»,"backgroundRefreshStatus":«2»},"#
            + #""android":{"ps":«0»,"bo":«0»,"loc":«0»,"hib":«0»},"tst":«1763634000»}"#,
        #"{"_type":"lwt","tst":«1763634000»}"#,
        #"{"_type":"configuration","mode":«3»,"monitoring":«1»,"locatorInterval":«60»}"#,
        #"{"_type":"steps","tst":«1763634000»,"steps":«5»,"from":«1»,"to":«2»}"#,
        #"{"_type":"encrypted","data":"«1»"}"#,
    ]
    private static let overland =
        #"{"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":"#
        + #"[«101.7»,«3.1»]},"properties":{"timestamp":"2026-11-20T10:20:00Z","altitude":«1»,"#
        + #""speed":«2»,"course":«3»,"horizontal_accuracy":«4»,"vertical_accuracy":«5»,"#
        + #""battery_level":«0.5»,"timestamp":«1763634000»}}],"trip":{"distance":«1»,"#
        + #""start":"«5»"},"current":{"geometry":{"coordinates":[«1»,«2»]}}}"#
    private static let osmAnd =
        "lat=«3.1»&lon=«101.7»&timestamp=«1763634000»&hdop=«1»&altitude=«2»&speed=«3»"
        + "&bearing=«4»&batt=«5»&accuracy=«6»&cell=«502»,«1»,«2»,«3»,«4»&location=«3.1»,«101.7»"
    private static let gpsLogger =
        "lat=«3.1»&lon=«101.7»&time=«1763634000»&timeoffset=«2026-11-20T10:20:00»&s=«1»"
        + "&acc=«5»&alt=«6»&dir=«7»&prov=gps&batt=«50»&hdop=«1»&vdop=«2»&sat=«9»&dist=«4»"
        + "&starttimestamp=«1763634000»&timestamp=«1763634000»"
    private static let openGTS =
        "gprmc=$GPRMC,«102000»,A,«0308.34»,N,«10141.21»,E,«1.1»,«180»,«201126»,,*«47»"
        + "&alt=«1»&acc=«2»&batt=«3»&code=«63553»&id=1&dev=1&acct=1"
    private static let receipt =
        "id=«1»&status=«1»&time=«1763634000»&from=+15550001002&to=+15550001001&text=OK&parts=«1»"
        + "&coding=«0»&sms_id=«1»"

    /// Replaces each number of a template by every extreme value.
    ///
    /// - Parameter write: formats an extreme value
    static func variants(
        of template: String, with numbers: [String], _ write: (String) -> String
    ) -> [String] {
        let parts = template.split(separator: "«", omittingEmptySubsequences: false)
        let cut = parts.dropFirst().map {
            $0.split(separator: "»", maxSplits: 1, omittingEmptySubsequences: false)
        }
        return cut.indices.flatMap { place in
            numbers.map { extreme in
                var whole = String(parts[0])
                for (index, part) in cut.enumerated() {
                    whole += index == place ? write(extreme) : String(part[0])
                    whole += part.count > 1 ? String(part[1]) : ""
                }
                return whole
            }
        }
    }
}
