import Hashing
import Model
import Parsing

/// Reads what OwnTracks apps post in HTTP mode.
///
/// The apps retry until they receive success, so reading never fails: unusable content becomes a
/// ``Rejection`` for the quarantine, and the answer is always an array.
public enum OwnTracks {
    /// Reads one posted body.
    ///
    /// - Parameters:
    ///   - app: the sending app, for its peculiarities
    ///   - received: replaces a missing `tst`, as in OwnTracks' own recorder
    ///   - sosWord: a `poi` or `tag` that begins with this word raises an emergency, see
    ///     ``AlarmWords``; empty = none does. iOS has no other way to raise one, and keeps a
    ///     tag until the user removes it.
    ///   - key: decrypts `encrypted` messages; nil = no key
    public static func read(
        _ body: [UInt8], from app: App = .other, received: Timestamp, sosWord: String,
        key: Key? = nil
    ) -> Reading {
        if body.isEmpty { return .nothing }
        let context = ReadContext(received: received, sosWord: sosWord, app: app)
        let message: Message
        do throws(ParseError) {
            message = try JSONView.read(body, valuesMax: JSON.bodyValuesMax) {
                self.message($0, context)
            }
        } catch {
            return .rejected(QuarantineReason(error))
        }
        switch message {
        case .none: return .rejected(.notAnObject)
        case .plain(let reading): return reading
        case .encrypted(let envelope):
            guard let key else { return .rejected(.encrypted) }
            var reading = Reading.rejected(.undecryptable)
            if let plain = unseal(envelope, key: key),
                case .plain(let inner)? = try? JSONView.read(
                    plain, valuesMax: JSON.bodyValuesMax, { self.message($0, context) })
            {
                reading = inner
            }
            reading.status.isEncrypted = true
            return reading
        }
    }

    /// A decoded message, or the envelope of an encrypted one.
    private enum Message {
        case none
        case plain(Reading)
        case encrypted(JSON)
    }

    private static func message(_ json: JSONView, _ context: ReadContext) -> Message {
        guard json.isObject, let type = json["_type"]?.string else {
            return .none
        }
        return type == "encrypted" ? .encrypted(json.json) : .plain(read(json, type, context))
    }

    /// Context in which a message is read.
    struct ReadContext {
        let received: Timestamp
        let sosWord: String
        let app: App

        /// The time, or the time of arrival if the phone's clock is far ahead.
        func bounded(_ time: Timestamp?) -> Timestamp? {
            time.map { $0 > received + ReadContext.aheadMax ? received : $0 }
        }

        /// Maximum deviation of a clock that is ahead of the server.
        private static let aheadMax = Duration.seconds(120)
    }

    private static func read(_ json: JSONView, _ type: String, _ context: ReadContext) -> Reading {
        switch type {
        case "location": location(json, context)
        case "transition": transition(json, context)
        case "waypoint": waypoints([json.json], isOne: true)
        case "waypoints":
            json.json["waypoints"]?.array.map { waypoints($0, isOne: false) }
                ?? .rejected(.notAnObject)
        case "status": status(json.json)
        case "card": card(json.json)
        case "lwt": lastWill
        case "cmd", "configuration", "dump", "steps", "beacon", "request": .nothing
        default: .rejected(.otherType)
        }
    }

    private static var lastWill: Reading {
        var reading = Reading.nothing
        reading.status.isLastWill = true
        return reading
    }

    private static func location(_ json: JSONView, _ context: ReadContext) -> Reading {
        let mark = AlarmWords.trigger(inNote: json["poi"]?.string, word: context.sosWord)
        let tag = AlarmWords.trigger(inNote: json["tag"]?.string, word: context.sosWord)
        let alarm = mark ?? tag
        let battery = Quantity.battery(json["batt"]?.number)
        let messageID = messageID(json)
        let created = context.bounded(Quantity.time(json["created_at"]?.number))
        var reading = Reading()
        reading.status.isReply = json["t"]?.string == "r"
        // iOS keeps a tag across messages. From any other app, and in a manual report, it refers to
        // this message.
        let keepsTag = context.app == .iOS
        if keepsTag { reading.status.isTagged = tag != nil }
        let isByHand = json["t"]?.string == "u"
        let charging = charging(json["bs"]?.number)
        let reported = created ?? context.bounded(context.app.time(json["tst"]?.number))
        if isByHand, alarm == nil { reading.status.pressed = reported ?? context.received }
        reading.status.monitoring = json["m"]?.number
            .flatMap { Int(exactly: $0) }
            .map { Monitoring(mode: $0, time: reported ?? context.received) }
        var usable: Fix?
        switch fix(json, context) {
        case .failure(let unusable):
            reading.rejections.append(Rejection(index: 0, reason: unusable.reason))
            reading.record(
                PhoneBattery(
                    percent: battery, charging: charging, time: reported ?? context.received))
        case .success(let fix):
            usable = fix
            let trigger = alarm != nil ? .panic : trigger(json["t"]?.string)
            reading.observations.append(
                Observation(
                    fix: fix, trigger: trigger, battery: battery,
                    charging: charging, messageID: messageID,
                    altitudeAccuracyMetres: Quantity.altitudeAccuracy(json["vac"]?.number),
                    created: created))
        }
        if let alarm {
            // A cached fix can be hours older than the emergency, so its time is not used.
            reading.panics.append(
                Panic(
                    alarm, messageID: messageID,
                    content: messageID == nil && created == nil
                        ? Hash.blake2b128(json.json.serialized()) : nil,
                    raised: created ?? context.received, fix: usable, battery: battery,
                    isTag: keepsTag && mark == nil && !isByHand))
        }
        return reading
    }

    /// Reads a crossing of one of the phone's own geofences as an ordinary position. Presence in
    /// zones is decided by the server only.
    private static func transition(_ json: JSONView, _ context: ReadContext) -> Reading {
        switch fix(json, context) {
        case .failure(let unusable):
            // A transition without a position has no information to lose.
            unusable.reason == .missingPosition ? .nothing : .rejected(unusable.reason)
        case .success(let fix):
            Reading(observations: [Observation(fix: fix, trigger: .significant)])
        }
    }

    private static func fix(_ json: JSONView, _ context: ReadContext) -> Result<Fix, Unusable> {
        let time: Timestamp
        if let timestamp = json["tst"], !timestamp.isNull {
            guard let value = context.app.time(timestamp.number) else {
                return .failure(Unusable(reason: .badTime))
            }
            time = value
        } else {
            time = context.received
        }
        let position = Quantity.position(latitude: json["lat"], longitude: json["lon"])
            .usable(from: .tracker, accuracy: json["acc"]?.number)
        return position.map { position in
            let kilometresPerHour = json["vel"]?.number
            return Fix(
                time: time, position: position,
                accuracyCentimetres: Quantity.accuracy(json["acc"]?.number),
                altitudeCentimetres: Quantity.altitude(json["alt"]?.number),
                speedCentimetresPerSecond: Quantity.speed(kilometresPerHour.map { $0 / 3.6 }),
                courseDegrees: Quantity.course(json["cog"]?.number))
        }
    }

    /// `_id` has only 32 bits, too few for the lifetime of a device. Combined with `tst` it is
    /// unique.
    private static func messageID(_ json: JSONView) -> String? {
        guard let id = Quantity.messageID(json["_id"]?.string) else { return nil }
        guard let time = json["tst"]?.number else { return id }
        return "\(id)@\(time)"
    }

    /// Unknown letters are ordinary reports.
    private static func trigger(_ letter: String?) -> Trigger {
        switch letter {
        case "p", "r": .ping
        case "u": .manual
        case "c", "C", "b", "e", "v", "m": .significant
        default: .periodic
        }
    }

    /// 1 unplugged, 2 charging, 3 full; other values are unknown.
    private static func charging(_ state: Double?) -> Bool? {
        switch state {
        case 1: false
        case 2, 3: true
        default: nil
        }
    }
}
