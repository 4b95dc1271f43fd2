import Model

/// Compact form of a ring's vertex and of the edge from it to the next vertex.
///
/// The last vertex's edge leads to the first. Reading edges is bound by memory, so the size
/// matters.
struct Corner: Sendable {
    /// Resolution in metres, finer than any position. 250 km and one flag fit into 32 bits.
    private static let unit = 1.0 / 4096
    private static let most = Double(1 << 30 - 1)

    let coordinate: Coordinate
    /// Eastward coordinate; the lowest bit is set if the edge is part of the outline.
    private let eastward: Int32
    /// Northward coordinate; the lowest bit is set for the ring's last edge.
    private let northward: Int32

    /// Packs a vertex.
    ///
    /// - Parameter edge: edge that starts at the vertex
    init(_ edge: Edge, isLast: Bool) {
        coordinate = edge.start
        eastward = Corner.packed(edge.x, edge.isOutline)
        northward = Corner.packed(edge.y, isLast)
    }

    private static func packed(_ metres: Double, _ bit: Bool) -> Int32 {
        let units = (metres / unit).rounded()
        // A vertex outside the plane's projection has no coordinates.
        let bounded = units.isNaN ? most : min(max(units, -most), most)
        return Int32(bounded) << 1 | (bit ? 1 : 0)
    }

    /// Coordinates in the plane, metres.
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
    /// The vertices of all rings in order.
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
