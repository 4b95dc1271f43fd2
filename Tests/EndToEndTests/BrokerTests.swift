import Dialects
import Foundation
import MQTT
import Parsing
import Runtime
import TestSupport
import Testing

extension `The suite` {
    /// Phones that publish on the operator's broker: Debian's mosquitto.
    @Suite struct `OwnTracks over MQTT` {
        /// Anna's phone at a broker that the suite uses, too.
        private struct Scene {
            let home: Household
            let broker: BrokerKit
            let phone: PublishingPhone

            /// Anna's position as seen by Bob.
            var latitude: Double? {
                let seen = try? home.bob.api.call("GET", "/v1/circles/\(home.circle)/positions")
                return seen?["features"]?.array?.first { $0["id"]?.string == home.anna.id }?[
                    "geometry"]?["coordinates"]?[1]?.double
            }

            func expect(latitude: Double) async {
                let isSeen = await eventually { self.latitude == latitude }
                #expect(isSeen, "\(home.suite.log)\n\(broker.log)")
            }
        }

        private static func run(
            zones: [Zone] = [], _ body: (Scene) async throws -> Void
        ) async throws {
            let broker = try BrokerKit()
            try await broker.start()
            let secret = broker.folder.file("password")
            try Files.write(Array(BrokerKit.password.utf8), to: secret, mode: 0o600)
            try await Household.run(
                zones: zones,
                settings: [
                    "JAGA_INGEST_MQTT_URL": broker.url, "JAGA_INGEST_MQTT_PASSWORD_FILE": secret,
                    "JAGA_MQTT_PHONES_URL": "mqtts://mqtt.example",
                ]
            ) { home in
                let devices = try home.anna.api.list("/v1/people/\(home.anna.id)/devices")
                let id = try #require(devices.first?["id"]?.string)
                try broker.add(id, password: "anna's")
                let phone = try PublishingPhone(broker, user: id, password: "anna's")
                try await phone.connect()
                try await body(Scene(home: home, broker: broker, phone: phone))
                phone.stop()
            }
            await broker.stop()
        }

        @Test(.enabled(if: BrokerKit.isInstalled, "mosquitto is not installed"))
        func `a phone's messages become events, and it receives commands and friends`()
            async throws
        {
            try await Self.run(zones: [.park]) { scene in
                let (home, phone) = (scene.home, scene.phone)
                let setup = try home.phoneAPI.call("GET", "/v1/devices/\(phone.user)/setup")
                #expect(setup["mqtt"]?["url"] == "mqtts://mqtt.example:8883")
                let app = setup["apps"]?.array?.first { $0["app"] == "owntracks-mqtt" }
                #expect(app?["link"]?.string?.hasPrefix("owntracks:///config?inline=") == true)
                phone.report(Zone.outside, secondsAgo: 240)
                phone.report(Zone.park.inside, secondsAgo: 120)
                phone.report(Zone.park.inside, secondsAgo: 60)
                try await home.wait(
                    for: NotificationSummary.all("Anna entered Park", to: "Bob", "Cara"))
                try home.bob.api.call("POST", "/v1/people/\(home.anna.id)/locate")
                await phone.expect(part: "cmd") { $0["action"] == "reportLocation" }
                // A journey is event mode, configured after the next report.
                try home.anna.api.call("POST", "/v1/people/\(home.anna.id)/journeys", [:])
                phone.report(Zone.park.inside, secondsAgo: 0)
                await phone.expect(part: "cmd") { $0["configuration"]?["monitoring"] == 2 }
                phone.publish(["_type": "location", "lat": 3, "lon": 101, "poi": "SOS"])
                let isOpen = await eventually {
                    let status = try? home.admin.call("GET", "/v1/status/ingest")
                    return status?["details"]?["activeEmergencies"] == 1
                }
                #expect(isOpen)
                for secret in [phone.user + "/phone", "103.8", BrokerKit.password] {
                    #expect(!home.suite.log.contains(secret), "in the log: \(secret)")
                }
            }
        }

        /// Runs a script of `deploy/broker` at the broker of the test.
        private static func script(
            _ name: String, _ arguments: [String] = [], _ broker: BrokerKit, input: String = ""
        ) throws -> Capture {
            let root = URL(filePath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent().path
            let quoted = ([root + "/deploy/broker/" + name] + arguments).joined(separator: " ")
            return try Capture(
                "/bin/sh",
                ["-c", input.isEmpty ? "exec sh \(quoted)" : "echo '\(input)' | sh \(quoted)"],
                environment: [
                    "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin",
                    "BROKER_PASSWORDS": broker.folder.file("passwords"),
                    "BROKER_SHARED": broker.folder.path,
                    "BROKER_PID": broker.folder.file("mosquitto.pid"), "BROKER_SECONDS": "1",
                ])
        }

        /// Sets the credential of a device at the broker, as the operator does.
        private static func set(_ secret: String, _ id: String, _ broker: BrokerKit) async throws {
            let device = try script("device", [id], broker, input: secret)
            let isDone = await eventually { device.process.reap() != nil }
            #expect(isDone && device.process.exitStatus == 0, "\(device.text)")
        }

        /// Anna's position as seen by Bob.
        private static func latitude(_ home: Household) throws -> Double? {
            let seen = try home.bob.api.call("GET", "/v1/circles/\(home.circle)/positions")
            return seen["features"]?.array?.first { $0["id"]?.string == home.anna.id }?[
                "geometry"]?["coordinates"]?[1]?.double
        }

        @Test(.enabled(if: BrokerKit.isInstalled, "mosquitto is not installed"))
        func `a replaced credential is rejected by the broker within seconds`() async throws {
            let broker = try BrokerKit()
            try await broker.start()
            let password = broker.folder.file("password")
            try Files.write(Array(BrokerKit.password.utf8), to: password, mode: 0o600)
            let follow = try Self.script("follow", [], broker)
            try await Household.run(settings: [
                "JAGA_INGEST_MQTT_URL": broker.url, "JAGA_INGEST_MQTT_PASSWORD_FILE": password,
                "JAGA_INGEST_MQTT_SHARED_FOLDER": broker.folder.path,
            ]) { home in
                let devices = try home.anna.api.list("/v1/people/\(home.anna.id)/devices")
                let id = try #require(devices.first?["id"]?.string)
                let old = home.phoneAPI.token
                try await Self.set(old, id, broker)
                let phone = try PublishingPhone(broker, user: id, password: old)
                try await phone.connect()
                phone.report(Place(latitude: 3.1, longitude: 101), secondsAgo: 60)
                let bob = try home.admin.call(
                    "POST", "/v1/people/\(home.bob.id)/devices", ["name": "phone"])
                let bobAPI = API(
                    http: home.suite.http, token: try bob.member("credential").text("token"))
                let isSeen = await eventually { (try? Self.latitude(home)) == 3.1 }
                #expect(isSeen, "\(home.suite.log)\n\(broker.log)")
                // The phone is stolen, and Anna gets a new credential.
                let made = try home.admin.call(
                    "POST", "/v1/people/\(home.anna.id)/devices/\(id)/credential", [:])
                let replaced = SystemClock().now.seconds
                let isDisconnected = await eventually(every: 50) { !phone.isOnline }
                #expect(isDisconnected, "the broker keeps the old password:\n\(broker.log)")
                let seconds = SystemClock().now.seconds - replaced
                #expect(seconds < 15, "\(seconds) s")
                phone.forgetReceived()
                phone.report(Place(latitude: 3.2, longitude: 101), secondsAgo: 0)
                try bobAPI.call(
                    "POST", "/pub",
                    [
                        "_type": "location", "lat": 3.5, "lon": 101.5,
                        "tst": .integer(SystemClock().now.seconds),
                    ])
                try await Task.sleep(for: .seconds(3))
                #expect(
                    !phone.isOnline && phone.hasReceivedNothing,
                    "the old password receives friends")
                #expect(try Self.latitude(home) == 3.1, "the old password reports")
                // With the new one the phone is accepted again.
                let secret = try made.member("credential").text("token")
                try await Self.set(secret, id, broker)
                let new = try PublishingPhone(broker, user: id, password: secret, client: "new")
                try await new.connect()
                let isAccepted = await eventually(every: 500) {
                    new.report(Place(latitude: 3.3, longitude: 101), secondsAgo: 0)
                    return (try? Self.latitude(home)) == 3.3
                }
                #expect(isAccepted, "\(home.suite.log)\n\(broker.log)")
                phone.stop()
                new.stop()
            }
            follow.process.send(SIGTERM)
            _ = await eventually { follow.process.reap() != nil }
            await broker.stop()
        }

        /// The deliveries of a phone's message in the broker's log. Messages of ingest itself are
        /// ignored.
        private static func deliveries(_ log: Substring) -> [String] {
            var number: Substring?
            return log.split(separator: "\n").compactMap { line in
                if line.contains("Sending PUBLISH to jaga-ingest"), line.contains("/phone'") {
                    let parts = line.split(separator: ", ")
                    number = parts.first { $0.first == "m" }?.dropFirst()
                    return line.contains("(d1") ? "again" : "once"
                }
                guard let number, line.contains("PUBACK from jaga-ingest (Mid: \(number),") else {
                    return nil
                }
                return "stored"
            }
        }

        /// Makes the next file write kill ingest, then publishes as a phone.
        ///
        /// - Returns: the result for that message
        private static func killBetween(
            _ scene: Scene, latitude: Double
        ) async throws -> [String] {
            let suite = scene.home.suite
            let before = scene.broker.log.count
            let old = try #require(suite.processID(of: .ingest))
            let limit = try Capture(
                Programs.installed("prlimit"), ["--pid", "\(old)", "--core=0", "--fsize=0"])
            let isLimited = await eventually(every: 2) { limit.process.reap() != nil }
            #expect(isLimited && limit.process.exitStatus == 0, "\(limit.text)")
            scene.phone.report(Place(latitude: latitude, longitude: 101), secondsAgo: 1)
            let isRestarted = await eventually {
                let new = suite.processID(of: .ingest)
                return new != nil && new != old
            }
            #expect(isRestarted, "\(suite.log)")
            await scene.expect(latitude: latitude)
            _ = await eventually { deliveries(scene.broker.log.dropFirst(before)).last == "stored" }
            return deliveries(scene.broker.log.dropFirst(before))
        }

        @Test(.enabled(if: BrokerKit.isInstalled, "mosquitto is not installed"))
        func `a message is received again after a crash before it was stored`() async throws {
            try await Self.run { scene in
                let (home, phone) = (scene.home, scene.phone)
                phone.report(Place(latitude: 3.1, longitude: 101), secondsAgo: 60)
                await scene.expect(latitude: 3.1)
                // The write of another turn may kill it instead; then the attempt is repeated.
                var deliveries: [String] = []
                for attempt in 1...6 where deliveries != ["once", "again", "stored"] {
                    deliveries = try await Self.killBetween(scene, latitude: 3.1 + Double(attempt))
                    #expect(deliveries.last == "stored", "\(home.suite.log)")
                }
                #expect(deliveries == ["once", "again", "stored"])
            }
        }

        @Test(.enabled(if: BrokerKit.isInstalled, "mosquitto is not installed"))
        func `a broker that was down, or changed its password, is connected again`() async throws {
            try await Self.run { scene in
                let (home, broker, phone) = (scene.home, scene.broker, scene.phone)
                await broker.stop(SIGKILL)
                try broker.add(BrokerKit.user, password: "another")
                try await broker.start()
                let isReported = await eventually {
                    home.suite.log.contains("the broker rejected the user or the password")
                }
                #expect(isReported, "\(home.suite.log)")
                let line = home.suite.log.split(separator: "\n").filter {
                    $0.contains("the broker rejected the user")
                }
                #expect(line.count == 1)
                #expect(line.first?.contains("JAGA_INGEST_MQTT_PASSWORD_FILE") == true)
                try await phone.connect()
                phone.report(Place(latitude: 3.3, longitude: 101), secondsAgo: 1)
                try broker.add(BrokerKit.user, password: BrokerKit.password)
                await scene.expect(latitude: 3.3)
            }
        }
    }
}

/// A phone whose OwnTracks publishes over MQTT, signed in as its device.
private final class PublishingPhone {
    let user: String
    private let link: BrokerLink
    private var received: [BrokerMessage] = []

    init(
        _ broker: BrokerKit, user: String, password: String, client: String? = nil
    ) throws {
        self.user = user
        var address = try #require(BrokerAddress(broker.url))
        address.user = user
        link = BrokerLink(
            BrokerLogin(
                address: address, password: password, clientID: client ?? user,
                subscriptions: ["owntracks/\(user)/#"]))
    }

    private func turn() {
        received += link.drain()
        link.flush()
    }

    func connect() async throws {
        let isOnline = await eventually(every: 5) {
            turn()
            return link.isOnline
        }
        #expect(isOnline, "the phone cannot sign in")
    }

    func stop() { link.stop() }

    /// The current state; pending messages are read first.
    var isOnline: Bool {
        turn()
        return link.isOnline
    }

    func forgetReceived() { received = [] }

    var hasReceivedNothing: Bool {
        turn()
        return received.isEmpty
    }

    func publish(_ message: JSON, part: String = "") {
        link.publish(
            message.serialized(), to: "owntracks/\(user)/phone" + (part.isEmpty ? "" : "/" + part))
        link.flush()
    }

    func report(_ place: Place, secondsAgo: Int64) {
        publish([
            "_type": "location", "lat": .number(place.latitude), "lon": .number(place.longitude),
            "tst": .integer(SystemClock().now.seconds - secondsAgo), "acc": 5, "tid": "PH",
        ])
    }

    /// Waits for a message below its device.
    func expect(part: String, _ fits: (JSON) -> Bool) async {
        let topic = "owntracks/\(user)/phone/\(part)"
        let isReceived = await eventually(every: 20) {
            turn()
            return received.contains {
                $0.topic == topic && ((try? JSON.parse($0.payload)).map(fits) ?? false)
            }
        }
        #expect(isReceived, "not received: \(part), but \(received.map(\.topic))")
    }
}
