import Geometry
import Model

/// Checks a shape in every way and makes it ready to be evaluated.
///
/// What `Geometry` can name with ring and point is refused by it; then GEOS has the last word.
/// Takes some milliseconds for a shape of many points: for configuration, never for a fix.
///
/// - Throws: the first fault found, with its place.
public func prepareChecked(_ shape: ZoneShape) throws(GeometryProblem) -> PreparedGeometry {
    let prepared = try prepare(shape)
    if case .polygons = shape, let problem = fault(of: prepared) { throw problem }
    return prepared
}

/// What GEOS finds wrong with polygons in their plane; nil for a valid shape and for a circle.
public func fault(of prepared: PreparedGeometry) -> GeometryProblem? {
    guard let shape = PlanarShape(prepared) else { return nil }
    let library = Library()
    func problem(_ reason: String, at point: PlanarShape.Point?) -> GeometryProblem {
        .invalid(reason: reason, at: point.flatMap(shape.place) ?? prepared.origin)
    }
    var polygons: [(polygon: OpaquePointer, box: Bounds)] = []
    for rings in shape.polygons {
        guard let polygon = library.polygon(rings) else {
            return problem(library.lastError, at: rings.first?.first)
        }
        if let fault = library.fault(of: polygon) {
            return problem(fault.reason, at: fault.place)
        }
        let box = Bounds(around: rings[0])
        for other in polygons where box.meets(other.box) {
            if let place = library.overlap(polygon, other.polygon) {
                return problem("Polygons overlap", at: place)
            }
        }
        polygons.append((polygon, box))
    }
    return nil
}

/// Radius of the largest circle inside by GEOS, centimetres; nil where GEOS fails.
public func inscribedRadius(of prepared: PreparedGeometry) -> Int32? {
    if prepared.polygons.isEmpty { return prepared.radiusCentimetres }
    guard let shape = PlanarShape(prepared) else { return nil }
    let library = Library()
    var best: Double?
    for rings in shape.polygons {
        guard let polygon = library.polygon(rings),
            let radius = library.inradius(of: polygon, toleranceMetres: 0.1)
        else { return nil }
        best = max(best ?? 0, radius)
    }
    return best.map { Int32(($0 * 100).rounded()) }
}

/// What is around a ring: most islands are nowhere near each other.
private struct Bounds {
    var x: ClosedRange<Double>
    var y: ClosedRange<Double>

    init(around ring: [PlanarShape.Point]) {
        x = (ring.map(\.x).min() ?? 0)...(ring.map(\.x).max() ?? 0)
        y = (ring.map(\.y).min() ?? 0)...(ring.map(\.y).max() ?? 0)
    }

    func meets(_ other: Bounds) -> Bool { x.overlaps(other.x) && y.overlaps(other.y) }
}
