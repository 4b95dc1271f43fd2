import Hashing
import Model
import Parsing

/// Jaga's own dialect: `POST /v1/reports` and the report inside of `POST /v1/emergencies`.
///
/// One object or `{"reports":[…]}`; degrees, metres, metres a second, percent, RFC 3339. `policy`
/// beside it is the mark of the policy by which the phone reports, `hindrances` what keeps it from
/// reporting: all of it, so an empty list says that nothing does. `battery` and `charging` beside
/// `reports` are those of now, also where that list is empty. A report that somebody asked for
/// has the trigger `ping`.
public enum JagaReports {
    /// Reports in one message; more are a ``Rejection`` as too many, from the first of them on.
    public static let reportsMax = 2000
    /// When so many calls for help are known, none is looked for among what is too much.
    private static let panicsBeyondMax = 16

    /// Reads one body.
    ///
    /// A report that cannot be used is a ``Rejection`` with its index, and the others count; one
    /// without a payload is the whole body, which is no JSON, or none that could mean anything.
    ///
    /// - Parameters:
    ///   - received: when a panic was raised that does not say so.
    ///   - first: of a list, reports before this one are passed over.
    public static func read(
        _ body: [UInt8], received: Timestamp, from first: Int = 0
    ) -> Reading {
        do throws(ParseError) {
            return try JSONView.read(body, valuesMax: JSON.bodyValuesMax) {
                read($0, received: received, from: first)
            }
        } catch {
            return .rejected(QuarantineReason(error))
        }
    }

    /// The same of a text that is looked at where it lies.
    private static func read(
        _ json: JSONView, received: Timestamp, from first: Int
    ) -> Reading {
        guard json.isObject else { return .rejected(.notAnObject) }
        var reading = Reading(policyMark: json["policy"]?.string)
        reading.news.hindrances = hindrances(json["hindrances"])
        guard let list = json["reports"] else {
            read(json, index: 0, received: received, into: &reading)
            return reading
        }
        guard let reports = list.elements else { return .rejected(.notAnObject) }
        reading.take(
            PhoneBattery(
                percent: Quantity.battery(json["battery"]?.double),
                charging: json["charging"]?.bool, time: received))
        let end = first + reportsMax
        reading.observations.reserveCapacity(min(reports.count, reportsMax))
        for (index, report) in reports.enumerated() where index >= first {
            guard index >= end else {
                read(report, index: index, received: received, into: &reading)
                continue
            }
            // Beyond what counts only calls for help are looked for, and once.
            guard first == 0, reading.panics.count < panicsBeyondMax,
                report["trigger"]?.isText("panic") == true
            else { continue }
            var beyond = Reading()
            read(report, index: index, received: received, into: &beyond)
            reading.panics += beyond.panics
        }
        if reports.count > end {
            reading.rejections.append(Rejection(index: end, reason: .tooMany))
        }
        return reading
    }

    /// Nil where the phone does not say; names that Jaga does not know are passed over, and so is
    /// what no phone can say of itself.
    private static func hindrances(_ json: JSONView?) -> [Hindrance]? {
        guard let names = json?.elements else { return nil }
        let said = names.prefix(hindrancesMax).compactMap { $0.string }.compactMap(Hindrance.init)
        return Set(said).subtracting([.undecryptable]).sorted()
    }

    /// Names beyond these are not looked at.
    private static let hindrancesMax = 64

    private static func read(
        _ json: JSONView, index: Int, received: Timestamp, into reading: inout Reading
    ) {
        guard json.isObject else {
            reading.rejections.append(
                Rejection(index: index, reason: .notAnObject, payload: json.json.serialized()))
            return
        }
        let isPanic = json["trigger"]?.isText("panic") ?? false
        let battery = Quantity.battery(json["battery"]?.double)
        let charging = json["charging"]?.bool
        let messageID = Quantity.messageID(json["id"]?.string)
        var usable: Fix?
        switch fix(json) {
        case .failure(let unusable):
            reading.rejections.append(
                Rejection(index: index, reason: unusable.reason, payload: json.json.serialized()))
            reading.take(
                PhoneBattery(
                    percent: battery, charging: charging, time: json["time"]?.time ?? received))
        case .success(let fix):
            usable = fix
            let trigger = trigger(json["trigger"]?.string)
            if trigger == .ping { reading.news.isReply = true }
            reading.observations.append(
                Observation(
                    fix: fix, trigger: trigger, battery: battery,
                    charging: charging, messageID: messageID))
        }
        if isPanic {
            // A cached fix can be hours older than the call: its time says nothing about it.
            let raised = json["raised"]?.time
            reading.panics.append(
                Panic(
                    messageID: messageID,
                    content: messageID == nil && raised == nil
                        ? Hash.blake2b128(json.json.serialized()) : nil,
                    raised: raised ?? received, fix: usable, battery: battery))
        }
    }

    private static func fix(_ json: JSONView) -> Result<Fix, Unusable> {
        guard let time = json["time"]?.time, time > .zero else {
            return .failure(Unusable(reason: .badTime))
        }
        let position = Quantity.position(latitude: json["lat"], longitude: json["lon"])
            .usable(from: .own, accuracy: json["accuracy"]?.double)
        return position.map { position in
            Fix(
                time: time, position: position,
                accuracyCentimetres: Quantity.accuracy(json["accuracy"]?.double),
                altitudeCentimetres: Quantity.altitude(json["altitude"]?.double),
                speedCentimetresPerSecond: Quantity.speed(json["speed"]?.double),
                courseDegrees: Quantity.course(json["course"]?.double))
        }
    }

    private static func trigger(_ name: String?) -> Trigger {
        switch name {
        case "significant": .significant
        case "manual": .manual
        case "panic": .panic
        case "ping": .ping
        default: .periodic
        }
    }
}
