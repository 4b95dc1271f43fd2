import Hashing
import Model
import Parsing

extension OwnTracks {
    /// The sending app, by its `User-Agent`. The apps accept different answers.
    public enum App: Hashable, Sendable {
        /// Accepts an array only if it knows every element.
        case android
        case iOS
        /// Overland configured to send OwnTracks' format.
        case overland
        /// Assumed to be as strict as Android.
        case other

        public init(userAgent: String) {
            func contains(_ name: StaticString) -> Bool { userAgent.containsIgnoringCase(name) }
            if userAgent.isEmpty {
                self = .other
            } else if contains("overland") {
                self = .overland
            } else if contains("owntracks-android") {
                self = .android
            } else if contains("cfnetwork") || contains("darwin") {
                self = .iOS
            } else {
                self = .other
            }
        }

        /// Converts seconds since 1970, or since 2001 from Overland.
        func time(_ seconds: Double?) -> Timestamp? {
            let isOf2001 = self == .overland && seconds.map { $0 < 1_000_000_000 } ?? false
            return Quantity.time(seconds.map { isOf2001 ? $0 + 978_307_200 : $0 })
        }

        /// The answer to a message, if there are no friends. Overland retries until it receives an
        /// object, the other apps until they receive an array.
        public var emptyAnswer: [UInt8] {
            self == .overland ? Overland.answer() : OwnTracks.emptyAnswer
        }
    }
}

extension PhoneProtocol {
    /// OwnTracks by an unknown app. Its path accepts all apps of the protocol.
    ///
    /// iOS deletes a message that is rejected, Android sends it for ever, so nothing is rejected
    /// for its content.
    public static let ownTracks = PhoneProtocol(
        "owntracks", .other, paths: [Path("/pub")],
        apps: [.ownTracks, .ownTracksMQTT], isMessage: { $0["_type"]?.string != nil })
    public static let ownTracksAndroid = PhoneProtocol("owntracks-android", .android)
    public static let ownTracksIOS = PhoneProtocol("owntracks-ios", .iOS)
    /// Overland using OwnTracks's protocol. It understands only success.
    public static let overlandAsOwnTracks = PhoneProtocol("overland-owntracks", .overland)

    /// The protocol as an app of OwnTracks uses it.
    public static func ownTracks(_ app: OwnTracks.App) -> PhoneProtocol {
        switch app {
        case .android: .ownTracksAndroid
        case .iOS: .ownTracksIOS
        case .overland: .overlandAsOwnTracks
        case .other: .ownTracks
        }
    }

    private convenience init(
        _ name: String, _ app: OwnTracks.App, paths: [Path] = [], apps: [PhoneSetup.App] = [],
        isMessage: (@Sendable (JSONView) -> Bool)? = nil
    ) {
        self.init(
            name, paths: paths, bodyBytesMax: PhoneProtocol.photoBodyBytesMax, ownTracks: app,
            answersFriends: app != .overland,
            answersPolicy: app != .overland ? .withReports : .never, apps: apps,
            isMessage: isMessage, answer: { $0.content.map(OwnTracks.answer) ?? app.emptyAnswer },
            read: { payload, context in
                OwnTracks.read(
                    payload.body, from: app, received: context.received, sosWord: context.sosWord,
                    key: context.key)
            })
    }
}

extension PhoneSetup.App {
    /// OwnTracks over HTTP.
    public static let ownTracks = PhoneSetup.App(
        "owntracks", notes: PhoneSetup.ownTracksNotes,
        link: { $0.link($0.configuration) },
        entries: { setup in
            [
                .init(field: "mode", value: "HTTP"), .init(field: "url", value: setup.url + "/pub"),
                .init(field: "username", value: setup.user),
                .init(field: "password", value: setup.token),
            ] + PhoneSetup.switches
        })
    /// OwnTracks, publishing on the operator's broker.
    public static let ownTracksMQTT = PhoneSetup.App(
        "owntracks-mqtt", notes: PhoneSetup.ownTracksNotes, isOffered: { $0.broker != nil },
        link: { setup in setup.brokerConfiguration.map { setup.link($0) } },
        entries: { setup in
            guard let broker = setup.broker else { return [] }
            return [
                .init(field: "mode", value: "MQTT"),
                .init(field: "host", value: broker.address.host),
                .init(field: "port", value: "\(broker.address.port)"),
                .init(field: "tls", value: broker.address.isEncrypted ? "on" : "off"),
                .init(field: "username", value: setup.device.description),
                .init(field: "password", value: setup.token),
            ] + PhoneSetup.switches
        })
}

extension PhoneSetup {
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

    fileprivate func link(_ configuration: JSON) -> String {
        "owntracks:///config?inline=" + Percent.encode(Base64.encode(configuration.serialized()))
    }

    /// Switches, off by default, that allow remote configuration and location requests.
    fileprivate static let switches = [
        Entry(field: "cmd", value: "on"), Entry(field: "remoteConfiguration", value: "on"),
    ]

    fileprivate static let ownTracksNotes = [
        "OwnTracks ignores links and QR codes until \"Allow external configuration\" is "
            + "switched on (iOS 26.2.3 and later: Settings; Android 2.6.0 and later: "
            + "Preferences, Remote Control). Otherwise enter the values by hand.",
        "If you enter the values by hand, switch on cmd (remote commands) and "
            + "remoteConfiguration (remote configuration), too. Otherwise Jaga cannot "
            + "tell the phone how often to report, and cannot locate an iPhone.",
        "On Android the notification of a zone alarm is titled \"EY\": the app ignores "
            + "the name that Jaga sends.",
    ]
}

extension String {
    /// Whether the text contains a lower-case word, ignoring case. Runs for every request, so it
    /// does not allocate.
    fileprivate func containsIgnoringCase(_ word: StaticString) -> Bool {
        var text = self
        return text.withUTF8 { text in
            let word = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
            guard text.count >= word.count else { return false }
            return (0...text.count - word.count).contains { start in
                word.indices.allSatisfy { index in
                    let byte = text[start + index]
                    return (byte >= 65 && byte <= 90 ? byte | 32 : byte) == word[index]
                }
            }
        }
    }
}
