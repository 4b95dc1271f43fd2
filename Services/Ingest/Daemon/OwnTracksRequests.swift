import Dialects
import Hashing
import IngestCore
import Model
import Runtime
import Web

/// The form of a response to OwnTracks.
struct OwnTracksForm: Sendable {
    var app: OwnTracks.App
    /// Key that encrypts the response.
    var key: OwnTracks.Key?
}

// Names that OwnTracks apps use, and responses to them.
extension IngestService {
    /// Logs changes of the names that a device uses, without the names. Only the credential
    /// identifies a device; changing names most likely mean that two phones share it.
    func recordNames(of request: Request, _ device: DeviceID) {
        let user = request.headers["X-Limit-U"] ?? request.query["u"]
        let name = request.headers["X-Limit-D"] ?? request.query["d"]
        guard user != nil || name != nil else { return }
        let names = Hash.id(.text((user ?? "").lowercased()), .text((name ?? "").lowercased()))
        guard let known = deviceNames.updateValue(names, forKey: device), known != names else {
            return
        }
        counts.namesChanged += 1
        host.log.info(
            "device name changed",
            ["device": device, "trace": request.trace])
    }

    /// The response to a phone app: success whatever the outcome of the payload, or 503.
    func response(to answer: Answer, as phone: PhoneResponse) throws -> Response {
        var reports: ReportsAnswer?
        switch answer {
        case .reports(let answer): reports = answer
        case .overloaded: return Responses.response(to: answer, status: 200)
        default: break
        }
        return switch phone {
        case .ownTracks(let form): try response(to: reports, form)
        case .overland: .json(Overland.answer(policy: reports?.policy?.policy))
        case .empty: Response(status: 200)
        }
    }

    private func response(to reports: ReportsAnswer?, _ form: OwnTracksForm) throws -> Response {
        var body = form.app.emptyAnswer
        if let reports, form.app != .overland {
            body = OwnTracks.answer(try ownTracksContent(of: reports, to: form.app))
        }
        if let key = form.key {
            let nonce = SecureRandom.bytes(SecretBox.nonceBytes)
            body = OwnTracks.seal(body, key: key, nonce: nonce)
        }
        return .json(body)
    }

    func ownTracksContent(
        of reports: ReportsAnswer, to app: OwnTracks.App
    ) throws -> OwnTracks.AnswerContent {
        var content = OwnTracks.AnswerContent(
            friends: reports.friends, rings: reports.rings,
            requestsLocation: reports.requestsLocation,
            configuration: reports.policy.map { OwnTracks.Configuration($0.policy, for: app) })
        for friend in reports.friends where friend.card == .avatar {
            guard let person = friend.person else { continue }
            content.avatars[person] = try database.first(
                "SELECT face FROM card WHERE person = ?", .id(person)
            ) { $0.blob(0) }
        }
        return content
    }
}
