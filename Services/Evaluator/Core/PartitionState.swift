import Model

/// Everything that is decided about the people of one partition, a function of its log alone.
///
/// The same records give the same state and the same outputs, on every machine: time is the
/// record's, ids are hashes of meanings, and nothing depends on the order of a dictionary.
public struct PartitionState: Sendable {
    let rules: EvaluatorRules
    var people = Slots<PersonID, PersonState>()
    var circles = Slots<CircleID, JudgedZones>()
    /// Records of configuration so far; 0 is before the first.
    var configurations: UInt64 = 0
    /// Logic asked for by the log that this program does not have; it decides nothing any more.
    public private(set) var unknownLogic: Int?
    /// Zones that judge nobody because their geometry has a format this program does not know.
    public internal(set) var unreadableZones = 0

    public init(rules: EvaluatorRules = EvaluatorRules()) { self.rules = rules }

    /// Takes one record of `in/p`; what it leads to is appended to `outputs`, in order.
    public mutating func handle(_ event: Event, into outputs: inout [Event]) {
        guard unknownLogic == nil else { return }
        switch event.body {
        case .inputReport(let report): judge(report, event, into: &outputs)
        case .inputSignal, .inputCancel, .inputClock, .inputAcknowledgement, .inputResolution,
            .inputAdoption:
            handleEmergency(event, into: &outputs)
        case .inputPerson(let person): place(person)
        case .inputPersonRemoved(let removal): remove(removal.person, event, into: &outputs)
        case .inputCircle(let circle): place(circle)
        case .inputCircleRemoved(let removal): remove(removal.circle)
        case .inputLogic(let logic):
            if !EvaluatorLimits.logicVersions.contains(logic.version) {
                unknownLogic = logic.version
            }
        default:
            // Other kinds belong to other streams and say nothing here.
            break
        }
    }
}
