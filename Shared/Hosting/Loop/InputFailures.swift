import Hashing
import Model
import Web

/// Counts failures of requests and transfer results that ran in a transaction of their own.
///
/// The first failures may be temporary. After ``triesMax`` failures an input is abandoned: nothing
/// is retried forever, and clients get an answer. A repeated request counts as the same input.
struct InputFailures {
    /// An input that runs alone.
    enum Input {
        case request(Request)
        case result(TransferResult)

        /// Identifies requests by sender and content, results by their transfer.
        fileprivate var key: ID128 {
            switch self {
            case .request(let request):
                Hash.id(
                    .text(request.method.rawValue), .text(request.path),
                    .text("\(request.query)"), .text(request.headers["Authorization"] ?? ""),
                    .bytes(request.body))
            case .result(let result): Hash.id("result", .number(result.token))
            }
        }
    }

    /// How often an input may fail alone.
    static let triesMax = 3
    /// Maximum number of counted inputs; the oldest are dropped.
    static let inputsMax = 256

    private var tries: [ID128: Int] = [:]
    /// Oldest first.
    private var keys: [ID128] = []

    /// Whether an input failed alone before, so that it must not share a transaction.
    func isSuspect(_ input: Input) -> Bool { !tries.isEmpty && tries[input.key] != nil }

    /// Counts a failure that was not caused by the store.
    ///
    /// - Returns: the number of failures so far
    mutating func failed(_ input: Input) -> Int {
        let key = input.key
        if tries[key] == nil {
            keys.append(key)
            if keys.count > InputFailures.inputsMax { tries[keys.removeFirst()] = nil }
        }
        tries[key, default: 0] += 1
        return tries[key] ?? 0
    }

    /// Forgets an input that was handled or dropped.
    mutating func ended(_ input: Input) {
        guard !tries.isEmpty else { return }
        let key = input.key
        if tries.removeValue(forKey: key) != nil { keys.removeAll { $0 == key } }
    }
}
