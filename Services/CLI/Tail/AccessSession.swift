import Hosting
import Model
import Parsing
import Runtime

/// Records in people's access logs that the operator sees where they are, before it is shown.
///
/// Streams are read with a key over the bus, where nobody sees who reads what. So `jaga tail --pii`
/// shows a position only after ingest has recorded the look; what cannot be recorded stays masked.
final class AccessSession {
    /// Records looks at these people; throws where that is not possible.
    private let record: (Set<PersonID>) throws -> Void
    private let now: () -> Timestamp
    private var hour: Int64 = 0
    private var recorded: Set<PersonID> = []
    private(set) var isRefused = false

    init(now: @escaping () -> Timestamp, record: @escaping (Set<PersonID>) throws -> Void) {
        self.now = now
        self.record = record
    }

    /// A session with the suite that a call means, as the operator.
    ///
    /// - Throws: ``CommandError`` where there is no operator's token
    convenience init(_ call: Call) throws {
        let api = try API(call)
        let clock = SystemClock()
        self.init(
            now: { clock.now },
            record: { people in
                let ids = people.sorted().map { JSON.string($0.description) }
                _ = try api.post("/v1/access-log", ["people": .array(ids)])
            })
    }

    /// Whether an event may be shown whole.
    ///
    /// - Parameter person: whom it is about; nil = nobody or more than one
    func mayShow(_ json: JSON, about person: PersonID?) -> Bool {
        guard let person, json.tellsWhere else { return true }
        let current = now().seconds / 3600
        if current != hour {
            hour = current
            recorded.removeAll()
        }
        if recorded.contains(person) { return true }
        do {
            try record([person])
        } catch {
            if !isRefused {
                Console.complain(
                    "jaga tail: positions stay masked, the access log cannot be written: \(error)")
            }
            isRefused = true
            return false
        }
        isRefused = false
        recorded.insert(person)
        return true
    }
}
