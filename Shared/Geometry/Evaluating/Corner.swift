import Model

/// A corner of a ring as it is kept: an edge leads from it to the next corner of its ring, from the
/// last one to the first.
///
/// Small, because what a look at an edge costs is mostly memory.
struct Corner: Sendable {
    /// Metres, less than can be told of any place: so 250 km and one bit beside fit into 32 bits.
    private static let unit = 1.0 / 4096
    private static let most = Double(1 << 30 - 1)

    let coordinate: Coordinate
    /// East in the plane, in units; then a bit that says whether the edge from here is of the
    /// outline.
    private let eastward: Int32
    /// North; then a bit that says whether the edge from here leads to the ring's first corner.
    private let northward: Int32

    /// - Parameter edge: the one from here
    init(_ edge: Edge, isLast: Bool) {
        coordinate = edge.start
        eastward = Corner.packed(edge.x, edge.isOutline)
        northward = Corner.packed(edge.y, isLast)
    }

    private static func packed(_ metres: Double, _ bit: Bool) -> Int32 {
        let units = (metres / unit).rounded()
        // A corner that the plane does not see has no place in it.
        let bounded = units.isNaN ? most : min(max(units, -most), most)
        return Int32(bounded) << 1 | (bit ? 1 : 0)
    }

    /// In the plane, metres.
    @inline(__always)
    var x: Double { Double(eastward >> 1) * Corner.unit }
    @inline(__always)
    var y: Double { Double(northward >> 1) * Corner.unit }
    @inline(__always)
    var isOutline: Bool { eastward & 1 != 0 }
    @inline(__always)
    var isLast: Bool { northward & 1 != 0 }
}

extension Edge {
    @inline(__always)
    init(from corner: Corner, to next: Corner) {
        start = corner.coordinate
        end = next.coordinate
        x = corner.x
        y = corner.y
        dx = next.x - x
        dy = next.y - y
        isOutline = corner.isOutline
    }
}

extension PreparedGeometry {
    /// Of all rings, one after the other.
    func corners(in plane: Plane) -> [Corner] {
        var edges = Edge.all(of: self, in: plane)[...]
        var corners: [Corner] = []
        corners.reserveCapacity(edges.count)
        for ring in polygons.joined() {
            for (index, edge) in edges.prefix(ring.count).enumerated() {
                corners.append(Corner(edge, isLast: index + 1 == ring.count))
            }
            edges = edges.dropFirst(ring.count)
        }
        return corners
    }
}
