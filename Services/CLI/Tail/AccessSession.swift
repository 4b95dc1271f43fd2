import Hosting
import Model
import Parsing
import Runtime

/// Records in access logs whose positions the operator sees, before they are shown.
///
/// A client with a bus key can read streams without anybody noticing. So `jaga tail --pii` shows a
/// position only after ingest has recorded the access; otherwise it stays masked.
final class AccessSession {
    /// Records access to the positions of people. Throws if it cannot be recorded.
    private let record: (Set<PersonID>) throws -> Void
    private let now: () -> Timestamp
    private var hour: Int64 = 0
    private var recorded: Set<PersonID> = []
    private(set) var hasFailed = false

    init(now: @escaping () -> Timestamp, record: @escaping (Set<PersonID>) throws -> Void) {
        self.now = now
        self.record = record
    }

    /// A session with the suite that a call names, as the operator.
    ///
    /// - Throws: ``CommandError`` if there is no operator token
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

    /// Whether an event may be shown unmasked.
    ///
    /// - Parameter person: whom it is about; nil = nobody, or several people
    func mayShow(_ json: JSON, about person: PersonID?) -> Bool {
        guard let person, json.hasPosition else { return true }
        let current = now().seconds / 3600
        if current != hour {
            hour = current
            recorded.removeAll()
        }
        if recorded.contains(person) { return true }
        do {
            try record([person])
        } catch {
            if !hasFailed {
                Console.printError(
                    "jaga tail: cannot write to the access log, positions stay masked: \(error)")
            }
            hasFailed = true
            return false
        }
        hasFailed = false
        recorded.insert(person)
        return true
    }
}
