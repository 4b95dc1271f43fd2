import Hashing
import Model
import Parsing

/// Reads Jaga's own format: `POST /v1/reports` and the report in `POST /v1/emergencies`.
///
/// The body is one report or `{"reports":[…]}`. Units are degrees, metres, metres per second,
/// percent and RFC 3339 times. Members beside `reports`:
///
/// - `policy` identifies the policy that the phone applies.
/// - `impairments` lists everything that keeps the phone from reporting; empty = nothing does.
/// - `battery` and `charging` are current values and are used even if the list is empty.
///
/// The answer to a location request has the trigger `ping`.
public enum JagaReports {
    /// Maximum reports in one message. The rest becomes one ``Rejection`` with the reason
    /// `tooMany`.
    public static let reportsMax = 2000
    /// Beyond the limit, search for emergencies ends after this many have been found.
    private static let panicsBeyondMax = 16

    /// Reads one body.
    ///
    /// An unusable report becomes a ``Rejection`` with its index, and the other reports count. A
    /// rejection without a payload concerns the whole body.
    ///
    /// - Parameters:
    ///   - received: time of an emergency without a `raised` time
    ///   - first: index of the first report to read
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

    /// Reads a parsed body without copying its texts.
    private static func read(
        _ json: JSONView, received: Timestamp, from first: Int
    ) -> Reading {
        guard json.isObject else { return .rejected(.notAnObject) }
        var reading = Reading(policyMark: json["policy"]?.string)
        reading.status.impairments = impairments(json["impairments"])
        guard let list = json["reports"] else {
            read(json, index: 0, received: received, into: &reading)
            return reading
        }
        guard let reports = list.elements else { return .rejected(.notAnObject) }
        reading.record(
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
            // Beyond the limit only emergencies are read, and only in the first pass.
            guard first == 0, reading.panics.count < panicsBeyondMax,
                alarm(of: report) != nil
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

    /// Returns nil if the member is missing. Ignores unknown names, and `undecryptable`, which a
    /// phone cannot report about itself.
    private static func impairments(_ json: JSONView?) -> [Impairment]? {
        guard let names = json?.elements else { return nil }
        let reported = names.prefix(impairmentsMax).compactMap { $0.string }.compactMap(
            Impairment.init)
        return Set(reported).subtracting([.undecryptable]).sorted()
    }

    /// Maximum names that are read from the list.
    private static let impairmentsMax = 64

    private static func read(
        _ json: JSONView, index: Int, received: Timestamp, into reading: inout Reading
    ) {
        guard json.isObject else {
            reading.rejections.append(
                Rejection(index: index, reason: .notAnObject, payload: json.json.serialized()))
            return
        }
        let alarm = alarm(of: json)
        let battery = Quantity.battery(json["battery"]?.double)
        let charging = json["charging"]?.bool
        let messageID = Quantity.messageID(json["id"]?.string)
        var usable: Fix?
        switch fix(json) {
        case .failure(let unusable):
            reading.rejections.append(
                Rejection(index: index, reason: unusable.reason, payload: json.json.serialized()))
            reading.record(
                PhoneBattery(
                    percent: battery, charging: charging, time: json["time"]?.time ?? received))
        case .success(let fix):
            usable = fix
            let trigger = alarm != nil ? .panic : trigger(json["trigger"]?.string)
            if trigger == .ping { reading.status.isReply = true }
            reading.observations.append(
                Observation(
                    fix: fix, trigger: trigger, battery: battery,
                    charging: charging, messageID: messageID))
        }
        if let alarm {
            // A cached fix can be hours older than the emergency, so its time is not used.
            let raised = json["raised"]?.time
            reading.panics.append(
                Panic(
                    alarm, messageID: messageID,
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

    /// The call for help in a report; nil = none.
    private static func alarm(of json: JSONView) -> EmergencyTrigger? {
        json["trigger"]?.string.flatMap(EmergencyTrigger.init(fromPhone:))
    }

    private static func trigger(_ name: String?) -> Trigger {
        switch name {
        case "significant": .significant
        case "manual": .manual
        case "ping": .ping
        default: .periodic
        }
    }
}

extension PhoneProtocol {
    /// Jaga's own API. Its paths are operations of the API.
    public static let jaga = PhoneProtocol("jaga") {
        JagaReports.read($0.body, received: $1.received, from: $1.first)
    }
}
