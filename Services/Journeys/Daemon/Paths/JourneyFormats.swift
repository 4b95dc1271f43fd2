import JourneysCore
import Model
import Parsing

/// Writes the path of a journey step by step.
protocol JourneyFormat: AnyObject {
    var mediaType: String { get }
    func write(_ step: JourneyStep)
    /// Ends the path.
    ///
    /// - Parameter next: cursor from which a reader can continue later
    func finish(next: String?)
    /// Writes what follows the path, at most ``JourneyLimits/fixesPerPortion`` points.
    ///
    /// - Returns: whether that was all
    func writeRest() -> Bool
    /// Removes and returns the bytes written since the last call.
    func popBytes() -> [UInt8]
}

/// A Feature with a LineString, or a MultiLineString if parts are hidden, and the times of its
/// points.
final class JourneyGeoJSON: JourneyFormat {
    let mediaType = "application/geo+json"
    private var text = TextBuffer()
    private let caption: JourneyCaption
    private let isMultiple: Bool
    /// The first point of a line; written once there is a second one.
    private var first: JourneyPoint?
    /// Points of the current line, and completed lines.
    private var points = 0
    private var lines = 0
    /// Times of all points; they follow the positions.
    private var times: [Timestamp] = []
    /// Index in ``times`` at which each line begins.
    private var starts: [Int] = []
    /// Number of times and lines already written.
    private var timesWritten = 0
    private var linesWritten = 0

    init(_ caption: JourneyCaption) {
        self.caption = caption
        isMultiple = caption.windows.count > 1
        text.append(#"{"type":"Feature","id":"\#(caption.header.id)","geometry":"#)
        if isMultiple { text.append(#"{"type":"MultiLineString","coordinates":["#) }
    }

    func popBytes() -> [UInt8] { text.popBytes() }

    func write(_ step: JourneyStep) {
        switch step {
        case .begins:
            starts.append(times.count)
            points = 0
        case .ends:
            // A line of one point repeats it: RFC 7946 requires two positions.
            if isMultiple, let first, points == 1 { add(first) }
            if isMultiple { text.append("]") }
            lines += 1
        case .point(let point): add(point)
        }
    }

    private func add(_ point: JourneyPoint) {
        times.append(point.time)
        points += 1
        switch points {
        case 1:
            first = point
            if isMultiple {
                text.append(lines > 0 ? ",[" : "[")
                write(point)
            }
        case 2 where !isMultiple:
            text.append(#"{"type":"LineString","coordinates":["#)
            if let first { write(first) }
            text.append(",")
            write(point)
        default:
            text.append(",")
            write(point)
        }
    }

    private func write(_ point: JourneyPoint) {
        text.append("[")
        text.append(degreesE7: point.position.longitudeE7)
        text.append(",")
        text.append(degreesE7: point.position.latitudeE7)
        if let altitude = point.altitudeCentimetres {
            text.append(",")
            text.append(hundredths: altitude)
        }
        text.append("]")
    }

    func finish(next: String?) {
        if isMultiple || points > 1 {
            text.append("]}")
        } else if let first {
            text.append(#"{"type":"Point","coordinates":"#)
            write(first)
            text.append("}")
        } else {
            text.append("null")
        }
        text.append(#","properties":{"person":"\#(caption.header.person)","name":"#)
        text.append(bytes: JSON.string(caption.header.name).serialized())
        text.append(#","started":"\#(caption.started)","stopped":"#)
        text.append(caption.stopped.map { "\"\($0)\"" } ?? "null")
        text.append(#","from":\#(caption.from),"next":"#)
        text.append(next.map { "\"\($0)\"" } ?? "null")
        text.append(#","times":["#)
    }

    func writeRest() -> Bool {
        var room = JourneyLimits.fixesPerPortion
        while room > 0, timesWritten < times.count {
            let isFirst = linesWritten < starts.count && starts[linesWritten] == timesWritten
            if isFirst {
                if isMultiple { text.append(linesWritten > 0 ? "],[" : "[") }
                linesWritten += 1
            }
            text.append(isFirst ? "\"" : ",\"")
            text.append(times[timesWritten])
            text.append("\"")
            timesWritten += 1
            room -= 1
        }
        guard timesWritten == times.count else { return false }
        text.append(isMultiple && linesWritten > 0 ? "]]}}" : "]}}")
        return true
    }
}

/// GPX 1.1: notes and photos are waypoints, each visible part is a segment of one track.
final class JourneyGPX: JourneyFormat {
    let mediaType = "application/gpx+xml"
    private let person: PersonID
    private let journey: JourneyID
    private var text = TextBuffer()

    init(_ caption: JourneyCaption, pins: [JourneyPin]) {
        person = caption.header.person
        journey = caption.header.id
        text.append(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" creator="Jaga" xmlns="http://www.topografix.com/GPX/1/1">
            <metadata><time>\(caption.started)</time></metadata>

            """)
        for pin in pins { write(pin) }
        let name = caption.header.name.isEmpty ? "\(caption.header.id)" : caption.header.name
        text.append("<trk><name>\(JourneyGPX.escaped(name))</name>\n")
    }

    private func write(_ pin: JourneyPin) {
        guard let position = pin.position else { return }
        open("wpt", position)
        text.append("<time>")
        text.append(pin.time)
        text.append("</time>")
        switch pin.kind {
        case .note(let note): text.append("<name>\(JourneyGPX.escaped(note))</name>")
        case .photo(let photo):
            // Path of the photo, relative to this server.
            let place = "/v1/people/\(person)/journeys/\(journey)/photos/\(pin.id)"
            text.append("<name>\(pin.id)</name><link href=\"\(place)\">")
            text.append("<type>\(photo.kind.mediaType)</type></link><type>photo</type>")
        }
        text.append("</wpt>\n")
    }

    func popBytes() -> [UInt8] { text.popBytes() }

    func write(_ step: JourneyStep) {
        switch step {
        case .begins: text.append("<trkseg>\n")
        case .ends: text.append("</trkseg>\n")
        case .point(let point):
            open("trkpt", point.position)
            if let altitude = point.altitudeCentimetres {
                text.append("<ele>")
                text.append(hundredths: altitude)
                text.append("</ele>")
            }
            text.append("<time>")
            text.append(point.time)
            text.append("</time></trkpt>\n")
        }
    }

    private func open(_ element: String, _ position: Coordinate) {
        text.append("<")
        text.append(element)
        text.append(" lat=\"")
        text.append(degreesE7: position.latitudeE7)
        text.append("\" lon=\"")
        text.append(degreesE7: position.longitudeE7)
        text.append("\">")
    }

    func finish(next: String?) { text.append("</trk>\n</gpx>\n") }

    func writeRest() -> Bool { true }

    /// Escapes text for an element; drops characters that XML does not allow.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\t", "\n", "\r": escaped.unicodeScalars.append(scalar)
            case "\u{FFFE}", "\u{FFFF}": break
            case _ where scalar.value < 0x20: break
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
