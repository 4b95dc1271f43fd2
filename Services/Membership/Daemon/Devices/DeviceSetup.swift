import Codes
import Dialects
import Directory
import Model
import Parsing
import Web

/// Creates the set-up data of a phone.
///
/// It contains the phone's secret, of which only the digest is stored. The secret therefore comes
/// from the request, or is a new one.
struct DeviceSetup {
    let directory: Replica
    /// URL at which phones reach the suite, unless the request names one; nil = the request must.
    let publicURL: String?
    /// MQTT broker for phones; nil = none.
    var broker: PhoneBroker?

    /// - Throws: 404 if the device does not exist, 400 if the URL is missing or invalid
    func setup(
        of id: DeviceID, token: String, for request: Request
    ) throws(Problem) -> PhoneSetup {
        guard let device = directory.device(id) else {
            throw .notFound("there is no such device")
        }
        let trackerID = directory.circles(of: device.person).lazy
            .compactMap { directory.circle($0)?.member(device.person)?.trackerID }.first
        return PhoneSetup(
            url: try PublicURL.of(request, configured: publicURL), device: id, token: token,
            user: directory.person(device.person)?.name ?? "", deviceName: device.name,
            trackerID: trackerID ?? "ME", platform: device.platform, broker: broker)
    }

    /// The response to a device that authenticates with its own token.
    func response(to request: Request, _ parameters: Parameters, by principal: Principal)
        throws(Problem) -> Response
    {
        let id = try parameters.id("device", DeviceID.self)
        guard case .device(id, _) = principal, let token = DeviceSetup.token(of: request) else {
            throw .denied(
                "only the device itself can read its set-up: its secret is not stored",
                hint: "use the device's token, or POST here to create a new secret")
        }
        let setup = try setup(of: id, token: token, for: request)
        return try response(of: setup, as: request.query)
    }

    /// The token of a request. An app that loads its profile from a URL cannot send headers, so the
    /// set-up path also accepts the token in the query.
    static func token(of request: Request) -> String? {
        if let credentials = Credentials(request.headers) { return credentials.token }
        let isSetup = request.path.hasPrefix("/v1/devices/") && request.path.hasSuffix("/setup")
        return isSetup && request.method == .get ? request.query["token"] : nil
    }

    private func response(
        of setup: PhoneSetup, as query: Query
    ) throws(Problem) -> Response {
        let app = try app(query["app"])
        guard let format = query["format"] else { return .json(json(setup)) }
        if format == "properties" {
            return Response(
                status: 200, headers: ["Content-Type": "text/plain; charset=utf-8"],
                body: Array(setup.properties.utf8))
        }
        let code = try code(of: setup, app: app)
        switch format {
        case "svg":
            return Response(
                status: 200, headers: ["Content-Type": "image/svg+xml"],
                body: Array(code.svg.utf8))
        case "png":
            return Response(
                status: 200, headers: ["Content-Type": "image/png"], body: code.png())
        case "text":
            return .text(code.lines(colors: false).joined(separator: "\n") + "\n")
        default:
            throw .invalid(
                "the format is unknown", field: "format",
                hint: "use svg, png, text or properties, or no format for JSON")
        }
    }

    /// The app in the query; OwnTracks by default.
    private func app(_ name: String?) throws(Problem) -> PhoneSetup.App {
        guard let name else { return .ownTracks }
        guard let app = PhoneSetup.App.named(name) else {
            throw .invalid(
                "the app is unknown", field: "app",
                hint: PhoneSetup.App.all.map(\.name).joined(separator: ", "))
        }
        return app
    }

    private func code(of setup: PhoneSetup, app: PhoneSetup.App) throws(Problem) -> QRCode {
        guard let link = setup.link(for: app), let code = try? QRCode(link) else {
            let apps = PhoneSetup.App.all.filter { setup.link(for: $0) != nil }
            throw .invalid(
                "this app has no set-up link", field: "app",
                hint: apps.map(\.name).joined(separator: ", "))
        }
        return code
    }

    func json(_ setup: PhoneSetup) -> JSON {
        [
            "device": .string(setup.device.description),
            "person": (directory.device(setup.device)?.person).map { .string($0.description) }
                ?? .null,
            "url": .string(setup.url),
            "user": .string(setup.user), "deviceName": .string(setup.deviceName),
            "trackerID": .string(setup.trackerID), "mqtt": setup.broker?.json ?? .null,
            "apps": setup.json,
        ]
    }
}
