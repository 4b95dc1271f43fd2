import Model
import Web

/// A fact that a service confirmed in a response, and the step of that response.
struct Promise<Value> {
    let value: Value
    let step: Int

    init(_ value: Value, _ step: Int) {
        self.value = value
        self.step = step
    }
}

/// Everything that the people of a world know from responses.
struct Facts {
    struct KnownWatch {
        let id: WatchID
        /// By the timer's clock.
        let expiry: Timestamp
    }

    var reports: [Promise<ReportID>] = []
    /// Signals with the person who raised them.
    private(set) var signals: [(id: EmergencyID, person: PersonID, step: Int)] = []
    /// Emergencies that were cancelled in time, as confirmed.
    var cancelled: [Promise<EmergencyID>] = []
    private(set) var watches: [WatchID: Promise<KnownWatch>] = [:]
    private(set) var ended: [WatchID: Int] = [:]
    /// Emergencies whose acknowledgement was confirmed.
    var taken: [Promise<EmergencyID>] = []
    private(set) var refusals: [String: Int] = [:]

    mutating func raised(_ id: EmergencyID, by person: PersonID, _ step: Int) {
        signals.append((id, person, step))
    }

    /// A watch started, or was extended.
    mutating func watched(_ watch: KnownWatch, _ step: Int) {
        watches[watch.id] = Promise(watch, step)
    }

    mutating func ended(_ watch: WatchID, _ step: Int) { ended[watch] = step }

    /// A request was rejected for good.
    mutating func refused(_ what: String, _ response: Response) {
        refusals["\(what): \(response.status)", default: 0] += 1
    }
}
