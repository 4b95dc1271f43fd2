import Glibc
import Hashing
import Model
import Parsing
import Runtime
import Web

/// Posts the points of a track one after the other, each until it is answered with success.
struct ReplayPhone {
    let api: API
    let token: Token
    let plan: ReplayPlan
    private let clock = SystemClock()

    /// Waits before a point is sent again: doubled each time, as the app does.
    static let retryFirst = Duration.seconds(1)
    static let retryLongest = Duration.seconds(120)

    init(api: API, token: Token, plan: ReplayPlan) {
        self.api = api
        self.token = token
        self.plan = plan
    }

    /// Plays the whole track.
    func play() throws {
        let began = clock.now
        let count = plan.track.points.count
        var bar = ProgressBar(total: count, at: began)
        var repeats = 0
        for index in 0..<count {
            sleep(
                until: began + .milliseconds(Int64(nearest: plan.sendAt[index] * 1000, .towardZero))
            )
            repeats += try post(index)
            let left = max(0, (plan.sendAt.last ?? 0) - plan.sendAt[index])
            bar.show(index + 1, left: left, at: clock.now)
        }
        bar.finish()
        let seconds = Double((clock.now - began).milliseconds) / 1000
        Console.say("replayed \(count) points in \(seconds) s, \(repeats) of them sent again")
    }

    /// Sends a point until the suite takes it.
    ///
    /// - Returns: how often it was sent again
    private func post(_ index: Int) throws -> Int {
        let body = plan.body(
            of: index, id: Hex.encode(SecureRandom.bytes(4)), sentAt: clock.now
        ).serialized()
        var wait = ReplayPhone.retryFirst
        var attempt = 0
        while true {
            let call = HTTPCall(
                .post, api.url + "/pub", headers: ["Content-Type": "application/json"], body: body,
                login: Login(user: "replay", password: token.text))
            if let answer = try? api.exchange(call) {
                if (200..<300).contains(answer.status) { return attempt }
                guard answer.status >= 500 else {
                    throw CommandError(
                        "the suite answered \(answer.status)",
                        hint: answer.status == 401
                            ? "it does not know \(token.origin): \(token.hint)" : "")
                }
            }
            if attempt == 0 {
                Console.complain("jaga replay: no success; trying again until there is")
            }
            sleep(until: clock.now + wait)
            wait = min(wait * 2, ReplayPhone.retryLongest)
            attempt += 1
        }
    }

    private func sleep(until time: Timestamp) {
        while clock.now < time {
            usleep(UInt32(clamping: min(100_000, (time - clock.now).microseconds)))
        }
    }
}
