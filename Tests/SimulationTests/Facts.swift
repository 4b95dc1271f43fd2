import Model
import Web

/// Something that a service promised by an answer, and the step in which it did.
struct Promise<Value> {
    let value: Value
    let step: Int

    init(_ value: Value, _ step: Int) {
        self.value = value
        self.step = step
    }
}

/// What the people of a world know for sure, because they were told so.
struct Facts {
    struct KnownWatch {
        let id: WatchID
        /// Of the timer's clock.
        let expiry: Timestamp
    }

    var reports: [Promise<ReportID>] = []
    /// Signals by whom they were raised.
    private(set) var signals: [(id: EmergencyID, person: PersonID, step: Int)] = []
    /// Those that were taken back in time, as they were told.
    var cancelled: [Promise<EmergencyID>] = []
    private(set) var watches: [WatchID: Promise<KnownWatch>] = [:]
    private(set) var ended: [WatchID: Int] = [:]
    /// Emergencies that somebody took, and was told so.
    var taken: [Promise<EmergencyID>] = []
    private(set) var refusals: [String: Int] = [:]

    mutating func raised(_ id: EmergencyID, by person: PersonID, _ step: Int) {
        signals.append((id, person, step))
    }

    /// A watch began, or was extended.
    mutating func watched(_ watch: KnownWatch, _ step: Int) {
        watches[watch.id] = Promise(watch, step)
    }

    mutating func ended(_ watch: WatchID, _ step: Int) { ended[watch] = step }

    /// Something was not accepted, and will not be.
    mutating func refused(_ what: String, _ response: Response) {
        refusals["\(what): \(response.status)", default: 0] += 1
    }
}
