extension GeometryProblem: CustomStringConvertible {
    /// One sentence without coordinates, which are private; ``coordinate`` has the location.
    public var description: String {
        switch self {
        case .outOfRange: "a point is outside ±90° latitude, ±180° longitude"
        case .radiusTooSmall(let centimetres):
            "a radius of \(metres(Int64(centimetres))) m is less than "
                + "\(metres(Int64(GeometryLimits.radiusCentimetresMin))) m"
        case .radiusTooLarge(let centimetres):
            "a radius of \(metres(Int64(centimetres))) m is more than "
                + "\(metres(Int64(GeometryLimits.reachCentimetresMax))) m"
        case .halfWidthTooSmall(let centimetres):
            "a half-width of \(metres(Int64(centimetres))) m is less than "
                + "\(metres(Int64(GeometryLimits.radiusCentimetresMin))) m"
        case .halfWidthTooLarge(let centimetres):
            "a half-width of \(metres(Int64(centimetres))) m is more than "
                + "\(metres(Int64(GeometryLimits.reachCentimetresMax))) m"
        case .tooFewLinePoints(let count): "the line has \(count) points; a corridor needs 2"
        case .lineTangled:
            "the line crosses itself more than \(GeometryLimits.lineCrossingsMax) times"
        case .insetTooLarge(let centimetres, _):
            "an inset of \(metres(Int64(centimetres))) m leaves nothing of the shape"
        case .noPolygon: "the shape has no polygon"
        case .tooFewPoints(_, let polygon, let ring, let count):
            "ring \(ring) of polygon \(polygon) has \(count) distinct points; a ring needs 3"
        case .tooManyPoints(let count):
            "the shape has \(count) points; at most \(GeometryLimits.verticesMax) are allowed"
        case .tooManyPolygons(let count):
            "the shape has \(count) polygons; at most \(GeometryLimits.polygonsMax) are allowed"
        case .tooManyCorners(let count):
            "the corridor or inset has \(count) corners; at most "
                + "\(GeometryLimits.cornersMax) are allowed"
        case .outlineTooLong(let count):
            "the outline has \(count) points; at most "
                + "\(GeometryLimits.verticesMax) are allowed"
        case .tooManyPieces(let count):
            "the inset leaves \(count) pieces; at most \(GeometryLimits.polygonsMax) are allowed"
        case .repeatedPoint(let position): "\(name(position)) repeats the point before it"
        case .edgeOverPole(let position): "the edge from \(name(position)) crosses a pole"
        case .tooLarge(let reach):
            "the shape extends \(metres(reach)) m from its centre; at most "
                + "\(metres(Int64(GeometryLimits.reachCentimetresMax))) m are allowed"
        case .noArea(let position):
            "\(ring(position)) has no area"
        case .crossesItself(let edge, let other, _):
            "the edge from \(name(edge)) meets the edge from \(name(other)) of the same ring"
        case .ringsCross(let edge, let other, _):
            "the edge from \(name(edge)) crosses the edge from \(name(other))"
        case .holeOutside(let position):
            "\(hole(position)) is outside its outer ring"
        case .holeFillsPolygon(let position): "\(hole(position)) covers all of it"
        case .holesOverlap(let position, let other): "\(hole(position)) and hole \(other) overlap"
        case .polygonsOverlap(let position, let other):
            "polygons \(position.polygon) and \(other) overlap"
        case .invalid(let reason, let position, _):
            "the shape is invalid" + (position.map { " near \(name($0))" } ?? "") + ": \(reason)"
        }
    }

    /// Instruction for the user.
    public var hint: String {
        switch self {
        case .outOfRange(let position):
            position.coordinate.isSwapped
                ? "Latitude and longitude look swapped: GeoJSON has longitude first."
                : "Give longitude first, then latitude, in degrees."
        case .radiusTooSmall, .radiusTooLarge: "Give the radius in metres."
        case .halfWidthTooSmall, .halfWidthTooLarge:
            "Give the distance from the centre line to the edge in metres."
        case .tooFewLinePoints: "Give at least two distinct points."
        case .lineTangled: "Draw the line with fewer self-crossings."
        case .insetTooLarge(_, let most?): "Use at most \(metres(Int64(most))) m."
        case .insetTooLarge(_, nil): "Remove the inset; the shape is too narrow for any."
        case .noPolygon: "Give at least one polygon."
        case .tooFewPoints: "Give at least three distinct points."
        case .tooManyPoints: "Simplify the outline, or split it into several zones."
        case .tooManyPolygons: "Remove small polygons, or split the shape into several zones."
        case .tooManyCorners, .outlineTooLong: "Simplify the shape, or split it into several zones."
        case .tooManyPieces: "Use a smaller inset, or split the shape into several zones."
        case .repeatedPoint:
            "Remove the repeated point; only a ring's last point may equal its first."
        case .edgeOverPole: "Add a point between the two."
        case .tooLarge: "Split it into several zones."
        case .noArea: "Give points that are not on one line."
        case .crossesItself: "Put the points in the order of the outline."
        case .ringsCross: "Separate the rings; they may touch only in single points."
        case .holeOutside: "Move the hole inside, or make it a separate polygon."
        case .holeFillsPolygon: "Remove the polygon, or make the hole smaller."
        case .holesOverlap: "Merge the two holes."
        case .polygonsOverlap: "Merge the polygons, or make them separate zones."
        case .invalid: "Redraw the shape near the location of the problem."
        }
    }

    private func name(_ position: ShapePosition) -> String {
        "point \(position.vertex) of "
            + (position.ring == nil ? "the line" : ring(position))
    }

    private func ring(_ position: ShapePosition) -> String {
        "ring \(position.ring ?? 0) of polygon \(position.polygon)"
    }

    private func hole(_ position: ShapePosition) -> String {
        "hole \(position.ring ?? 0) of polygon \(position.polygon)"
    }

    private func metres(_ centimetres: Int64) -> String {
        let rest = centimetres.magnitude % 100
        let sign = centimetres < 0 ? "-" : ""
        let whole = sign + String(centimetres.magnitude / 100)
        return rest == 0 ? whole : whole + (rest < 10 ? ".0" : ".") + String(rest)
    }
}
