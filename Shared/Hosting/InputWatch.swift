import Hashing
import Model
import Web

/// Requests, and results of transfers, that fail in a transaction of their own: how often each was
/// tried.
///
/// The first failures may be a passing matter. What fails each time is given up, so that whoever
/// asked hears of it and nothing is tried for ever. A request is the same when it is sent again.
struct InputWatch {
    /// What is taken alone.
    enum Input {
        case request(Request)
        case result(TransferResult)

        /// Requests are known by what they say and by whom, results by their transfer.
        fileprivate var mark: ID128 {
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

    /// Times that an input may fail alone.
    static let triesMax = 3
    /// Inputs that are counted apart; the oldest are forgotten.
    static let inputsMax = 256

    private var tries: [ID128: Int] = [:]
    /// The oldest first.
    private var marks: [ID128] = []

    /// Whether it failed alone before: it is not to spoil a transaction of others.
    func isSuspect(_ input: Input) -> Bool { !tries.isEmpty && tries[input.mark] != nil }

    /// It failed alone, and the store is not to blame.
    ///
    /// - Returns: how often by now
    mutating func failed(_ input: Input) -> Int {
        let mark = input.mark
        if tries[mark] == nil {
            marks.append(mark)
            if marks.count > InputWatch.inputsMax { tries[marks.removeFirst()] = nil }
        }
        tries[mark, default: 0] += 1
        return tries[mark] ?? 0
    }

    /// It was digested, or is dropped.
    mutating func ended(_ input: Input) {
        guard !tries.isEmpty else { return }
        let mark = input.mark
        if tries.removeValue(forKey: mark) != nil { marks.removeAll { $0 == mark } }
    }
}
