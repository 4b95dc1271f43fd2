/// A packed tree of bounding boxes over balls in space.
///
/// Finds the balls near a point or along a path without visiting distant ones. Balls are sorted
/// along a space-filling curve and packed eight to a box; eight consecutive boxes form a box of the
/// next level. The order alone defines the hierarchy.
struct BallTree: Sendable {
    /// Bounding ball of a region, decimetres.
    struct Ball {
        var middle: SpacePoint
        var reach: Int32
        /// Index of the region.
        var index: Int32
    }

    /// Bounding box of balls, decimetres.
    struct Box {
        var low: SIMD4<Int32>
        var high: SIMD4<Int32>

        static let empty = Box(low: SIMD4(repeating: .max), high: SIMD4(repeating: .min))

        init(low: SIMD4<Int32>, high: SIMD4<Int32>) {
            self.low = low
            self.high = high
        }

        /// Bounding box of a ball that is enlarged by `extra` decimetres.
        init(_ ball: Ball, extra: Int32) {
            let reach = ball.reach + extra
            let middle = SIMD4(ball.middle.x, ball.middle.y, ball.middle.z, 0)
            low = middle &- SIMD4(reach, reach, reach, 0)
            high = middle &+ SIMD4(reach, reach, reach, 0)
        }

        func union(_ other: Box) -> Box {
            Box(low: pointwiseMin(low, other.low), high: pointwiseMax(high, other.high))
        }

        /// Squared distance from a point to the box, square decimetres.
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

    /// Balls per box, and boxes per larger box.
    static let width = 8

    let balls: [Ball]
    /// Boxes of balls first, then level by level. The last box contains all.
    let boxes: [Box]
    /// First index of each level of boxes, and the end of the last level.
    let levels: [Int]

    /// Builds the tree.
    ///
    /// - Parameters:
    ///   - spans: regions in index order
    ///   - extra: enlargement of each region's ball in the boxes, decimetres; may be shorter than
    ///     `spans`
    init(_ spans: [CubeSpan], extra: [Int32]) {
        let order = CubeSpan.order(spans)
        balls = order.map { index in
            let span = spans[index]
            return Ball(middle: span.middle, reach: span.reach, index: Int32(index))
        }
        var boxes = BallTree.packed(
            balls.map { ball in
                let index = Int(ball.index)
                return Box(ball, extra: index < extra.count ? extra[index] : 0)
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

    /// Visits all balls in boxes that the search admits.
    func search(_ search: inout some BallSearch) {
        guard levels.count > 1, !boxes.isEmpty else { return }
        self.search(&search, level: levels.count - 2, box: 0)
    }

    private func search(_ search: inout some BallSearch, level: Int, box: Int) {
        guard search.admits(boxes[levels[level] + box]) else { return }
        let first = box * BallTree.width
        if level == 0 {
            for index in first..<min(first + BallTree.width, balls.count) {
                search.visit(balls[index])
            }
        } else {
            let count = levels[level] - levels[level - 1]
            for index in first..<min(first + BallTree.width, count) {
                self.search(&search, level: level - 1, box: index)
            }
        }
    }

    /// Visits nearer boxes first, so that matches found early narrow the search.
    func searchOutward(_ search: inout some NearSearch) {
        guard levels.count > 1, !boxes.isEmpty else { return }
        searchOutward(&search, level: levels.count - 2, box: 0)
    }

    private func searchOutward(_ search: inout some NearSearch, level: Int, box: Int) {
        let first = box * BallTree.width
        if level == 0 {
            for index in first..<min(first + BallTree.width, balls.count) {
                search.visit(balls[index])
            }
            return
        }
        let start = levels[level - 1]
        let count = min(BallTree.width, levels[level] - start - first)
        var nearer = InlineArray<8, Int64>(repeating: 0)
        var order = InlineArray<8, Int>(repeating: 0)
        for index in 0..<count {
            let squared = boxes[start + first + index].squaredDistance(to: search.point)
            var slot = index
            while slot > 0, nearer[slot - 1] > squared {
                nearer[slot] = nearer[slot - 1]
                order[slot] = order[slot - 1]
                slot -= 1
            }
            nearer[slot] = squared
            order[slot] = first + index
        }
        for index in 0..<count {
            guard search.admits(squaredDecimetres: nearer[index]) else { return }
            searchOutward(&search, level: level - 1, box: order[index])
        }
    }
}

/// A search for balls in a tree.
protocol BallSearch {
    /// Whether the box may contain matches.
    func admits(_ box: BallTree.Box) -> Bool
    mutating func visit(_ ball: BallTree.Ball)
}

/// A search for the nearest balls around a point.
protocol NearSearch {
    var point: SpacePoint { get }
    /// Whether matches at this distance are still of interest.
    func admits(squaredDecimetres: Int64) -> Bool
    mutating func visit(_ ball: BallTree.Ball)
}
