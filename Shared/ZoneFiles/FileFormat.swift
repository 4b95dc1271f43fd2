/// The kinds of files that zones come in.
public enum FileFormat: String, Sendable, CaseIterable {
    case geojson, pad, gpx, kml

    public static let written: [FileFormat] = [.geojson, .pad]

    /// As it calls itself.
    public var name: String {
        switch self {
        case .geojson: "GeoJSON"
        case .pad: "PAD"
        case .gpx: "GPX"
        case .kml: "KML"
        }
    }

    public var mediaType: String {
        switch self {
        case .geojson: "application/geo+json"
        case .pad: "text/csv; charset=utf-8"
        case .gpx: "application/gpx+xml"
        case .kml: "application/vnd.google-earth.kml+xml"
        }
    }

    /// By the end of a file's name: `.json` is GeoJSON, too. Nil for one of no known format.
    public init?(fileName: String) {
        guard let dot = fileName.lastIndex(of: ".") else { return nil }
        let end = fileName[fileName.index(after: dot)...].lowercased()
        guard let format = FileFormat(rawValue: end == "json" ? "geojson" : end) else { return nil }
        self = format
    }
}
