import Model

/// Reads the points of a GPX file's tracks, or of its routes if it has no tracks. Segments are
/// joined in file order; waypoints are ignored.
enum GPXTrack {
    static func read(_ bytes: [UInt8]) throws(FileError) -> Track {
        let visitor = Visitor()
        try XML.read(bytes, GPX.operation, visitor)
        try GPX.requireRoot(visitor.root)
        return Track(points: visitor.track.isEmpty ? visitor.route : visitor.track)
    }

    private final class Visitor: XMLVisitor {
        var root: String?
        var track: [TrackPoint] = []
        var route: [TrackPoint] = []
        private var point: TrackPoint?

        func begin(_ element: XMLStart) throws(FileError) {
            if root == nil { root = element.name }
            guard element.name == "trkpt" || element.name == "rtept" else { return }
            guard track.count + route.count < TrackLimits.pointsMax else {
                throw GPX.fault(
                    .tooMuch, element.line,
                    "the file has more than \(TrackLimits.pointsMax) points",
                    "Split the file.")
            }
            point = TrackPoint(position: try GPX.position(element))
        }

        func end(_ name: String, text: String, line: Int) throws(FileError) {
            guard point != nil else { return }
            switch name {
            case "time":
                guard let time = Timestamp(text.withoutBlanks) else {
                    throw GPX.fault(
                        .value, line, "the time of a point is malformed",
                        "Write it as 2026-11-20T10:20:00Z.")
                }
                point?.time = time
            case "ele": point?.altitudeCentimetres = OptionalValue.altitude(number(text))
            case "speed": point?.speedCentimetresPerSecond = OptionalValue.speed(number(text))
            case "course": point?.courseDegrees = OptionalValue.course(number(text))
            case "hdop": point?.hdop = number(text).flatMap { $0 > 0 ? $0 : nil }
            case "accuracy": point?.accuracyCentimetres = OptionalValue.accuracy(number(text))
            case "trkpt", "rtept":
                if let point, name == "trkpt" { track.append(point) }
                if let point, name == "rtept" { route.append(point) }
                point = nil
            default: break
            }
        }

        private func number(_ text: String) -> Double? { Decimal.read(text.withoutBlanks) }
    }
}
