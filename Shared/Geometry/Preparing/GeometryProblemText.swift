extension GeometryProblem: CustomStringConvertible {
    /// One sentence without any coordinate: positions are private. ``place`` has it.
    public var description: String {
        switch self {
        case .outOfRange: "a point is outside ±90° latitude, ±180° longitude"
        case .radiusTooSmall(let centimetres):
            "a radius of \(metres(Int64(centimetres))) m is less than "
                + "\(metres(Int64(GeometryLimits.radiusCentimetresMin))) m"
        case .radiusTooLarge(let centimetres):
            "a radius of \(metres(Int64(centimetres))) m is more than "
                + "\(metres(Int64(GeometryLimits.reachCentimetresMax))) m"
        case .noPolygon: "the shape has no polygon"
        case .tooFewPoints(_, let polygon, let ring, let count):
            "ring \(ring) of polygon \(polygon) has \(count) points, a ring needs 3"
        case .tooManyPoints(let count):
            "the shape has \(count) points, at most \(GeometryLimits.verticesMax) are allowed"
        case .tooManyPolygons(let count):
            "the shape has \(count) polygons, at most \(GeometryLimits.polygonsMax) are allowed"
        case .repeatedPoint(let position): "\(name(position)) repeats the point before it"
        case .edgeOverPole(let position): "the edge from \(name(position)) runs over a pole"
        case .tooLarge(let reach):
            "the shape reaches \(metres(reach)) m from its middle, at most "
                + "\(metres(Int64(GeometryLimits.reachCentimetresMax))) m are allowed"
        case .noArea(let position):
            "ring \(position.ring) of polygon \(position.polygon) has no area"
        case .crossesItself(let edge, let other, _):
            "the edge from \(name(edge)) meets the edge from \(name(other)) of the same ring"
        case .ringsCross(let edge, let other, _):
            "the edge from \(name(edge)) crosses the edge from \(name(other))"
        case .holeOutside(let position):
            "hole \(position.ring) of polygon \(position.polygon) is outside its outer ring"
        case .polygonsOverlap(let position, let other):
            "polygons \(position.polygon) and \(other) overlap"
        case .invalid(let reason, _): "the shape is invalid: \(reason)"
        }
    }

    /// What to do about it.
    public var hint: String {
        switch self {
        case .outOfRange: "GeoJSON gives longitude first, then latitude, in degrees"
        case .radiusTooSmall, .radiusTooLarge: "give the radius in metres"
        case .noPolygon: "give at least one polygon"
        case .tooFewPoints: "give at least three different points"
        case .tooManyPoints: "simplify the outline, or make several zones of it"
        case .tooManyPolygons: "leave out the small ones, or make several zones of them"
        case .repeatedPoint: "remove the repeated point; only a ring's last may equal its first"
        case .edgeOverPole: "add a point between the two"
        case .tooLarge: "make several zones of it"
        case .noArea: "give points that do not lie on one line"
        case .crossesItself: "put the points in the order in which they follow each other"
        case .ringsCross: "let rings touch in single points at most"
        case .holeOutside: "move the hole inside, or make it a polygon of its own"
        case .polygonsOverlap: "merge the polygons, or make two zones of them"
        case .invalid: "draw the shape anew around the place of the fault"
        }
    }

    private func name(_ position: ShapePosition) -> String {
        "point \(position.vertex) of ring \(position.ring) of polygon \(position.polygon)"
    }

    private func metres(_ centimetres: Int64) -> String {
        let rest = centimetres.magnitude % 100
        let sign = centimetres < 0 ? "-" : ""
        let whole = sign + String(centimetres.magnitude / 100)
        return rest == 0 ? whole : whole + (rest < 10 ? ".0" : ".") + String(rest)
    }
}
