import IngestCore
import Model
import Parsing

/// Writes the path of a journey step by step.
protocol JourneyFormat: AnyObject {
    var mediaType: String { get }
    func take(_ step: JourneyStep)
    /// The path is whole.
    ///
    /// - Parameter next: where a reader goes on later
    func finish(next: String?)
    /// Goes on with what stands behind a path, by ``Limits/journeyFixesPerPortion`` points at most.
    ///
    /// - Returns: whether that was all
    func goOn() -> Bool
    /// What was written since the last time.
    func takeBytes() -> [UInt8]
}

/// What stands in a journey's answer beside its path.
struct JourneyCaption {
    var header: JourneyHeader
    /// Of what the reader may see.
    var windows: [JourneyWindow]
    /// Points that the reader has already and keeps.
    var from = 0

    var started: Timestamp { windows.first?.from ?? header.span.started }
    /// Nil while it is open.
    var stopped: Timestamp? {
        guard !header.span.isOpen, let last = windows.last else { return nil }
        return min(last.to, header.span.stopped)
    }
}

/// A Feature with a LineString, or a MultiLineString where parts may not be seen, and the times of
/// its points.
final class JourneyGeoJSON: JourneyFormat {
    let mediaType = "application/geo+json"
    private var text = JourneyText()
    private let caption: JourneyCaption
    private let isMultiple: Bool
    /// The first point of a line, not written before there is another one.
    private var first: JourneyPoint?
    /// Points of this line, and lines.
    private var points = 0
    private var lines = 0
    /// Of all points; they stand behind the positions.
    private var times: [Timestamp] = []
    /// Where in ``times`` each line begins.
    private var starts: [Int] = []
    /// Times and lines that are written.
    private var timesWritten = 0
    private var linesWritten = 0

    init(_ caption: JourneyCaption) {
        self.caption = caption
        isMultiple = caption.windows.count > 1
        text.append(#"{"type":"Feature","id":"\#(caption.header.id)","geometry":"#)
        if isMultiple { text.append(#"{"type":"MultiLineString","coordinates":["#) }
    }

    func takeBytes() -> [UInt8] { text.take() }

    func take(_ step: JourneyStep) {
        switch step {
        case .begins:
            starts.append(times.count)
            points = 0
        case .ends:
            // A line of one point stands still: RFC 7946 wants two positions.
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

    func goOn() -> Bool {
        var room = Limits.journeyFixesPerPortion
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

/// GPX 1.1: notes and photos are waypoints, each part that may be seen is a segment of one track.
final class JourneyGPX: JourneyFormat {
    let mediaType = "application/gpx+xml"
    private let person: PersonID
    private let journey: JourneyID
    private var text = JourneyText()

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
            // Where it is, seen from where this is read.
            let place = "/v1/people/\(person)/journeys/\(journey)/photos/\(pin.id)"
            text.append("<name>\(pin.id)</name><link href=\"\(place)\">")
            text.append("<type>\(photo.kind.mediaType)</type></link><type>photo</type>")
        }
        text.append("</wpt>\n")
    }

    func takeBytes() -> [UInt8] { text.take() }

    func take(_ step: JourneyStep) {
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

    func goOn() -> Bool { true }

    /// Text for an element; what XML has no place for is left out.
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
