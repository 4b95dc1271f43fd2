/// File formats for zones.
public enum FileFormat: String, Sendable, CaseIterable {
    case geojson, pad, gpx, kml

    public static let written: [FileFormat] = [.geojson, .pad]

    /// The format's own name.
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

    /// The format for a file name's extension. `.json` is GeoJSON. Nil for an unknown extension.
    public init?(fileName: String) {
        guard let dot = fileName.lastIndex(of: ".") else { return nil }
        let end = fileName[fileName.index(after: dot)...].lowercased()
        guard let format = FileFormat(rawValue: end == "json" ? "geojson" : end) else { return nil }
        self = format
    }
}
