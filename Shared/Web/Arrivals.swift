/// Queue of complete requests that the service has not handled yet.
///
/// Handling a large body takes as long as hundreds of small ones. One turn therefore gets all
/// requests with small bodies, and the next one large bodies up to a limit, at least one: an
/// emergency request never waits for more than that. Bodies of emergency requests may be four times
/// as large and still count as small.
struct Arrivals {
    private let limits: ServerLimits
    private var small: [Request] = []
    /// Oldest first, from ``nextLarge`` on.
    private var large: [Request] = []
    private var nextLarge = 0
    private static let roomKept = 256
    /// Whether the last turn got small ones.
    private var isLargesTurn = false

    init(limits: ServerLimits) { self.limits = limits }

    var isEmpty: Bool { small.isEmpty && nextLarge == large.count }

    /// Number of stored requests, including those already popped.
    var heldCount: Int { small.count + large.count }

    mutating func append(_ request: Request) {
        if request.body.count <= limits.smallBodyBytes(of: request.path) {
            small.append(request)
        } else {
            large.append(request)
        }
    }

    /// Returns the requests of one turn; empty only if there are none.
    mutating func pop() -> [Request] {
        guard nextLarge < large.count, small.isEmpty || isLargesTurn else {
            isLargesTurn = nextLarge < large.count
            let popped = small
            // The next turn probably has as many.
            small = []
            small.reserveCapacity(min(popped.count, Arrivals.roomKept))
            return popped
        }
        isLargesTurn = false
        let first = nextLarge
        var bytes = 0
        repeat {
            bytes += large[nextLarge].body.count
            nextLarge += 1
        } while nextLarge < large.count
            && bytes + large[nextLarge].body.count <= limits.largeBytesPerTurn
        let popped = Array(large[first..<nextLarge])
        // Release the bodies at once, and the entries when they are half of the list.
        for index in first..<nextLarge { large[index].body = [] }
        if nextLarge * 2 >= large.count {
            large.removeFirst(nextLarge)
            nextLarge = 0
        }
        return popped
    }
}
