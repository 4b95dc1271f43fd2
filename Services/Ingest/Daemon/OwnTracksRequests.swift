import Dialects
import Hashing
import IngestCore
import Model
import Runtime
import Web

/// How an answer to OwnTracks has to leave.
struct OwnTracksForm: Sendable {
    var app: OwnTracks.App
    /// It is encrypted with this one.
    var key: OwnTracks.Key?
}

// What the apps of OwnTracks are called, and what they hear.
extension IngestService {
    /// Whose a report is says the credential alone. One that comes under changing names is most
    /// likely on two phones, which then look like one: that is said, without the names.
    func noteNames(of request: Request, _ device: DeviceID) {
        let user = request.headers["X-Limit-U"] ?? request.query["u"]
        let name = request.headers["X-Limit-D"] ?? request.query["d"]
        guard user != nil || name != nil else { return }
        let names = Hash.id(.text((user ?? "").lowercased()), .text((name ?? "").lowercased()))
        guard let known = namesOfDevices.updateValue(names, forKey: device), known != names else {
            return
        }
        counts.namesChanged += 1
        outside.log.info(
            "a credential is used under another name than before: is it on two phones?",
            ["device": device, "trace": request.trace])
    }

    /// For an app: what it takes as success whatever became of the payload, or "later".
    func response(to answer: Answer, as phone: PhoneAnswer) throws -> Response {
        var reports: ReportsAnswer?
        switch answer {
        case .reports(let answer): reports = answer
        case .overloaded: return Answers.response(to: answer, status: 200)
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
            body = OwnTracks.answer(try telling(reports, to: form.app))
        }
        if let key = form.key {
            let nonce = SecureRandom.bytes(SecretBox.nonceBytes)
            body = OwnTracks.seal(body, key: key, nonce: nonce)
        }
        return .json(body)
    }

    func telling(
        _ reports: ReportsAnswer, to app: OwnTracks.App
    ) throws -> OwnTracks.Telling {
        var telling = OwnTracks.Telling(
            friends: reports.friends, rings: reports.rings, locates: reports.locates,
            configuration: reports.policy.map { OwnTracks.Configuration($0.policy, for: app) })
        for friend in reports.friends where friend.card == .face {
            guard let person = friend.person else { continue }
            telling.faces[person] = try database.first(
                "SELECT face FROM card WHERE person = ?", .id(person)
            ) { $0.blob(0) }
        }
        return telling
    }
}
