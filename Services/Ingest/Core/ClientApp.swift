import Dialects

/// The app that a request came from, as far as its path and its `User-Agent` say.
public enum ClientApp: String, Hashable, Sendable, CaseIterable {
    case ownTracksAndroid = "owntracks-android"
    case ownTracksIOS = "owntracks-ios"
    /// OwnTracks's protocol from something else.
    case ownTracks = "owntracks"
    /// Overland speaking as OwnTracks does.
    case overlandAsOwnTracks = "overland-owntracks"
    case overland
    /// Traccar Client, OsmAnd and scripts.
    case osmAnd = "osmand"
    case gpsLogger = "gpslogger"
    case openGTS = "opengts"
    /// Jaga's own API.
    case jaga

    public init(_ app: OwnTracks.App) {
        self =
            switch app {
            case .android: .ownTracksAndroid
            case .iOS: .ownTracksIOS
            case .overland: .overlandAsOwnTracks
            case .other: .ownTracks
            }
    }

    /// The app, where it speaks OwnTracks's protocol.
    public var ownTracks: OwnTracks.App? {
        switch self {
        case .ownTracksAndroid: .android
        case .ownTracksIOS: .iOS
        case .overlandAsOwnTracks: .overland
        case .ownTracks: .other
        case .overland, .osmAnd, .gpsLogger, .openGTS, .jaga: nil
        }
    }
}
