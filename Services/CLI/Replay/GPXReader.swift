import Foundation
import FoundationXML
import Model

/// Track points of a GPX file, all tracks and segments in the order of the file. Waypoints and
/// routes are no tracks.
final class GPXReader: NSObject, XMLParserDelegate {
    private var points: [Track.Point] = []
    private var point: Track.Point?
    private var text = ""
    private var fault: String?

    static func read(_ data: Data, path: String) throws(CommandError) -> Track {
        let reader = GPXReader()
        let parser = XMLParser(data: data)
        parser.delegate = reader
        let isWhole = parser.parse()
        if let fault = reader.fault { throw CommandError("\(path): \(fault)") }
        guard isWhole else {
            throw CommandError(
                "\(path) is not whole XML: line \(parser.lineNumber)", hint: "is it cut off?")
        }
        return Track(points: reader.points)
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) {
        text = ""
        guard name == "trkpt" else { return }
        guard let latitude = attributes["lat"].flatMap(Double.init),
            let longitude = attributes["lon"].flatMap(Double.init),
            Coordinate(latitude: latitude, longitude: longitude) != nil
        else {
            fault = "line \(parser.lineNumber): a trkpt without a position on earth"
            return parser.abortParsing()
        }
        point = Track.Point(latitude: latitude, longitude: longitude)
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?,
        qualifiedName: String?
    ) {
        let words = text.trimmingCharacters(in: .whitespacesAndNewlines)
        switch name {
        case "time": point?.time = Timestamp(words)
        case "ele": point?.altitude = Double(words)
        case "trkpt":
            if let point { points.append(point) }
            point = nil
        default: break
        }
    }
}
