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
        case .halfWidthTooSmall(let centimetres):
            "a half-width of \(metres(Int64(centimetres))) m is less than "
                + "\(metres(Int64(GeometryLimits.radiusCentimetresMin))) m"
        case .halfWidthTooLarge(let centimetres):
            "a half-width of \(metres(Int64(centimetres))) m is more than "
                + "\(metres(Int64(GeometryLimits.reachCentimetresMax))) m"
        case .tooFewLinePoints(let count): "the line has \(count) points, a corridor needs 2"
        case .lineTangled:
            "the line crosses itself more than \(GeometryLimits.lineCrossingsMax) times"
        case .insetTooLarge(let centimetres, _):
            "an inset of \(metres(Int64(centimetres))) m leaves nothing of the shape"
        case .noPolygon: "the shape has no polygon"
        case .tooFewPoints(_, let polygon, let ring, let count):
            "ring \(ring) of polygon \(polygon) has \(count) different points, a ring needs 3"
        case .tooManyPoints(let count):
            "the shape has \(count) points, at most \(GeometryLimits.verticesMax) are allowed"
        case .tooManyPolygons(let count):
            "the shape has \(count) polygons, at most \(GeometryLimits.polygonsMax) are allowed"
        case .tooManyCorners(let count):
            "a corridor or an inset around \(count) corners, at most "
                + "\(GeometryLimits.cornersMax) are drawn"
        case .outlineTooLong(let count):
            "the outline that comes of it has \(count) points, at most "
                + "\(GeometryLimits.verticesMax) are allowed"
        case .tooManyPieces(let count):
            "what is left is in \(count) pieces, at most \(GeometryLimits.polygonsMax) are allowed"
        case .repeatedPoint(let position): "\(name(position)) repeats the point before it"
        case .edgeOverPole(let position): "the edge from \(name(position)) runs over a pole"
        case .tooLarge(let reach):
            "the shape reaches \(metres(reach)) m from its middle, at most "
                + "\(metres(Int64(GeometryLimits.reachCentimetresMax))) m are allowed"
        case .noArea(let position):
            "\(ring(position)) has no area"
        case .crossesItself(let edge, let other, _):
            "the edge from \(name(edge)) meets the edge from \(name(other)) of the same ring"
        case .ringsCross(let edge, let other, _):
            "the edge from \(name(edge)) crosses the edge from \(name(other))"
        case .holeOutside(let position):
            "\(hole(position)) is outside its outer ring"
        case .holeFillsPolygon(let position): "\(hole(position)) leaves nothing of it"
        case .holesOverlap(let position, let other): "\(hole(position)) and hole \(other) overlap"
        case .polygonsOverlap(let position, let other):
            "polygons \(position.polygon) and \(other) overlap"
        case .invalid(let reason, let position, _):
            "the shape is invalid" + (position.map { " near \(name($0))" } ?? "") + ": \(reason)"
        }
    }

    /// What to do about it.
    public var hint: String {
        switch self {
        case .outOfRange(let position):
            position.coordinate.isSwapped
                ? "latitude and longitude look swapped: GeoJSON has the longitude first"
                : "GeoJSON gives longitude first, then latitude, in degrees"
        case .radiusTooSmall, .radiusTooLarge: "give the radius in metres"
        case .halfWidthTooSmall, .halfWidthTooLarge:
            "give the distance from the middle line to the edge in metres"
        case .tooFewLinePoints: "give at least two different points"
        case .lineTangled: "draw the line without going over the same ground so often"
        case .insetTooLarge(_, let most?): "\(metres(Int64(most))) m leave something"
        case .insetTooLarge(_, nil): "the shape is too narrow for any"
        case .noPolygon: "give at least one polygon"
        case .tooFewPoints: "give at least three different points"
        case .tooManyPoints: "simplify the outline, or make several zones of it"
        case .tooManyPolygons: "leave out the small ones, or make several zones of them"
        case .tooManyCorners, .outlineTooLong: "simplify the shape, or make several zones of it"
        case .tooManyPieces: "take a smaller inset, or make several zones of the shape"
        case .repeatedPoint: "remove the repeated point; only a ring's last may equal its first"
        case .edgeOverPole: "add a point between the two"
        case .tooLarge: "make several zones of it"
        case .noArea: "give points that do not lie on one line"
        case .crossesItself: "put the points in the order in which they follow each other"
        case .ringsCross: "let rings touch in single points at most"
        case .holeOutside: "move the hole inside, or make it a polygon of its own"
        case .holeFillsPolygon: "leave the polygon out, or make the hole smaller"
        case .holesOverlap: "merge the two holes"
        case .polygonsOverlap: "merge the polygons, or make two zones of them"
        case .invalid: "draw the shape anew around the place of the fault"
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
