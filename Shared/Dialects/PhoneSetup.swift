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
    /// An app that a phone can report with: one value in the file of its protocol each.
    public final class App: Sendable, Hashable {
        /// Shown to users and in the API.
        public let name: String
        /// Notes to show before the set-up, most important first.
        let notes: [String]
        /// Platforms that it exists for.
        let platforms: Set<Platform>
        let isOffered: @Sendable (PhoneSetup) -> Bool
        let link: (@Sendable (PhoneSetup) -> String?)?
        let entries: @Sendable (PhoneSetup) -> [Entry]

        init(
            _ name: String, notes: [String] = [],
            platforms: Set<Platform> = Set(Platform.allCases),
            isOffered: @escaping @Sendable (PhoneSetup) -> Bool = { _ in true },
            link: (@Sendable (PhoneSetup) -> String?)? = nil,
            entries: @escaping @Sendable (PhoneSetup) -> [Entry]
        ) {
            self.name = name
            self.notes = notes
            self.platforms = platforms
            self.isOffered = isOffered
            self.link = link
            self.entries = entries
        }

        /// Apps of all protocols.
        public static let all = PhoneProtocol.all.flatMap(\.apps)

        /// The app with a name; nil if there is none.
        public static func named(_ name: String) -> App? { all.first { $0.name == name } }

        public static func == (left: App, right: App) -> Bool { left === right }

        public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
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
    /// Only apps that exist for it are listed; `other` = all.
    public var platform: Platform
    /// Broker on which phones may publish; nil = none.
    public var broker: PhoneBroker?

    public init(
        url: String, device: DeviceID, token: String, user: String, deviceName: String,
        trackerID: String, passphrase: String? = nil, platform: Platform = .other,
        broker: PhoneBroker? = nil
    ) {
        self.url = url
        self.device = device
        self.token = token
        self.user = PhoneSetup.plain(user)
        self.deviceName = PhoneSetup.plain(deviceName)
        self.trackerID = trackerID
        self.passphrase = passphrase
        self.platform = platform
        self.broker = broker
    }

    /// The apps that this phone can be set up for.
    public var apps: [App] {
        App.all.filter { $0.platforms.contains(platform) && $0.isOffered(self) }
    }

    /// Keeps the letters and digits of a name, because apps put it into headers.
    private static func plain(_ name: String) -> String {
        let known = name.lowercased().unicodeScalars.filter {
            ("a"..."z").contains($0) || ("0"..."9").contains($0)
        }
        return known.isEmpty ? "phone" : String(String.UnicodeScalarView(known.prefix(32)))
    }

    /// The link or QR content that sets up the app; nil if the app supports neither, or does not
    /// exist for the platform.
    public func link(for app: App) -> String? {
        app.platforms.contains(platform) ? app.link?(self) : nil
    }

    /// Values to enter if no camera is available.
    public func entries(for app: App) -> [Entry] { app.entries(self) }

    /// Notes to show before the set-up, most important first.
    public func notes(for app: App) -> [String] { app.notes }

    /// The complete set-up data for programs.
    public var json: JSON {
        .array(
            apps.map { app in
                [
                    "app": .string(app.name),
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
