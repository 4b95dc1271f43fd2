/// Balls in space, packed into boxes of boxes: finds those near a place or along a way without
/// looking at those far away, however far is far.
///
/// The balls stand in the order of a curve through space, eight to a box; eight boxes that follow
/// each other are in a larger one. Nothing but their order says which is in which.
struct BallTree: Sendable {
    /// A region as it is listed, decimetres.
    struct Ball {
        var middle: SpacePoint
        var reach: Int32
        /// Index of the region.
        var place: Int32
    }

    /// A box around balls, decimetres.
    struct Box {
        var low: SIMD4<Int32>
        var high: SIMD4<Int32>

        static let empty = Box(low: SIMD4(repeating: .max), high: SIMD4(repeating: .min))

        init(low: SIMD4<Int32>, high: SIMD4<Int32>) {
            self.low = low
            self.high = high
        }

        /// Around a ball that is larger by so many decimetres.
        init(_ ball: Ball, extra: Int32) {
            let reach = ball.reach + extra
            let middle = SIMD4(ball.middle.x, ball.middle.y, ball.middle.z, 0)
            low = middle &- SIMD4(reach, reach, reach, 0)
            high = middle &+ SIMD4(reach, reach, reach, 0)
        }

        func union(_ other: Box) -> Box {
            Box(low: pointwiseMin(low, other.low), high: pointwiseMax(high, other.high))
        }

        /// From a point to the box, decimetres, squared.
        func squaredDistance(to point: SpacePoint) -> Int64 {
            let point = SIMD4(point.x, point.y, point.z, 0)
            let beyond = pointwiseMax(
                pointwiseMax(low &- point, point &- high), SIMD4(repeating: 0))
            let dx = Int64(beyond.x)
            let dy = Int64(beyond.y)
            let dz = Int64(beyond.z)
            return dx * dx + dy * dy + dz * dz
        }
    }

    /// Balls in a box, and boxes in a larger one.
    static let width = 8

    let balls: [Ball]
    /// Of balls first, then level by level; the last one holds all.
    let boxes: [Box]
    /// Where each level of boxes begins, and where the last ends.
    let levels: [Int]

    /// - Parameters:
    ///   - spans: of regions, in the order of their indices
    ///   - extra: what boxes hold of each beyond its ball, decimetres; nothing where the list ends
    init(_ spans: [CubeSpan], extra: [Int32]) {
        let order = CubeSpan.order(spans)
        balls = order.map { place in
            let span = spans[place]
            return Ball(middle: span.middle, reach: span.reach, place: Int32(place))
        }
        var boxes = BallTree.packed(
            balls.map { ball in
                let place = Int(ball.place)
                return Box(ball, extra: place < extra.count ? extra[place] : 0)
            })
        var levels = [0, boxes.count]
        while levels[levels.count - 1] - levels[levels.count - 2] > 1 {
            boxes += BallTree.packed(Array(boxes[levels[levels.count - 2]...]))
            levels.append(boxes.count)
        }
        self.boxes = boxes
        self.levels = levels
    }

    private static func packed(_ boxes: [Box]) -> [Box] {
        stride(from: 0, to: boxes.count, by: width).map { first in
            boxes[first..<min(first + width, boxes.count)].reduce(.empty) { $0.union($1) }
        }
    }

    var bytes: Int {
        balls.count * MemoryLayout<Ball>.stride + boxes.count * MemoryLayout<Box>.stride
    }

    /// Goes through all balls of all boxes that may matter.
    func search(_ search: inout some BallSearch) {
        guard levels.count > 1, !boxes.isEmpty else { return }
        self.search(&search, level: levels.count - 2, box: 0)
    }

    private func search(_ search: inout some BallSearch, level: Int, box: Int) {
        guard search.admits(boxes[levels[level] + box]) else { return }
        let first = box * BallTree.width
        if level == 0 {
            for index in first..<min(first + BallTree.width, balls.count) {
                search.meet(balls[index])
            }
        } else {
            let count = levels[level] - levels[level - 1]
            for index in first..<min(first + BallTree.width, count) {
                self.search(&search, level: level - 1, box: index)
            }
        }
    }

    /// As ``search(_:)``, nearer boxes first, so that what is found there keeps it from going
    /// farther.
    func searchOutward(_ search: inout some NearSearch) {
        guard levels.count > 1, !boxes.isEmpty else { return }
        searchOutward(&search, level: levels.count - 2, box: 0)
    }

    private func searchOutward(_ search: inout some NearSearch, level: Int, box: Int) {
        let first = box * BallTree.width
        if level == 0 {
            for index in first..<min(first + BallTree.width, balls.count) {
                search.meet(balls[index])
            }
            return
        }
        let start = levels[level - 1]
        let count = min(BallTree.width, levels[level] - start - first)
        var nearer = InlineArray<8, Int64>(repeating: 0)
        var order = InlineArray<8, Int>(repeating: 0)
        for index in 0..<count {
            let squared = boxes[start + first + index].squaredDistance(to: search.point)
            var place = index
            while place > 0, nearer[place - 1] > squared {
                nearer[place] = nearer[place - 1]
                order[place] = order[place - 1]
                place -= 1
            }
            nearer[place] = squared
            order[place] = first + index
        }
        for index in 0..<count {
            guard search.admits(squaredDecimetres: nearer[index]) else { return }
            searchOutward(&search, level: level - 1, box: order[index])
        }
    }
}

/// What is looked for in a tree.
protocol BallSearch {
    /// Whether anything in the box may matter.
    func admits(_ box: BallTree.Box) -> Bool
    mutating func meet(_ ball: BallTree.Ball)
}

/// What is looked for around a place, the nearer the better.
protocol NearSearch {
    var point: SpacePoint { get }
    /// Whether anything so far away may matter still.
    func admits(squaredDecimetres: Int64) -> Bool
    mutating func meet(_ ball: BallTree.Ball)
}
