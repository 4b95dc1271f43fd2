import Hashing
import Model
import Parsing

/// Set-up data of one phone for each app.
///
///     let setup = PhoneSetup(url: "https://jaga.example", device: id, token: token, …)
///     setup.link(for: .ownTracks)  // owntracks:///config?inline=…
///
/// All of it contains the device's secret. Show it only to users with access to that secret, and
/// never log it.
public struct PhoneSetup: Hashable, Sendable {
    /// An app that a phone can report with.
    public enum App: String, Sendable, CaseIterable {
        case ownTracks = "owntracks"
        /// OwnTracks, publishing on the operator's broker.
        case ownTracksMQTT = "owntracks-mqtt"
        case overland
        case traccar
        case osmAnd = "osmand"
        case gpsLogger = "gpslogger"
    }

    /// A value to enter by hand if an app accepts no link.
    public struct Entry: Hashable, Sendable {
        /// The app's name of the field.
        public var field: String
        public var value: String
    }

    /// Public base address of Jaga, such as `http://192.168.1.5:8080`.
    public var url: String
    public var device: DeviceID
    public var token: String
    /// User name for the app, letters and digits only. Jaga authenticates by the token alone.
    public var user: String
    public var deviceName: String
    /// Two characters that OwnTracks shows on its map.
    public var trackerID: String
    /// Passphrase for OwnTracks' encryption; nil = keep the app's own.
    public var passphrase: String?
    /// Broker on which phones may publish; nil = none.
    public var broker: PhoneBroker?

    public init(
        url: String, device: DeviceID, token: String, user: String, deviceName: String,
        trackerID: String, passphrase: String? = nil, broker: PhoneBroker? = nil
    ) {
        self.url = url
        self.device = device
        self.token = token
        self.user = PhoneSetup.plain(user)
        self.deviceName = PhoneSetup.plain(deviceName)
        self.trackerID = trackerID
        self.passphrase = passphrase
        self.broker = broker
    }

    /// The apps that this phone can be set up for.
    public var apps: [App] { App.allCases.filter { $0 != .ownTracksMQTT || broker != nil } }

    /// Keeps the letters and digits of a name, because apps put it into headers.
    private static func plain(_ name: String) -> String {
        let known = name.lowercased().unicodeScalars.filter {
            ("a"..."z").contains($0) || ("0"..."9").contains($0)
        }
        return known.isEmpty ? "phone" : String(String.UnicodeScalarView(known.prefix(32)))
    }

    /// The link or QR content that sets up the app; nil if the app supports neither.
    public func link(for app: App) -> String? {
        switch app {
        case .ownTracks: return link(configuration)
        case .ownTracksMQTT: return brokerConfiguration.map(link)
        case .overland:
            let query = Query([
                .init("url", url + "/overland"), .init("token", token),
                .init("device_id", deviceName), .init("unique_id", "yes"),
            ])
            return "overland://setup?" + query.encoded
        case .traccar:
            // Traccar's scanner uses origin and path as the server and the query as settings.
            let query = Query([
                .init("id", token), .init("interval", "180"), .init("buffer", "true"),
            ])
            return url + "/osmand?" + query.encoded
        case .osmAnd: return nil
        case .gpsLogger:
            let query = Query([.init("format", "properties"), .init("token", token)])
            return "gpslogger://properties/\(url)/v1/devices/\(device)/setup?" + query.encoded
        }
    }

    private func link(_ configuration: JSON) -> String {
        "owntracks:///config?inline=" + Percent.encode(Base64.encode(configuration.serialized()))
    }

    /// Values to enter if no camera is available.
    public func entries(for app: App) -> [Entry] {
        switch app {
        case .ownTracks:
            [
                Entry(field: "mode", value: "HTTP"), Entry(field: "url", value: url + "/pub"),
                Entry(field: "username", value: user), Entry(field: "password", value: token),
            ] + PhoneSetup.switches
        case .ownTracksMQTT: brokerEntries
        case .overland:
            [
                Entry(field: "url", value: url + "/overland"),
                Entry(field: "access token", value: token),
            ]
        case .traccar:
            [
                Entry(field: "server url", value: url + "/osmand"),
                Entry(field: "device identifier", value: token),
            ]
        case .osmAnd:
            [
                Entry(
                    field: "web address",
                    value: "\(url)/osmand/\(token)?speedUnit=ms&lat={0}&lon={1}&timestamp={2}"
                        + "&hdop={3}&altitude={4}&speed={5}&bearing={6}")
            ]
        case .gpsLogger:
            [Entry(field: "url", value: gpsLoggerURL), Entry(field: "method", value: "GET")]
        }
    }

    /// OwnTracks' configuration file (`.otrc`) for HTTP mode with remote configuration allowed.
    public var configuration: JSON {
        configuration([
            .init("mode", 3), .init("url", .string(url + "/pub")), .init("auth", true),
            .init("username", .string(user)),
        ])
    }

    /// OwnTracks' configuration file for MQTT. The broker must know the device with its secret as
    /// the password.
    public var brokerConfiguration: JSON? {
        broker.map { configuration($0.members(device)) }
    }

    private func configuration(_ mode: [JSON.Member]) -> JSON {
        var members = [JSON.Member("_type", "configuration")] + mode
        members += [
            .init("password", .string(token)), .init("deviceId", .string(deviceName)),
            .init("tid", .string(trackerID)), .init("monitoring", 1), .init("cmd", true),
            .init("remoteConfiguration", true),
        ]
        if let passphrase { members.append(.init("encryptionKey", .string(passphrase))) }
        return .object(members)
    }

    private var brokerEntries: [Entry] {
        guard let broker else { return [] }
        return [
            Entry(field: "mode", value: "MQTT"), Entry(field: "host", value: broker.address.host),
            Entry(field: "port", value: "\(broker.address.port)"),
            Entry(field: "tls", value: broker.address.isEncrypted ? "on" : "off"),
            Entry(field: "username", value: device.description),
            Entry(field: "password", value: token),
        ] + PhoneSetup.switches
    }

    /// Switches, off by default, that allow remote configuration and location requests.
    private static let switches = [
        Entry(field: "cmd", value: "on"), Entry(field: "remoteConfiguration", value: "on"),
    ]

    /// Notes to show before the set-up, most important first.
    public func notes(for app: App) -> [String] {
        switch app {
        case .ownTracks, .ownTracksMQTT:
            [
                "OwnTracks ignores links and QR codes until \"Allow external configuration\" is "
                    + "switched on (iOS 26.2.3 and later: Settings; Android 2.6.0 and later: "
                    + "Preferences, Remote Control). Otherwise enter the values by hand.",
                "If you enter the values by hand, switch on cmd (remote commands) and "
                    + "remoteConfiguration (remote configuration), too. Otherwise Jaga cannot "
                    + "tell the phone how often to report, and cannot locate an iPhone.",
                "On Android the notification of a zone alarm is titled \"EY\": the app ignores "
                    + "the name that Jaga sends.",
            ]
        case .overland, .traccar, .osmAnd, .gpsLogger: []
        }
    }

    /// GPSLogger's profile (`.properties`). Points recorded offline are kept.
    public var properties: String {
        """
        current_profile_name=Jaga
        log_customurl_enabled=true
        log_customurl_url=\(gpsLoggerURL)
        log_customurl_method=GET
        log_customurl_discard_offline_locations_enabled=false

        """
    }

    private var gpsLoggerURL: String { "\(url)/log/gpslogger/\(token)?%ALL" }

    /// The complete set-up data for programs.
    public var json: JSON {
        .array(
            apps.map { app in
                [
                    "app": .string(app.rawValue),
                    "link": link(for: app).map { .string($0) } ?? .null,
                    "enter": .array(
                        entries(for: app).map {
                            ["field": .string($0.field), "value": .string($0.value)]
                        }),
                    "notes": .array(notes(for: app).map { .string($0) }),
                ]
            })
    }
}
