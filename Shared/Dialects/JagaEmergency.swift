import Model
import Parsing

/// An emergency request with everything that could be decoded.
public struct EmergencyCall: Hashable, Sendable {
    /// For whom somebody calls.
    public enum Subject: Hashable, Sendable {
        case themselves
        /// A guardian calls on behalf of this person.
        case person(PersonID)
        /// On behalf of somebody who is not named, or not by an id.
        case unknown
    }

    public var trigger: EmergencyTrigger
    public var subject: Subject
    /// Seconds; nil = not specified.
    public var countdownSeconds: Int?
    /// The client's id of the request; equal for retries.
    public var messageID: String?
    /// When the emergency was raised, by the client's clock.
    public var raised: Timestamp?
    public var note: String?
    /// The report contained in the request.
    public var observation: Observation?
    /// Battery level of the contained report in percent, even if its position is unusable.
    public var battery: UInt8?
    /// Names of fields that were present but unusable.
    public var ignored: [String]

    public init(
        trigger: EmergencyTrigger = .panic, countdownSeconds: Int? = nil, messageID: String? = nil,
        raised: Timestamp? = nil, note: String? = nil, observation: Observation? = nil,
        battery: UInt8? = nil, ignored: [String] = [], subject: Subject = .themselves
    ) {
        self.subject = subject
        self.trigger = trigger
        self.countdownSeconds = countdownSeconds
        self.messageID = messageID
        self.raised = raised
        self.note = note
        self.observation = observation
        self.battery = battery
        self.ignored = ignored
    }
}

/// Reads the body of `POST /v1/emergencies`.
///
/// An emergency request for oneself is never rejected. Unusable fields are omitted and listed in
/// ``EmergencyCall/ignored``; even a body that is not JSON raises an emergency.
public enum JagaEmergency {
    /// Reads one body.
    ///
    /// - Parameter received: time of arrival
    public static func read(_ body: [UInt8], received: Timestamp) -> EmergencyCall {
        if body.isEmpty { return EmergencyCall() }
        guard let json = try? JSON.parse(body, valuesMax: JSON.bodyValuesMax), case .object = json
        else {
            return EmergencyCall(ignored: ["body"])
        }
        var fields = Fields(json: json)
        var battery: UInt8?
        let subject = subject(json)
        var trigger: EmergencyTrigger?
        if json["trigger"]?.string != EmergencyTrigger.guardian.rawValue {
            trigger = fields.read("trigger") {
                $0.string.flatMap(EmergencyTrigger.init(fromPhone:))
            }
        }
        return EmergencyCall(
            trigger: trigger ?? .panic,
            countdownSeconds: fields.read("countdown") { $0.double.flatMap(wholeSeconds) },
            messageID: fields.read("id") { Quantity.messageID($0.string) },
            raised: fields.read("raised") { $0.string.flatMap { Timestamp($0) } },
            note: fields.read("note") { $0.string },
            observation: fields.read("report") {
                let reading = JagaReports.read($0.serialized(), received: received)
                battery = reading.observations.first?.battery ?? reading.status.battery?.percent
                return reading.observations.first
            },
            battery: battery, ignored: fields.ignored, subject: subject)
    }

    /// A call names the person for whom it is made, or has the trigger `guardian`. Such a call must
    /// never become an emergency of the caller.
    private static func subject(_ json: JSON) -> EmergencyCall.Subject {
        let name = json["person"] ?? .null
        guard name != .null else {
            let isForOther = json["trigger"]?.string == EmergencyTrigger.guardian.rawValue
            return isForOther ? .unknown : .themselves
        }
        return name.string.flatMap { PersonID($0) }.map { .person($0) } ?? .unknown
    }

    /// Rounds up and clamps to one day. The server applies its own limits.
    private static func wholeSeconds(_ value: Double) -> Int? {
        value.isFinite ? Int(nearest: max(0, min(value, 86_400)), .up) : nil
    }

    /// Reads fields of an object and records those that are unusable.
    private struct Fields {
        let json: JSON
        var ignored: [String] = []

        mutating func read<Value>(_ name: String, _ convert: (JSON) -> Value?) -> Value? {
            guard let field = json[name], field != .null else { return nil }
            let value = convert(field)
            if value == nil { ignored.append(name) }
            return value
        }
    }
}
