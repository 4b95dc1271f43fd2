import Hashing
import Model
import Parsing

/// OwnTracks in HTTP mode: what its apps post.
///
/// The apps re-send until they hear success and then forget, so nothing here fails: what cannot be
/// used is a ``Rejection`` for the quarantine, and the answer is an array all the same.
public enum OwnTracks {
    /// Reads one posted body.
    ///
    /// - Parameters:
    ///   - app: whose quirks are to be minded.
    ///   - received: stands in for a fix without `tst`, as OwnTracks' own recorder does it.
    ///   - sosWord: a `poi` or `tag` with this word (any case, blanks around it ignored) is a
    ///     panic; iOS has no other way to raise one, and keeps a tag until somebody takes it away.
    ///     Empty: none is.
    ///   - key: opens what comes `encrypted`; nil = there is none.
    public static func read(
        _ body: [UInt8], from app: App = .other, received: Timestamp, sosWord: String,
        key: Key? = nil
    ) -> Reading {
        if body.isEmpty { return .nothing }
        let moment = Moment(received: received, sosWord: sosWord, app: app)
        let message: Message
        do throws(ParseError) {
            message = try JSONView.read(body, valuesMax: JSON.bodyValuesMax) {
                self.message($0, moment)
            }
        } catch {
            return .rejected(QuarantineReason(error))
        }
        switch message {
        case .none: return .rejected(.notAnObject)
        case .said(let reading): return reading
        case .sealed(let envelope):
            guard let key else { return .rejected(.encrypted) }
            var reading = Reading.rejected(.undecryptable)
            if let plain = unseal(envelope, key: key),
                case .said(let inner)? = try? JSONView.read(
                    plain, valuesMax: JSON.bodyValuesMax, { self.message($0, moment) })
            {
                reading = inner
            }
            reading.news.isSealed = true
            return reading
        }
    }

    /// What stands in a message, or the envelope around one.
    private enum Message {
        case none
        case said(Reading)
        case sealed(JSON)
    }

    private static func message(_ json: JSONView, _ moment: Moment) -> Message {
        guard json.isObject, let type = json["_type"]?.string else {
            return .none
        }
        return type == "encrypted" ? .sealed(json.json) : .said(read(json, type, moment))
    }

    /// What a message is read with, beside itself.
    struct Moment {
        let received: Timestamp
        let sosWord: String
        let app: App

        /// The time, or the arrival of a message of a phone whose clock is far ahead.
        func bounded(_ time: Timestamp?) -> Timestamp? {
            time.map { $0 > received + Moment.aheadMax ? received : $0 }
        }

        /// As far ahead of the server a clock may be.
        private static let aheadMax = Duration.seconds(120)
    }

    private static func read(_ json: JSONView, _ type: String, _ moment: Moment) -> Reading {
        switch type {
        case "location": location(json, moment)
        case "transition": transition(json, moment)
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
        reading.news.isLastWill = true
        return reading
    }

    private static func location(_ json: JSONView, _ moment: Moment) -> Reading {
        let isMarked = Quantity.isCall(json["poi"]?.string, word: moment.sosWord)
        let isTagged = Quantity.isCall(json["tag"]?.string, word: moment.sosWord)
        let isPanic = isMarked || isTagged
        let battery = Quantity.battery(json["batt"]?.number)
        let messageID = messageID(json)
        let created = moment.bounded(Quantity.time(json["created_at"]?.number))
        var reading = Reading()
        reading.news.isReply = json["t"]?.string == "r"
        // iOS keeps a tag; whatever else sends one means this message, and so does a person.
        let keepsTag = moment.app == .iOS
        if keepsTag { reading.news.isTagged = isTagged }
        let isByHand = json["t"]?.string == "u"
        let charging = charging(json["bs"]?.number)
        let said = created ?? moment.bounded(moment.app.time(json["tst"]?.number))
        if isByHand, !isPanic { reading.news.pressed = said ?? moment.received }
        reading.news.monitoring = json["m"]?.number
            .flatMap { Int(exactly: $0) }
            .map { Monitoring(mode: $0, said: said ?? moment.received) }
        var usable: Fix?
        switch fix(json, moment) {
        case .failure(let unusable):
            reading.rejections.append(Rejection(index: 0, reason: unusable.reason))
            reading.take(
                PhoneBattery(
                    percent: battery, charging: charging, time: said ?? moment.received))
        case .success(let fix):
            usable = fix
            let trigger = isPanic ? .panic : trigger(json["t"]?.string)
            reading.observations.append(
                Observation(
                    fix: fix, trigger: trigger, battery: battery,
                    charging: charging, messageID: messageID,
                    altitudeAccuracyMetres: Quantity.altitudeAccuracy(json["vac"]?.number),
                    created: created))
        }
        if isPanic {
            // A cached fix can be hours older than the call: its time says nothing about it.
            reading.panics.append(
                Panic(
                    messageID: messageID,
                    content: messageID == nil && created == nil
                        ? Hash.blake2b128(json.json.serialized()) : nil,
                    raised: created ?? moment.received, fix: usable, battery: battery,
                    isTag: keepsTag && !isMarked && !isByHand))
        }
        return reading
    }

    /// A fence of the phone's own was crossed: a place like any other. Whether somebody is in a
    /// zone is never the phone's to decide.
    private static func transition(_ json: JSONView, _ moment: Moment) -> Reading {
        switch fix(json, moment) {
        case .failure(let unusable):
            // Without a place it is a hint only, and nothing is lost with it.
            unusable.reason == .missingPosition ? .nothing : .rejected(unusable.reason)
        case .success(let fix):
            Reading(observations: [Observation(fix: fix, trigger: .significant)])
        }
    }

    private static func fix(_ json: JSONView, _ moment: Moment) -> Result<Fix, Unusable> {
        let time: Timestamp
        if let said = json["tst"], !said.isNull {
            guard let value = moment.app.time(said.number) else {
                return .failure(Unusable(reason: .badTime))
            }
            time = value
        } else {
            time = moment.received
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

    /// `_id` has 32 bits only, too few for the years of a device; with `tst` it is one message.
    private static func messageID(_ json: JSONView) -> String? {
        guard let id = Quantity.messageID(json["_id"]?.string) else { return nil }
        guard let time = json["tst"]?.number else { return id }
        return "\(id)@\(time)"
    }

    /// Letters that are new to us are ordinary reports.
    private static func trigger(_ letter: String?) -> Trigger {
        switch letter {
        case "p", "r": .ping
        case "u": .manual
        case "c", "C", "b", "e", "v", "m": .significant
        default: .periodic
        }
    }

    /// 1 unplugged, 2 charging, 3 full; anything else is unknown.
    private static func charging(_ state: Double?) -> Bool? {
        switch state {
        case 1: false
        case 2, 3: true
        default: nil
        }
    }
}
