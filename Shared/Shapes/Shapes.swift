import Geometry
import Model

/// Checks a shape completely and prepares it for evaluation.
///
/// `Geometry` reports problems with their ring and vertex; GEOS then checks what remains. GEOS also
/// draws corridors and insets of polygons, with errors below 0.1 m or 0.1 % of the distance,
/// whichever is larger. Takes a few milliseconds for many points and up to half a second in the
/// worst case, so call it for configuration changes and never per fix.
///
///     let prepared = try prepareChecked(zone.shape, insetCentimetres: 2000)
///
/// - Parameter insetCentimetres: distance by which all edges move inwards; negative values move
///   them outwards, with round corners
/// - Throws: the first problem found, with its location
public func prepareChecked(
    _ shape: ZoneShape, insetCentimetres: Int32 = 0
) throws(GeometryProblem) -> PreparedGeometry {
    switch shape {
    case .circle(let center, let radius):
        let prepared = try prepare(shape)
        if insetCentimetres == 0 { return prepared }
        let rest = Int64(radius) - Int64(insetCentimetres)
        let most = radius - GeometryLimits.radiusCentimetresMin
        guard rest >= Int64(GeometryLimits.radiusCentimetresMin) else {
            throw .insetTooLarge(centimetres: insetCentimetres, most: most > 0 ? most : nil)
        }
        return try prepare(.circle(center: center, radiusCentimetres: Int32(clamping: rest)))
    case .polygons(let polygons):
        let prepared = try prepare(shape)
        if let problem = fault(of: prepared) { throw problem }
        if insetCentimetres == 0 { return prepared }
        return try inset(prepared, by: insetCentimetres, try Drawing(polygons))
    case .corridor(let line, let halfWidth):
        try checkCorridor(line: line, halfWidthCentimetres: halfWidth)
        // A negative inset of a corridor is a larger half-width.
        let width = Int64(halfWidth) - min(0, Int64(insetCentimetres))
        let metres = Double(width) / 100
        let drawing = try Drawing(line: line, metres: metres)
        guard let prepared = try drawing.prepared(metres: metres) else {
            throw .invalid(reason: "the outline is empty", nil, at: line[0])
        }
        if insetCentimetres <= 0 { return prepared }
        return try inset(prepared, by: insetCentimetres, drawing)
    }
}

private func inset(
    _ prepared: PreparedGeometry, by centimetres: Int32, _ drawing: Drawing
) throws(GeometryProblem) -> PreparedGeometry {
    // The inradius can be 1 % too small. Nothing is left beyond it.
    let limit = Int64(prepared.inradiusCentimetres) * 102 / 100 + 20
    if Int64(centimetres) < limit {
        let metres = Double(centimetres) / 100
        var drawing = drawing
        try drawing.apply(insetMetres: metres)
        if let rest = try drawing.prepared(metres: metres.magnitude) { return rest }
    }
    // With this inset, a circle of 1 m remains despite rounding.
    let inradius = prepared.inradiusCentimetres
    let most = inradius - max(100, inradius / 500)
    throw .insetTooLarge(centimetres: centimetres, most: most > 0 ? most : nil)
}

/// The problem that GEOS finds in a prepared shape; nil for a valid shape or a circle.
public func fault(of prepared: PreparedGeometry) -> GeometryProblem? {
    guard let shape = PlanarShape(prepared) else { return nil }
    let library = Library()
    func problem(_ reason: String, at point: PlanarShape.Point?) -> GeometryProblem {
        let found = point.flatMap(shape.outlinePoint(near:))
        return .invalid(
            reason: reason, found?.position, at: found?.coordinate ?? prepared.origin)
    }
    var polygons: [(polygon: OpaquePointer, box: Bounds)] = []
    for rings in shape.polygons {
        guard let polygon = library.polygon(rings) else {
            return problem(library.lastError, at: rings.first?.first)
        }
        if let fault = library.fault(of: polygon) {
            return problem(fault.reason, at: fault.point)
        }
        let box = Bounds(around: rings[0])
        for other in polygons where box.meets(other.box) {
            if let point = library.overlap(polygon, other.polygon) {
                return problem("Polygons overlap", at: point)
            }
        }
        polygons.append((polygon, box))
    }
    return nil
}

/// Radius of the largest inscribed circle according to GEOS, centimetres; nil if GEOS fails.
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
    return best.map { Int32(nearest: $0 * 100) }
}

/// Bounding box of a ring. Avoids overlap checks between distant islands.
private struct Bounds {
    var x: ClosedRange<Double>
    var y: ClosedRange<Double>

    init(around ring: [PlanarShape.Point]) {
        x = (ring.map(\.x).min() ?? 0)...(ring.map(\.x).max() ?? 0)
        y = (ring.map(\.y).min() ?? 0)...(ring.map(\.y).max() ?? 0)
    }

    func meets(_ other: Bounds) -> Bool { x.overlaps(other.x) && y.overlaps(other.y) }
}
