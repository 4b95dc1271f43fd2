import Model
import Web

/// A fact that a service confirmed in a response, with the step of that response.
struct Confirmed<Value> {
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

    var reports: [Confirmed<ReportID>] = []
    /// Signals with the person who raised them.
    private(set) var signals: [(id: EmergencyID, person: PersonID, step: Int)] = []
    /// Emergencies that were cancelled in time, as confirmed.
    var cancelled: [Confirmed<EmergencyID>] = []
    private(set) var watches: [WatchID: Confirmed<KnownWatch>] = [:]
    private(set) var ended: [WatchID: Int] = [:]
    /// Emergencies whose acknowledgement was confirmed.
    var acknowledged: [Confirmed<EmergencyID>] = []
    private(set) var rejections: [String: Int] = [:]

    mutating func raised(_ id: EmergencyID, by person: PersonID, _ step: Int) {
        signals.append((id, person, step))
    }

    /// A watch started, or was extended.
    mutating func watched(_ watch: KnownWatch, _ step: Int) {
        watches[watch.id] = Confirmed(watch, step)
    }

    mutating func ended(_ watch: WatchID, _ step: Int) { ended[watch] = step }

    /// A request was rejected permanently.
    mutating func rejected(_ what: String, _ response: Response) {
        rejections["\(what): \(response.status)", default: 0] += 1
    }
}
