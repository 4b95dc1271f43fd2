/// Complete requests that the service has not taken yet.
///
/// Reading a large body takes as long as hundreds of small ones. So those with small bodies are
/// given out alone, all of them, and in the next turn large ones up to a bound, at least one:
/// whoever calls for help waits for no more than that, however many large bodies have come before.
/// What is about a call for help may be four times as large and counts as small all the same.
struct Arrivals {
    private let limits: ServerLimits
    private var small: [Request] = []
    /// From ``nextLarge`` on, the oldest first.
    private var large: [Request] = []
    private var nextLarge = 0
    private static let roomKept = 256
    /// Small ones were given out last.
    private var isLargesTurn = false

    init(limits: ServerLimits) { self.limits = limits }

    var isEmpty: Bool { small.isEmpty && nextLarge == large.count }

    /// Requests that are held here, given out or not.
    var heldCount: Int { small.count + large.count }

    mutating func append(_ request: Request) {
        if request.body.count <= limits.smallBodyBytes(of: request.path) {
            small.append(request)
        } else {
            large.append(request)
        }
    }

    /// What is to be done in one turn; empty only if nothing is there.
    mutating func take() -> [Request] {
        guard nextLarge < large.count, small.isEmpty || isLargesTurn else {
            isLargesTurn = nextLarge < large.count
            let taken = small
            // Room for as many again: the next turn most likely has them.
            small = []
            small.reserveCapacity(min(taken.count, Arrivals.roomKept))
            return taken
        }
        isLargesTurn = false
        let first = nextLarge
        var bytes = 0
        repeat {
            bytes += large[nextLarge].body.count
            nextLarge += 1
        } while nextLarge < large.count
            && bytes + large[nextLarge].body.count <= limits.largeBytesPerTurn
        let taken = Array(large[first..<nextLarge])
        // What was given out is let go of, at the latest when it is half of the list.
        for place in first..<nextLarge { large[place].body = [] }
        if nextLarge * 2 >= large.count {
            large.removeFirst(nextLarge)
            nextLarge = 0
        }
        return taken
    }
}
