import Dialects
import Hashing
import IngestCore
import Model
import Runtime
import Store
import Web

/// How a phone's request is answered.
struct PhoneForm: Sendable {
    var phone: PhoneProtocol
    /// Key that encrypts the response.
    var key: OwnTracks.Key?
}

/// Writes responses in the protocols of phone apps.
struct PhoneResponses {
    let database: Database

    /// The response to a phone app: success whatever the outcome of the payload, or 503.
    func response(to answer: Answer, as form: PhoneForm) throws -> Response {
        var reports: ReportsAnswer?
        switch answer {
        case .reports(let answer): reports = answer
        case .overloaded: return Responses.response(to: answer, status: 200)
        default: break
        }
        var answer = PhoneAnswer(policy: reports?.policy?.policy)
        if form.phone.answersFriends, let app = form.phone.ownTracks {
            answer.content = try reports.map { try content(of: $0, to: app) }
        }
        guard var body = form.phone.answer(answer) else { return Response(status: 200) }
        if let key = form.key {
            let nonce = SecureRandom.bytes(SecretBox.nonceBytes)
            body = OwnTracks.seal(body, key: key, nonce: nonce)
        }
        return .json(body)
    }

    /// Commands for a phone in its response.
    func content(
        of reports: ReportsAnswer, to app: OwnTracks.App
    ) throws -> OwnTracks.AnswerContent {
        var content = OwnTracks.AnswerContent(
            friends: reports.friends, rings: reports.rings,
            requestsLocation: reports.requestsLocation,
            configuration: reports.policy.map { OwnTracks.Configuration($0.policy, for: app) })
        for friend in reports.friends where friend.card == .avatar {
            guard let person = friend.person else { continue }
            content.avatars[person] = try database.first(
                "SELECT avatar FROM card WHERE person = ?", .id(person)
            ) { $0.blob(0) }
        }
        return content
    }
}
