import Model
import Parsing

/// A call for help, as far as it could be understood.
public struct EmergencyCall: Hashable, Sendable {
    public var trigger: EmergencyTrigger
    /// Seconds; nil where the call does not say.
    public var countdownSeconds: Int?
    /// The same for a call sent again.
    public var messageID: String?
    /// When it was raised, as the caller says.
    public var raised: Timestamp?
    public var note: String?
    /// The report inside of it.
    public var observation: Observation?
    /// Percent; of the report inside of it, also where the report has no usable position.
    public var battery: UInt8?
    /// Fields that were there and could not be used.
    public var ignored: [String]

    public init(
        trigger: EmergencyTrigger = .panic, countdownSeconds: Int? = nil, messageID: String? = nil,
        raised: Timestamp? = nil, note: String? = nil, observation: Observation? = nil,
        battery: UInt8? = nil, ignored: [String] = []
    ) {
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

/// The body of `POST /v1/emergencies`.
///
/// Whoever calls for help is heard: a field that cannot be used is left out and named in
/// ``EmergencyCall/ignored``, and even a body that is no JSON at all is a panic.
public enum JagaEmergency {
    /// What phones and wearables raise; the other triggers are the suite's own.
    public static let triggers: Set<EmergencyTrigger> = [.panic, .shake, .fall, .crash, .noMotion]

    ///
    /// - Parameter received: when it arrived.
    public static func read(_ body: [UInt8], received: Timestamp) -> EmergencyCall {
        if body.isEmpty { return EmergencyCall() }
        guard let json = try? JSON.parse(body, valuesMax: JSON.bodyValuesMax), case .object = json
        else {
            return EmergencyCall(ignored: ["body"])
        }
        var fields = Fields(json: json)
        var battery: UInt8?
        let trigger = fields.take("trigger") { value in
            value.string.flatMap { EmergencyTrigger(rawValue: $0) }
                .flatMap { triggers.contains($0) ? $0 : nil }
        }
        return EmergencyCall(
            trigger: trigger ?? .panic,
            countdownSeconds: fields.take("countdown") { $0.double.flatMap(wholeSeconds) },
            messageID: fields.take("id") { Quantity.messageID($0.string) },
            raised: fields.take("raised") { $0.string.flatMap { Timestamp($0) } },
            note: fields.take("note") { $0.string },
            observation: fields.take("report") {
                let reading = JagaReports.read($0.serialized(), received: received)
                battery = reading.observations.first?.battery ?? reading.news.battery?.percent
                return reading.observations.first
            },
            battery: battery, ignored: fields.ignored)
    }

    /// Rounded up; any number is one: the caller's bounds are the server's.
    private static func wholeSeconds(_ value: Double) -> Int? {
        value.isFinite ? Int(nearest: max(0, min(value, 86_400)), .up) : nil
    }

    /// Fields taken one by one; what is there and of no use is remembered.
    private struct Fields {
        let json: JSON
        var ignored: [String] = []

        mutating func take<Value>(_ name: String, _ read: (JSON) -> Value?) -> Value? {
            guard let field = json[name], field != .null else { return nil }
            let value = read(field)
            if value == nil { ignored.append(name) }
            return value
        }
    }
}
