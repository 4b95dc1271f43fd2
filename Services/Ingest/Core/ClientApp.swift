import Dialects

/// The app that sent a request, judging by its path and `User-Agent`.
public enum ClientApp: String, Hashable, Sendable, CaseIterable {
    case ownTracksAndroid = "owntracks-android"
    case ownTracksIOS = "owntracks-ios"
    /// Another client of OwnTracks's protocol.
    case ownTracks = "owntracks"
    /// Overland using OwnTracks's protocol.
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

    /// The OwnTracks app, if it uses that protocol.
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
